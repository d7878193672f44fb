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

/// The weights of the run were looked at, whenever that was.
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
          databases, [this] { return nextRequest(); }, this)) {
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
    connect(query_, &Query::failed, this, &Panel::failed);
    setPlaceholder(tr("No weights looked at yet"), {});
}

void SparsityPanel::setSubject(const Subject& subject) {
    if (subject == subject_ || subject.isOnItsWay()) return;
    subject_ = subject;
    if (!subject_.detail) {
        asked_.clear();
        rule_->clear();
        setPlaceholder(tr("No weights to look at"), tr("Choose a run."));
        return;
    }
    query_->request();
}

/// What the bars depend on: the number of recorded points grows when new weights were looked at.
std::string SparsityPanel::key() const {
    std::string key = subject_.run.key().toStdString() + '@' + std::to_string(subject_.step) + '/' +
                      std::to_string(thresholds_->current()) + '/' + subject_.other.key().toStdString();
    for (const auto& detail : {subject_.detail, subject_.otherDetail})
        for (const auto& series : detail ? detail->series : std::vector<storage::RunQuery::SeriesKey>{})
            if (series.name.starts_with("near_zero") && series.path.size() < 12) key += '+' + std::to_string(series.points);
    return key + (subject_.otherDetail ? "o" : "");
}

Query::Request SparsityPanel::nextRequest() {
    if (!subject_.detail) return {};
    if (key() != asked_) return ownRequest();
    return isOtherDue_ ? otherRequest() : Query::Request();
}

Query::Request SparsityPanel::ownRequest() {
    asked_ = key();
    isOtherDue_ = false;
    const std::string threshold = kThresholds[std::size_t(thresholds_->current())];
    return {subject_.run.database, [this, subject = subject_, threshold](storage::RunQuery& query) -> Query::Apply {
                Answer answer;
                answer.own = readSparsity(query, *subject.detail, threshold, subject.step);
                if (answer.own) answer.ownGroups = grouped(*answer.own, parametersOf(*subject.detail));
                return [this, answer, hasOther = bool(subject.otherDetail)] {
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
        subject_.other.database,
        [this, detail = subject_.otherDetail, threshold, step = answer_.own->step](storage::RunQuery& query) -> Query::Apply {
            const auto other = readSparsityBeside(query, *detail, threshold, step);
            const Grouped groups = other ? grouped(*other, parametersOf(*detail)) : Grouped();
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
        if (hasSeries(*subject_.detail))
            setPlaceholder(tr("No weights looked at till this step"), when);
        else
            setAbsence(tr("No weights looked at in this run"), when);
        return;
    }
    setPlaceholder({}, {});
    BarData chart;
    chart.order = subject_.order;
    chart.title = tr("|w| ≤ %1 at step %2, %")
                      .arg(QString::fromLatin1(kThresholdWords[std::size_t(thresholds_->current())]), count(answer_.own->step));
    chart.runName = subject_.label;
    chart.decimals = 1;
    for (const Group& group : answer_.ownGroups.groups) {
        Bar bar{QString::fromStdString(group.name), 100 * group.share, std::nullopt};
        for (const Group& other : answer_.otherGroups.groups)
            if (other.name == group.name) bar.reference = 100 * other.share;
        chart.bars.append(bar);
    }
    const bool sameStep = answer_.other && answer_.other->step == answer_.own->step;
    if (subject_.otherDetail)
        chart.referenceName = !answer_.other ? tr("%1: –").arg(subject_.otherLabel)
                              : sameStep     ? subject_.otherLabel
                                             : tr("%1 at step %2").arg(subject_.otherLabel, count(answer_.other->step));
    bars_->setData(std::move(chart));
    bars_->setMinimumHeight(bars_->leastHeight());
    rule_->setText(answer_.ownGroups.weighted ? QString() : tr("mean of modules"));
    bars_->setToolTip(
        tr("Share of the weights near zero, when they were looked at last before the snapshot; – for a "
           "compared run whose weights were not looked at then"));
}

void SparsityPanel::saveSession(QSettings& settings) const {
    settings.setValue(QStringLiteral("watch/threshold"), thresholds_->current());
}

void SparsityPanel::restoreSession(QSettings& settings) {
    thresholds_->setCurrent(settings.value(QStringLiteral("watch/threshold"), kUsual).toInt());
}

}  // namespace heddle::ui
