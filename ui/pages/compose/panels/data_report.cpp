// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/data_report.h"

#include "app/study/file_contents.h"
#include "engine/base/json.h"
#include "ui/pages/compose/forms/parts.h"
#include "ui/theme/type.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace heddle::ui {
namespace {

std::vector<std::string> filesOf(const Json& document) {
    std::vector<std::string> files;
    for (app::NamedFile& file : app::namedFiles(document))
        if (file.role == FieldSchema::Role::DataFile) files.push_back(std::move(file.path));
    return files;
}

}  // namespace

DataReport::DataReport(const VariantDraft& draft, Studio& studio, QWidget* parent)
    : QWidget(parent), draft_(draft), studio_(studio), words_(makeCaption({}, this)), report_(new QPlainTextEdit(this)) {
    report_->setReadOnly(true);
    report_->setFont(typeFont(Type::Mono));
    report_->setFrameShape(QFrame::NoFrame);
    report_->setTabChangesFocus(true);
    report_->setLineWrapMode(QPlainTextEdit::NoWrap);
    report_->setAccessibleName(tr("Report on the data files"));
    words_->setWordWrap(true);
    words_->setTextFormat(Qt::PlainText);
    words_->setContentsMargins(px(8), px(6), px(8), px(6));
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(words_);
    column->addWidget(report_, 1);
    connect(&draft, &VariantDraft::changed, this, [this] {
        if (isVisible()) readIfChanged();
    });
}

void DataReport::setReport(const QString& words, const QString& report) {
    words_->setText(words);
    words_->setVisible(!words.isEmpty());
    report_->setPlainText(report);
}

void DataReport::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    readIfChanged();
}

void DataReport::readIfChanged() {
    const auto files = filesOf(draft_.document());
    if (files == files_) return;
    reading_.drop();
    files_ = files;
    if (files.empty()) return setReport(tr("The draft names no data file. Choose the data in the tab Training."), {});
    setReport(tr("Reading %Ln file(s)…", nullptr, int(files.size())), {});
    reading_.start(Pool{}, [inspect = studio_.services().dataInspector, files](const TaskControl& task) {
        return inspect(files, task.stopRequested());
    });
}

void DataReport::take(Result<std::string> report) {
    if (report) return setReport({}, QString::fromStdString(*report));
    files_.reset();
    const Problem& problem = report.problem();
    setReport(QStringLiteral("%1 (%2). %3").arg(problem.what, problem.where, problem.next), {});
}

}  // namespace heddle::ui
