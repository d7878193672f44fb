// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/panels/data_panel.h"

#include "ui/pages/compose/forms/parts.h"
#include "ui/theme/type.h"
#include "ui/threads/background.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace heddle::ui {
namespace {

std::vector<std::string> filesOf(const Json& document) {
    std::vector<std::string> files;
    for (const char* path : {"/data/train/source", "/data/train/target", "/data/valid/source", "/data/valid/target",
                             "/data/test/source", "/data/test/target", "/data/vectors"}) {
        const Json::json_pointer at(path);
        if (!document.is_object() || !document.contains(at) || !document.at(at).is_string()) continue;
        if (std::string file = document.at(at).get<std::string>(); !file.empty()) files.push_back(std::move(file));
    }
    return files;
}

}  // namespace

DataPanel::DataPanel(const VariantDraft& draft, Studio& studio, QWidget* parent)
    : QWidget(parent), draft_(draft), studio_(studio), words_(makeCaption({}, this)), report_(new QPlainTextEdit(this)) {
    report_->setReadOnly(true);
    report_->setFont(typeFont(Type::Mono));
    report_->setFrameShape(QFrame::NoFrame);
    report_->setTabChangesFocus(true);
    report_->setLineWrapMode(QPlainTextEdit::NoWrap);
    report_->setAccessibleName(tr("What is in the data files"));
    words_->setWordWrap(true);
    words_->setTextFormat(Qt::PlainText);
    words_->setContentsMargins(px(8), px(6), px(8), px(6));
    QVBoxLayout* column = makeColumn(this);
    column->addWidget(words_);
    column->addWidget(report_, 1);
}

DataPanel::~DataPanel() { cancelInspection(); }

void DataPanel::cancelInspection() {
    if (stop_) *stop_ = true;
    stop_.reset();
}

void DataPanel::setReport(const QString& words, const QString& report) {
    words_->setText(words);
    words_->setVisible(!words.isEmpty());
    report_->setPlainText(report);
}

void DataPanel::refresh() {
    if (isVisible()) inspectIfChanged();
}

void DataPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    inspectIfChanged();
}

void DataPanel::inspectIfChanged() {
    const auto files = filesOf(draft_.document());
    if (files == files_) return;
    cancelInspection();
    files_ = files;
    if (files.empty()) return setReport(tr("No data file is named. Choose the data in the experiment plan."), {});
    setReport(tr("Reading %Ln file(s)…", nullptr, int(files.size())), {});
    stop_ = std::make_shared<std::atomic_bool>(false);
    inBackground(
        this,
        [inspect = studio_.dataInspector(), files, stop = stop_] { return inspect(files, [stop] { return stop->load(); }); },
        [this, stop = stop_](const std::string& report) {
            if (!*stop) setReport({}, QString::fromStdString(report));
        },
        [this, stop = stop_](const Problem& problem) {
            if (*stop) return;
            files_.reset();
            setReport(QStringLiteral("%1 (%2). %3").arg(problem.what, problem.where, problem.next), {});
        });
}

}  // namespace heddle::ui
