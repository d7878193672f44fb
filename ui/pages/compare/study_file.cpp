// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/study_file.h"

#include "app/study/asked_study.h"
#include "engine/base/json.h"
#include "ui/threads/ask.h"

#include <QDir>
#include <QFileDialog>
#include <QPointer>

namespace heddle::ui {
namespace {

void askFile(const QString& file, Studio& studio, StudyComparer& comparer) {
    const RunDatabase* database = studio.databases().current();
    if (!database)
        return studio.report(MessageStrip::Message{
            StripKind::Warn, StudyComparer::tr("The study was not asked: no database is open to keep it."),
            StudyComparer::tr("Create or open one on Library.")});
    const auto read = [file = file.toStdString(), of = database->file().toStdString()](storage::RunQuery& query) {
        return app::askStudy(Study::parse(readJsonFile(file), file), file, query, of);
    };
    const auto take = [&studio, comparer = QPointer(&comparer), number = database->number()](const Result<PutItem>& asked) {
        if (!asked) return studio.report(asked.problem());
        const auto choose = [comparer, study = KnownStudy{number, asked->key, asked->body.dump()}] {
            if (comparer) comparer->choose(study);
        };
        studio.commander().edit(number, *asked, choose);
    };
    ask(&comparer, studio.databases().reader(database->number()), read, take);
}

}  // namespace

void openStudyFile(Studio& studio, StudyComparer& comparer, QWidget* page) {
    auto* dialog = new QFileDialog(page, StudyComparer::tr("Open study"), QDir::currentPath(),
                                   StudyComparer::tr("Studies (*.json);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    QObject::connect(dialog, &QFileDialog::fileSelected, &comparer,
                     [&studio, &comparer](const QString& file) { askFile(file, studio, comparer); });
    dialog->open();
}

}  // namespace heddle::ui
