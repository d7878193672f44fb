// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/run_export_dialog.h"

#include "storage/run_query.h"
#include "ui/text/problem.h"
#include "ui/text/utf8.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr int kTextFiles = -1;  ///< the item of no format

/// What a format writes, for the user (resources/help/export.md).
struct FormatWords {
    QString title, about;
};

FormatWords formatWords(std::optional<app::ExportFormat> format) {
    using app::ExportFormat;
    if (!format)
        return {RunExportDialog::tr("Text files"),
                RunExportDialog::tr("A folder for each run: run.json, evaluations.tsv and curves.tsv.")};
    switch (*format) {
    case ExportFormat::Csv:
        return {RunExportDialog::tr("CSV tables"),
                RunExportDialog::tr("A new folder: points.csv with a line for each value, runs.csv with a line for each run.")};
    case ExportFormat::JsonLines:
        return {RunExportDialog::tr("JSON lines"), RunExportDialog::tr("A new file: an object for each run and each value.")};
    case ExportFormat::TensorBoard:
        return {RunExportDialog::tr("TensorBoard events"),
                RunExportDialog::tr("A new folder with one of each run: scalars, histograms, specification and samples.")};
    case ExportFormat::Optuna: break;
    }
    return {RunExportDialog::tr("Optuna study"),
            RunExportDialog::tr("A new SQLite file: a trial for each run, with the settings in which the runs differ.")};
}

}  // namespace

RunExportDialog::RunExportDialog(const QString& database, const std::vector<std::string>& runs, QWidget* parent)
    : QDialog(parent),
      metrics_(this,
               [this](Result<QStringList> metrics) {
                   if (metrics) metric_->addItems(*metrics);
                   metric_->setPlaceholderText(metrics ? tr("The runs have no evaluations") : wordsOf(metrics.problem()));
                   metric_->setCurrentIndex(std::max(0, metric_->findText(QStringLiteral("valid:loss"))));
                   showFormat();
               }),
      format_(new QComboBox(this)),
      metric_(new QComboBox(this)),
      rule_(new QComboBox(this)),
      words_(makeCaption({}, this)) {
    setObjectName(QStringLiteral("exportDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Export runs"));
    format_->setObjectName(QStringLiteral("exportFormat"));
    format_->setAccessibleName(tr("Format"));
    metric_->setObjectName(QStringLiteral("exportMetric"));
    metric_->setAccessibleName(tr("Value of a trial"));
    rule_->setObjectName(QStringLiteral("exportValue"));
    rule_->setAccessibleName(tr("Which of its evaluations"));
    words_->setWordWrap(true);
    addFormats();
    form_ = new QFormLayout;
    form_->setVerticalSpacing(px(6));
    form_->setHorizontalSpacing(px(16));
    form_->addRow(tr("Format"), format_);
    form_->addRow(QString(), words_);
    form_->addRow(tr("Value of a trial"), metric_);
    form_->addRow(tr("Which of its evaluations"), rule_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(px(16), px(12), px(16), px(12));
    column->setSpacing(px(12));
    column->addLayout(form_);
    column->addStretch(1);
    column->addLayout(makeButtons());
    connect(format_, &QComboBox::currentIndexChanged, this, &RunExportDialog::showFormat);
    showFormat();
    resize(px(480), px(240));
    metrics_.ask(Pool{}, [file = database.toStdString(), runs] {
        QStringList metrics;
        for (const std::string& metric : app::exportableMetrics(*storage::RunQuery::open(file), runs)) metrics << text(metric);
        return metrics;
    });
}

QLayout* RunExportDialog::makeButtons() {
    auto* cancel = new QPushButton(tr("Cancel"), this);
    cancel->setObjectName(QStringLiteral("exportCancel"));
    cancel->setAutoDefault(false);
    next_ = new QPushButton(tr("Choose destination…"), this);
    next_->setObjectName(QStringLiteral("exportNext"));
    next_->setDefault(true);
    setControlRole(*next_, ControlRole::Primary);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(px(8));
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(next_);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(next_, &QPushButton::clicked, this, &RunExportDialog::chooseDestination);
    return buttons;
}

void RunExportDialog::addFormats() {
    format_->addItem(formatWords({}).title, kTextFiles);
    for (const auto& info : app::exportFormats()) format_->addItem(formatWords(info.format).title, int(info.format));
    rule_->addItem(tr("Last"), QStringLiteral("last"));
    rule_->addItem(tr("Best"), QStringLiteral("best"));
}

std::optional<app::ExportFormat> RunExportDialog::format() const {
    const int format = format_->currentData().toInt();
    return format == kTextFiles ? std::nullopt : std::optional(app::ExportFormat(format));
}

void RunExportDialog::showFormat() {
    words_->setText(formatWords(format()).about);
    const bool hasValue = format() == app::ExportFormat::Optuna;
    next_->setEnabled(!hasValue || metric_->count() > 0);
    for (QComboBox* box : {metric_, rule_}) {
        box->setVisible(hasValue);
        form_->labelForField(box)->setVisible(hasValue);
    }
}

void RunExportDialog::chooseDestination() {
    const auto wanted = format();
    auto* dialog = new QFileDialog(
        this, wanted ? tr("Export runs as %1").arg(formatWords(wanted).title) : tr("Export runs into a folder"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (!wanted) {
        dialog->setFileMode(QFileDialog::Directory);
        dialog->setOption(QFileDialog::ShowDirsOnly);
    } else {
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setOption(QFileDialog::DontConfirmOverwrite);  // nothing is overwritten: the export says so
        const std::string_view ending = app::infoOf(*wanted).ending;
        if (!ending.empty()) dialog->setDefaultSuffix(QString::fromUtf8(ending.data() + 1, qsizetype(ending.size()) - 1));
        dialog->selectFile(QStringLiteral("runs") + QString::fromUtf8(ending.data(), qsizetype(ending.size())));
    }
    connect(dialog, &QFileDialog::fileSelected, this, &RunExportDialog::choose);
    dialog->open();
}

void RunExportDialog::choose(const QString& destination) {
    Q_EMIT chosen({format(), metric_->currentText(), rule_->currentData().toString()}, destination);
    accept();
}

}  // namespace heddle::ui
