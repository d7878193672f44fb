// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/sparsity_panel.h"

#include "ui/text/number.h"
#include "ui/theme/type.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QPushButton>
#include <QSettings>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr std::array<const char*, 4> kThresholdWords{"0", "1e-4", "1e-3", "1e-2"};
constexpr int kUsual = 2;

QStringList thresholdWords() {
    QStringList words;
    for (const char* one : kThresholdWords) words << QString::fromLatin1(one);
    return words;
}

/// The run has weight statistics, of any step.
bool hasSeries(const RunDetail& detail) {
    return std::any_of(detail.series.begin(), detail.series.end(),
                       [](const auto& series) { return series.name.starts_with("near_zero"); });
}

}  // namespace

SparsityPanel::SparsityPanel(Databases& databases, QWidget* parent)
    : Panel(tr("Sparsity"), parent),
      bars_(new BarPlot(this)),
      thresholds_(new Segments(thresholdWords(), this)),
      rule_(new ElidedLabel(this)),
      query_(new Query(
          databases, [this] { return nextRequest(); }, [this](const Problem& problem) { showProblem(problem); }, this)) {
    bars_->setAccessibleName(tr("Share of weights near zero by module"));
    setScrolledBody(bars_);
    auto* epsilon = new QLabel(tr("ε"), this);
    epsilon->setFont(typeFont(Type::Caption));
    foot()->addWidget(epsilon);
    for (int i = 0; i < int(kThresholdWords.size()); ++i) {
        QPushButton& button = thresholds_->button(i);
        button.setFixedHeight(px(20));
        button.setFont(typeFont(Type::Caption));
        button.setFixedWidth(textWidth(button.text(), button.font()) + px(12));
        button.setAccessibleName(tr("Threshold %1").arg(button.text()));
    }
    thresholds_->setCurrent(kUsual);
    foot()->addWidget(thresholds_);
    setCaption(*rule_);
    rule_->setAlignment(Qt::AlignRight);
    foot()->addWidget(rule_, 1);
    connect(thresholds_, &Segments::chosen, query_, &Query::request);
    SparsityPanel::forgetRun();
}

void SparsityPanel::showProblem(const Problem& problem) {
    answer_ = {};
    isOtherDue_ = false;
    rule_->clear();
    setPlaceholder(problem.what, problem.next);
}

void SparsityPanel::showSubject(const Subject& before) {
    if (before.other != subject().other) {
        asked_.clear();
        query_->drop();
    }
    query_->request();
}

void SparsityPanel::forgetRun() {
    asked_.clear();
    answer_ = {};
    isOtherDue_ = false;
    query_->drop();
    rule_->clear();
    setEmpty(tr("No weight statistics yet"));
}

/// What the bars depend on: the number of recorded points grows with every new one.
std::string SparsityPanel::key() const {
    std::string key = subject().run.key().toStdString() + '@' + std::to_string(subject().step) + '/' +
                      std::to_string(thresholds_->current()) + '/' + subject().other.key().toStdString();
    for (const auto& detail : {subject().detail, subject().otherDetail})
        for (const auto& series : detail ? detail->series : std::vector<storage::RunQuery::SeriesKey>{})
            if (series.name.starts_with("near_zero") && series.path.size() < 12) key += '+' + std::to_string(series.points);
    return key + (subject().otherDetail ? "o" : "");
}

Query::Request SparsityPanel::nextRequest() {
    if (!subject().detail) return {};
    if (key() != asked_) return ownRequest();
    return isOtherDue_ ? otherRequest() : Query::Request();
}

Query::Request SparsityPanel::ownRequest() {
    asked_ = key();
    isOtherDue_ = false;
    const std::string threshold = kThresholds[std::size_t(thresholds_->current())];
    return {subject().run.database, [this, shown = subject(), threshold](storage::RunQuery& query) -> Query::Apply {
                Answer answer;
                answer.own = readSparsity(query, *shown.detail, threshold, shown.step);
                if (answer.own) answer.ownGroups = groupedShares(answer.own->shares, parametersOf(*shown.detail));
                return [this, answer, hasOther = bool(shown.otherDetail)] {
                    answer_ = answer;
                    isOtherDue_ = answer.own && hasOther;
                    if (!isOtherDue_) show();
                    query_->request();
                };
            }};
}

Query::Request SparsityPanel::otherRequest() {
    const std::string threshold = kThresholds[std::size_t(thresholds_->current())];
    return {
        subject().other.database,
        [this, detail = subject().otherDetail, threshold, step = answer_.own->step](storage::RunQuery& query) -> Query::Apply {
            const auto other = readSparsityBeside(query, *detail, threshold, step);
            const GroupedShares groups = other ? groupedShares(other->shares, parametersOf(*detail)) : GroupedShares();
            return [this, other, groups] {
                isOtherDue_ = false;
                answer_.other = other;
                answer_.otherGroups = groups;
                show();
                query_->request();
            };
        }};
}

void SparsityPanel::show() {
    if (!answer_.own) {
        rule_->clear();
        const QString when = tr("The share near zero is stored at every evaluation.");
        if (hasSeries(*subject().detail))
            setPlaceholder(tr("No weight statistics up to this step"), when);
        else
            setEmptyReason(tr("No weight statistics in this run"), when);
        return;
    }
    setPlaceholder({}, {});
    BarData chart;
    chart.order = subject().order;
    chart.title = tr("|w| ≤ %1 at step %2, %")
                      .arg(QString::fromLatin1(kThresholdWords[std::size_t(thresholds_->current())]), count(answer_.own->step));
    chart.runName = subject().label;
    chart.decimals = 1;
    for (const GroupedShares::Group& group : answer_.ownGroups.groups) {
        Bar bar{QString::fromStdString(group.name), 100 * group.share, std::nullopt};
        for (const GroupedShares::Group& other : answer_.otherGroups.groups)
            if (other.name == group.name) bar.reference = 100 * other.share;
        chart.bars.append(bar);
    }
    const bool sameStep = answer_.other && answer_.other->step == answer_.own->step;
    if (subject().otherDetail)
        chart.referenceName = !answer_.other ? tr("%1: –").arg(subject().otherLabel)
                              : sameStep     ? subject().otherLabel
                                             : tr("%1 at step %2").arg(subject().otherLabel, count(answer_.other->step));
    bars_->setData(std::move(chart));
    bars_->setMinimumHeight(bars_->leastHeight());
    rule_->setText(answer_.ownGroups.weighted ? QString() : tr("mean of modules"));
    bars_->setToolTip(
        tr("Share of the weights near zero at the last evaluation before the snapshot; – for a compared run without weight "
           "statistics there"));
}

void SparsityPanel::saveSession(QSettings& settings) const {
    settings.setValue(QStringLiteral("watch/threshold"), thresholds_->current());
}

void SparsityPanel::restoreSession(QSettings& settings) {
    thresholds_->setCurrent(settings.value(QStringLiteral("watch/threshold"), kUsual).toInt());
}

}  // namespace heddle::ui
