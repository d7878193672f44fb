// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/slurm_dialog.h"

#include "ui/theme/type.h"
#include "ui/widgets/small_parts.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

namespace heddle::ui {

SlurmDialog::SlurmDialog(const Proposal& proposal, QSettings& settings, QWidget* parent)
    : QDialog(parent), proposal_(proposal), settings_(settings), form_(new QFormLayout) {
    setObjectName(QStringLiteral("slurmDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    const bool isStudy = !proposal.study.isEmpty();
    setWindowTitle(isStudy ? tr("Submit the study %1 to Slurm").arg(proposal.study) : tr("Submit to Slurm"));
    if (!isStudy) name_ = addField("slurmName", tr("Name of the sweep"), {});
    partition_ = addField("slurmPartition", tr("Partition"), tr("that of the cluster"));
    gres_ = addField("slurmGres", tr("Each job needs (gres)"), tr("gpu:1"));
    time_ = addField("slurmTime", tr("Longest time of a job"), tr("8:00:00; a run may take several jobs"));
    limit_ = addField("slurmLimit", tr("Jobs at once"), tr("no limit"));
    scratch_ = addField("slurmScratch", tr("Folder of the node to train in"), tr("none: where the jobs are recorded"));
    more_ = addField("slurmMore", tr("More options of sbatch"), tr("--account=lab --qos=short"));
    if (name_) name_->setText(proposal.name);
    const QString place = tr("Jobs are recorded and train in %1, which all nodes must reach, and so must Heddle and the data.");
    auto* folder = makeCaption(
        place.arg(proposal.folder) + QLatin1Char(' ') +
            (isStudy ? tr("Runs that the study needs later are submitted with the same options while a window or heddle study "
                          "--launcher slurm watches.")
                     : tr("heddle sweep goes on with them, too.")),
        this);
    folder->setObjectName(QStringLiteral("slurmFolder"));
    folder->setWordWrap(true);
    problem_ = new QLabel(this);
    problem_->setObjectName(QStringLiteral("slurmProblem"));
    problem_->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    submit_ = buttons->addButton(tr("Submit %Ln run(s)", nullptr, proposal.runs), QDialogButtonBox::AcceptRole);
    submit_->setObjectName(QStringLiteral("slurmSubmit"));
    auto* column = new QVBoxLayout(this);
    column->addLayout(form_);
    column->addWidget(folder);
    column->addWidget(problem_);
    column->addWidget(buttons);
    setMinimumWidth(px(480));
    if (name_) connect(name_, &QLineEdit::textChanged, this, &SlurmDialog::check);
    connect(limit_, &QLineEdit::textChanged, this, &SlurmDialog::check);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::accepted, this, &SlurmDialog::remember);
    check();
}

/// The object name is the key in the settings, too.
QLineEdit* SlurmDialog::addField(const char* name, const QString& title, const QString& hint) {
    auto* field = new QLineEdit(this);
    field->setObjectName(QLatin1String(name));
    field->setPlaceholderText(hint);
    field->setText(settings_.value(QStringLiteral("slurm/") + field->objectName()).toString());
    form_->addRow(title, field);
    return field;
}

QString SlurmDialog::name() const { return name_ ? name_->text().trimmed() : QString(); }

app::SlurmOptions SlurmDialog::options() const {
    const auto words = [](const QLineEdit* field) { return field->text().trimmed().toStdString(); };
    app::SlurmOptions options;
    options.partition = words(partition_);
    options.gres = words(gres_);
    options.time = words(time_);
    options.scratch = words(scratch_);
    if (const qlonglong limit = limit_->text().trimmed().toLongLong(); limit > 0) options.arrayLimit = limit;
    for (const QString& option : QProcess::splitCommand(more_->text())) options.more.push_back(option.toStdString());
    return options;
}

void SlurmDialog::check() {
    QString problem;
    if (name_ && !app::isSweepName(name().toStdString()))
        problem = tr("The name is that of a file: without \"/\", and it does not begin with a point.");
    else if (name_ && proposal_.taken.contains(name()))
        problem = tr("A sweep of this name was submitted already.");
    else if (!limit_->text().trimmed().isEmpty() && limit_->text().trimmed().toLongLong() < 1)
        problem = tr("Jobs at once is a whole number from 1.");
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
    submit_->setEnabled(problem.isEmpty());
}

void SlurmDialog::remember() const {
    for (const QLineEdit* field : {partition_, gres_, time_, limit_, scratch_, more_})
        settings_.setValue(QStringLiteral("slurm/") + field->objectName(), field->text().trimmed());
}

}  // namespace heddle::ui
