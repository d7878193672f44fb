// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compare/question_bar.h"

#include "engine/analysis/metric_summary.h"
#include "ui/panels/table/columns.h"
#include "ui/text/problem.h"
#include "ui/theme/controls.h"
#include "ui/theme/type.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/small_parts.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>

#include <algorithm>
#include <utility>

namespace heddle::ui {
namespace {

constexpr std::size_t kMostListed = 200;  ///< groups; with more, the table is where the baseline is chosen (B)

using Entries = std::vector<std::pair<QString, QString>>;  ///< key and words

/// Fills a box where other entries stand in it.
void fill(QComboBox& box, const Entries& entries, const QString& chosen) {
    const QSignalBlocker quiet(box);
    bool isSame = box.count() == int(entries.size());
    for (int i = 0; isSame && i < box.count(); ++i)
        isSame = box.itemData(i) == entries[std::size_t(i)].first && box.itemText(i) == entries[std::size_t(i)].second;
    if (!isSame) {
        box.clear();
        for (const auto& [key, words] : entries) box.addItem(words, key);
        box.view()->setMinimumWidth(box.view()->sizeHintForColumn(0) + px(24));
    }
    box.setCurrentIndex(box.findData(chosen));
}

QString keyOf(const std::string& key) { return QString::fromStdString(key); }

QString keyOf(const KnownStudy& study) {
    return QStringLiteral("%1/%2").arg(study.database).arg(QString::fromStdString(study.key));
}

}  // namespace

QuestionBar::QuestionBar(Studio& studio, StudyComparer& comparer, const Parts& parts, QWidget* parent)
    : QToolBar(tr("Comparison"), parent), studio_(studio), comparer_(comparer) {
    setObjectName(QStringLiteral("questionBar"));
    setMovable(false);
    study_ = addBox(tr("Study"), "study", tr("A study that was written before its runs were seen, or the groups of this page"));
    for (QAction* action : {&parts.openStudy, &parts.trainStudy, &parts.onSlurm}) addButton(*this, action);
    metric_ = addBox(tr("Metric"), "metric", tr("Whose values are compared"));
    rule_ = addBox(tr("Value"), "rule", ruleHelp());
    rule_->setEditable(true);
    rule_->setInsertPolicy(QComboBox::NoInsert);
    rule_->lineEdit()->setAccessibleName(tr("Value"));
    for (const char* rule : {"last", "best", "mean of last 3"}) rule_->addItem(QLatin1String(rule));
    baseline_ = addBox(tr("Baseline"), "baseline", tr("The group that the others are compared with"));
    correction_ = addBox(tr("Correction"), "correction", tr("Of p values and intervals, for all groups that are compared"));
    correction_->setSizeAdjustPolicy(QComboBox::AdjustToContents);  // a few short entries, of which the first is long
    views_ = new Segments(parts.views, this);
    views_->setObjectName(QStringLiteral("views"));
    views_->setAccessibleName(tr("View"));
    addWidget(views_);
    connect(study_, &QComboBox::activated, this, [this](int index) {
        const QString key = study_->itemData(index).toString();
        const auto& all = comparer_.studies();
        const auto found = std::find_if(all.begin(), all.end(), [&](const KnownStudy& one) { return keyOf(one) == key; });
        comparer_.choose(found == all.end() ? std::nullopt : std::optional(*found));
    });
    connect(metric_, &QComboBox::activated, this, [this](int index) {
        const std::string key = metric_->itemData(index).toString().toStdString(), name = key.substr(key.find('.') + 1);
        comparer_.setMetric({key.substr(0, key.find('.')), name, comparer_.metric().rule, lowerIsBetter(name)});
    });
    connect(rule_, &QComboBox::activated, this, &QuestionBar::chooseRule);
    connect(rule_->lineEdit(), &QLineEdit::returnPressed, this, &QuestionBar::chooseRule);
    connect(baseline_, &QComboBox::activated, this, [this](int index) {
        comparer_.choose({});
        studio_.colours().setBaseline(baseline_->itemData(index).toString().toStdString());
    });
    connect(correction_, &QComboBox::activated, this, [this](int index) { comparer_.setHolm(index == 0); });
    connect(&comparer, &StudyComparer::changed, this, &QuestionBar::refresh);
    connect(&comparer, &StudyComparer::studiesChanged, this, &QuestionBar::fillStudies);
    fillStudies();
    refresh();
}

QString QuestionBar::ruleHelp() { return tr("Which evaluation is a run's value: last, best, step 4000, mean of last 3"); }

QComboBox* QuestionBar::addBox(const QString& label, const char* name, const QString& tip) {
    auto* words = new QLabel(label, this);
    words->setContentsMargins(px(6), 0, px(4), 0);
    auto* box = new QComboBox(this);
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(label);
    box->setToolTip(tip);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(9);  // with more, the views would not fit at a width of 1440, and so below
    box->setIconSize({0, 0});          // no entry has an icon
    words->setBuddy(box);
    addWidget(words);
    addWidget(box);
    return box;
}

void QuestionBar::setNames(const std::unordered_map<std::string, QString>& names) {
    const std::size_t before = names_.size();
    bool isOther = false;
    for (const auto& [key, name] : names) isOther |= std::exchange(names_[key], name) != name;
    if (isOther || names_.size() != before) refresh();
}

void QuestionBar::fillStudies() {
    Entries entries{{QString(), tr("Groups of this page")}};
    for (const KnownStudy& study : comparer_.studies()) entries.emplace_back(keyOf(study), QString::fromStdString(study.key));
    fill(*study_, entries, comparer_.study() ? keyOf(*comparer_.study()) : QString());
}

void QuestionBar::refresh() {
    const StudyComparison& comparison = *comparer_.comparison();
    const StudyQuestion& question = comparison.question;
    Entries metrics, groups;
    for (const std::string& metric : comparer_.table()->metrics) metrics.emplace_back(keyOf(metric), metricTitle(metric));
    fill(*metric_, metrics, keyOf(comparison.metricKey()));
    for (const auto& [key, name] : names_)
        if (comparison.group(key) && (names_.size() <= kMostListed || key == comparison.baseline))
            groups.emplace_back(keyOf(key), name);
    std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    fill(*baseline_, groups, keyOf(comparison.baseline));
    const int comparisons = int(comparison.comparisons());
    fill(*correction_,
         {{QStringLiteral("holm"), tr("Holm, %Ln comparison(s)", nullptr, comparisons)}, {QStringLiteral("none"), tr("None")}},
         question.holm ? QStringLiteral("holm") : QStringLiteral("none"));
    if (!rule_->lineEdit()->hasFocus()) rule_->setEditText(QString::fromStdString(question.metric.rule.text()));
    // A study that was asked beforehand is answered as it was asked.
    for (QComboBox* box : {metric_, rule_, correction_}) box->setEnabled(!comparison.isAsked);
}

void QuestionBar::chooseRule() {
    try {
        StudyMetric metric = comparer_.metric();
        metric.rule = ValueRule::parse(rule_->currentText().trimmed().toStdString(), "");
        setFieldProblem(*rule_, {}, ruleHelp());
        comparer_.setMetric(metric);
    } catch (const std::exception& error) {
        const Problem problem = problemOf(error);
        setFieldProblem(*rule_, problem.what + QLatin1Char('\n') + problem.next);
    }
}

}  // namespace heddle::ui
