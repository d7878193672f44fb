// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/study_file.h"

#include "app/study/study_runs.h"
#include "engine/base/json.h"
#include "storage/records.h"
#include "ui/threads/ask.h"

#include <QDir>
#include <QFileDialog>
#include <QPointer>

namespace heddle::ui {
namespace {

/// Reads the study and what the database keeps of it.
KnownStudy askedFile(const std::string& file, int database, storage::RunQuery& query, const std::string& of) {
    app::StudyRuns runs(Study::parse(readJsonFile(file), file), file, "");
    runs.refresh(query, of);
    return {database, runs.key(), app::askedAgain(runs, query, storage::unixTime()).toJson().dump()};
}

void askFile(const QString& file, Studio& studio, StudyComparer& comparer) {
    const RunDatabase* database = studio.databases().current();
    if (!database)
        return studio.report(MessageStrip::Message{
            StripKind::Warn, StudyComparer::tr("The study was not asked: no database is open to keep it."),
            StudyComparer::tr("Create or open one on Library.")});
    const auto read = [file = file.toStdString(), number = database->number(), of = database->file().toStdString()](
                          storage::RunQuery& query) { return askedFile(file, number, query, of); };
    const auto take = [&studio, comparer = QPointer(&comparer)](const Result<KnownStudy>& study) {
        if (!study) return studio.report(study.problem());
        const auto choose = [comparer, study = *study] {
            if (comparer) comparer->choose(study);
        };
        studio.commander().edit(study->database, PutItem{app::kStudyItem, study->key, Json::parse(study->body)}, choose);
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
