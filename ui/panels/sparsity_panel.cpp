// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/sparsity_panel.h"

#include "ui/text/number.h"
#include "ui/theme/type.h"
#include "ui/widgets/segments.h"
#include "ui/widgets/small_parts.h"

#include <QBoxLayout>
#include <QPushButton>

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
      databases_(databases),
      bars_(new BarPlot(this)),
      thresholds_(new Segments(thresholdWords(), this)),
      rule_(new ElidedLabel(this)) {
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
        button.setObjectName(QStringLiteral("threshold%1").arg(i));
        button.setAccessibleName(tr("Threshold %1").arg(button.text()));
    }
    thresholds_->setCurrent(kUsual);
    foot()->addWidget(thresholds_);
    setCaption(*rule_);
    rule_->setAlignment(Qt::AlignRight);
    foot()->addWidget(rule_, 1);
    connect(thresholds_, &Segments::chosen, this, [this] {
        ownQuery_.cancel();  // its shares would be shown with the new threshold
        otherQuery_.cancel();
        read();
    });
    choices_.add(QStringLiteral("watch/threshold"), *thresholds_);
    SparsityPanel::clearRun();
}

void SparsityPanel::showSubject(const Subject& before) {
    if (before.other != subject().other) otherQuery_.cancel();
    read();
}

void SparsityPanel::clearRun() {
    own_ = other_ = {};
    ownQuery_.cancel();
    otherQuery_.cancel();
    rule_->clear();
    setEmpty(tr("No weight statistics yet"));
}

void SparsityPanel::fail(const Problem& problem) {
    clearRun();
    setPlaceholder(problem.what, problem.next);
}

/// Identifies what the bars show; the number of recorded points grows with every new one.
std::string SparsityPanel::key() const {
    std::string key = subject().run.key().toStdString() + '@' + std::to_string(subject().step) + '/' +
                      std::to_string(thresholds_->current()) + '/' + subject().other.key().toStdString();
    for (const auto& detail : {subject().detail, subject().otherDetail})
        for (const auto& series : detail ? detail->series : std::vector<storage::RunQuery::SeriesKey>{})
            if (series.name.starts_with("near_zero") && series.path.size() < 12) key += '+' + std::to_string(series.points);
    return key + (subject().otherDetail ? "o" : "");
}

SparsityPanel::Shares SparsityPanel::grouped(std::optional<Sparsity> read, const RunDetail& detail) {
    if (!read) return {};
    GroupedShares groups = groupedShares(read->shares, parametersOf(detail));
    return {std::move(read), std::move(groups)};
}

std::string SparsityPanel::threshold() const { return kThresholds[std::size_t(thresholds_->current())]; }

void SparsityPanel::read() {
    if (!subject().detail) return;
    ownQuery_.askOnce(key(), databases_.reader(subject().run.database),
                      [detail = subject().detail, step = subject().step, threshold = threshold()](storage::RunQuery& query) {
                          return grouped(readSparsity(query, *detail, threshold, step), *detail);
                      });
}

void SparsityPanel::takeOwn(Result<Shares> shares) {
    if (!shares) return fail(shares.problem());
    otherQuery_.cancel();
    own_ = std::move(*shares);
    other_ = {};
    const auto detail = subject().otherDetail;
    if (!own_.read || !detail) return show();
    otherQuery_.ask(databases_.reader(subject().other.database),
                    [detail, step = own_.read->step, threshold = threshold()](storage::RunQuery& query) {
                        return grouped(readSparsityBeside(query, *detail, threshold, step), *detail);
                    });
}

void SparsityPanel::takeOther(Result<Shares> shares) {
    if (!shares) return fail(shares.problem());
    other_ = std::move(*shares);
    show();
}

void SparsityPanel::show() {
    if (!own_.read) {
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
                      .arg(QString::fromLatin1(kThresholdWords[std::size_t(thresholds_->current())]), count(own_.read->step));
    chart.runName = subject().label;
    chart.decimals = 1;
    for (const GroupedShares::Group& group : own_.groups.groups) {
        Bar bar{QString::fromStdString(group.name), 100 * group.share, std::nullopt};
        for (const GroupedShares::Group& other : other_.groups.groups)
            if (other.name == group.name) bar.reference = 100 * other.share;
        chart.bars.append(bar);
    }
    const bool sameStep = other_.read && other_.read->step == own_.read->step;
    if (subject().otherDetail)
        chart.referenceName = !other_.read ? tr("%1: –").arg(subject().otherLabel)
                              : sameStep   ? subject().otherLabel
                                           : tr("%1 at step %2").arg(subject().otherLabel, count(other_.read->step));
    bars_->setData(std::move(chart));
    bars_->setMinimumHeight(bars_->leastHeight());
    rule_->setText(own_.groups.weighted ? QString() : tr("mean of modules"));
    bars_->setToolTip(
        tr("Share of the weights near zero at the last evaluation before the snapshot; – for a compared run without weight "
           "statistics there"));
}

}  // namespace heddle::ui
