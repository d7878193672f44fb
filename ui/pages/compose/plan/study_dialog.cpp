// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan/study_dialog.h"

#include "engine/base/contains.h"
#include "engine/base/json.h"
#include "engine/metrics/metric.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/task_kinds.h"
#include "ui/text/utf8.h"
#include "ui/widgets/small_parts.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

#include <array>
#include <utility>

namespace heddle::ui {
namespace {

/// The direction in which a metric is better. The values are the indices of the entries of the direction's box.
enum Direction { Lower, Higher };

/// The verdicts that may be claimed, in the order of the claim's box.
constexpr std::array kClaims{Verdict::Better, Verdict::Worse, Verdict::Equivalent};

std::string taskOf(const PlanRow& row) {
    const Json spec = documentOf(row);
    const Json::json_pointer task("/data/task");
    return spec.contains(task) ? spec.at(task).get<std::string>() : RunSpec().data.task;
}

/// Makes a combo box of these choices; `name` is its object name.
QComboBox* choiceBox(const char* name, const QStringList& choices, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->setObjectName(QLatin1String(name));
    box->addItems(choices);
    return box;
}

}  // namespace

StudyDialog::StudyDialog(PlanQuestion question, QWidget* parent)
    : QDialog(parent),
      question_(std::move(question)),
      metric_(choiceBox("studyMetric", {}, this)),
      direction_(choiceBox("studyDirection", {tr("lower is better"), tr("higher is better")}, this)),
      claimed_(choiceBox("studyClaimed", {tr("nothing")}, this)),
      claim_(choiceBox("studyClaim", {tr("better"), tr("worse"), tr("equivalent")}, this)),
      margin_(new QLineEdit(this)),
      problem_(new QLabel(this)) {
    setObjectName(QStringLiteral("studyDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Ask as study"));
    addMetrics();
    for (const PlanRow& row : question_.rows)
        if (row.name != question_.baseline) claimed_->addItem(text(row.name));
    margin_->setObjectName(QStringLiteral("studyMargin"));
    margin_->setPlaceholderText(tr("none: no variant is called equivalent"));
    problem_->setObjectName(QStringLiteral("studyProblem"));
    problem_->setWordWrap(true);
    auto* form = new QFormLayout;
    form->addRow(tr("Baseline"), new QLabel(text(question_.baseline), this));
    form->addRow(tr("Metric, last value"), metric_);
    form->addRow(tr("Direction"), direction_);
    form->addRow(tr("Margin, as stored (shares 0 to 1)"), margin_);
    form->addRow(tr("Claim about"), claimed_);
    form->addRow(tr("It is"), claim_);
    auto* limits = makeCaption(tr("Paired t test at 5 %, Holm's correction, the plan's seeds. Only the file can say otherwise, "
                                  "and name another rule of "
                                  "value (best, mean or average of the last), tuning, seeds until decided, controls and "
                                  "outputs: heddle study --help."),
                               this);
    limits->setObjectName(QStringLiteral("studyLimits"));
    limits->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    save_ = buttons->addButton(tr("Save study…"), QDialogButtonBox::AcceptRole);
    save_->setObjectName(QStringLiteral("saveStudy"));
    auto* column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(limits);
    column->addWidget(problem_);
    column->addWidget(buttons);
    connect(metric_, &QComboBox::currentIndexChanged, this, &StudyDialog::showDirection);
    connect(claimed_, &QComboBox::currentIndexChanged, this, &StudyDialog::check);
    connect(claim_, &QComboBox::currentIndexChanged, this, &StudyDialog::check);
    connect(margin_, &QLineEdit::textChanged, this, &StudyDialog::check);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    showDirection();
    check();
}

void StudyDialog::addMetrics() {
    std::vector<std::string> names{"loss"};
    for (const PlanRow& row : question_.rows)
        for (const std::string& name : taskKind(taskOf(row)).metrics)
            if (!contains(names, name)) names.push_back(name);
    for (const char* split : {"valid", "test"})
        for (const std::string& name : names) {
            metric_->addItem(text(split + (" " + name)), QStringList{QLatin1String(split), text(name)});
            if (question_.metric.split == split && question_.metric.name == name)
                metric_->setCurrentIndex(metric_->count() - 1);
        }
}

/// Selects the metric's usual direction; the user may choose the other.
void StudyDialog::showDirection() {
    const MetricInfo* info = findMetric(metric_->currentData().toStringList().value(1).toStdString());
    direction_->setCurrentIndex(info && info->higherIsBetter ? Higher : Lower);
}

std::optional<double> StudyDialog::margin() const {
    bool isNumber = false;
    const double value = QLocale().toDouble(margin_->text().trimmed(), &isNumber);
    return isNumber && value > 0 ? std::optional(value) : std::nullopt;
}

void StudyDialog::check() {
    const bool isEquivalence =
        claimed_->currentIndex() > 0 && kClaims.at(std::size_t(claim_->currentIndex())) == Verdict::Equivalent;
    claim_->setEnabled(claimed_->currentIndex() > 0);
    QString problem;
    if (!margin_->text().trimmed().isEmpty() && !margin())
        problem = tr("The margin must be a number above 0.");
    else if (isEquivalence && !margin())
        problem = tr("A claim of equivalence needs a margin.");
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
    save_->setEnabled(problem.isEmpty());
}

PlanQuestion StudyDialog::question() const {
    PlanQuestion asked = question_;
    const QStringList chosen = metric_->currentData().toStringList();
    asked.metric.split = chosen.value(0).toStdString();
    asked.metric.name = chosen.value(1).toStdString();
    asked.metric.lowerIsBetter = direction_->currentIndex() == Lower;
    asked.margin = margin();
    asked.claim.reset();
    if (claimed_->currentIndex() > 0)
        asked.claim = Claim{claimed_->currentText().toStdString(), kClaims.at(std::size_t(claim_->currentIndex()))};
    return asked;
}

}  // namespace heddle::ui
