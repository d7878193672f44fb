// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/watch/x_axis.h"

#include <QCoreApplication>

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr int kKnots = 256;

/// Translates words outside of a QObject, in a context that lupdate finds.
struct AxisWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::XAxis)
};

/// Sums over steps, computed from means of intervals, since not every step has a row.
std::vector<StepAxis::Knot> cumulated(const Pace& pace, double (*amount)(const Bucket& seconds, const Bucket& rate)) {
    std::vector<StepAxis::Knot> knots{{0, 0}};
    const Step last = pace.stepSeconds->range().last;
    const Step stride = std::max<Step>(1, last / kKnots);
    std::vector<Step> edges;
    for (Step step = 1; step <= last; step += stride) edges.push_back(step);
    edges.push_back(last + 1);
    std::vector<Bucket> seconds(edges.size() - 1), rates(edges.size() - 1);
    pace.stepSeconds->buckets(edges, seconds);
    pace.tokensPerSecond->buckets(edges, rates);
    double sum = 0;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        if (seconds[i].empty()) continue;
        const double added = amount(seconds[i], rates[i]) * double(edges[i + 1] - edges[i]);
        if (!(added > 0)) continue;
        sum += added;
        knots.push_back({double(edges[i + 1] - 1), sum});
    }
    return knots;
}

std::optional<StepAxis> scaled(const QString& title, std::vector<StepAxis::Knot> knots, double unit) {
    if (knots.size() < 2) return std::nullopt;
    for (auto& knot : knots) knot.x /= unit;
    return StepAxis(title, std::move(knots));
}

}  // namespace

std::optional<StepAxis> axisFor(XAxis kind, const Pace& pace) {
    if (kind == XAxis::Steps) return StepAxis();
    if (kind == XAxis::Epoch) {
        if (pace.stepsPerEpoch <= 0) return std::nullopt;
        return StepAxis(AxisWords::tr("epoch"), {{0, 0}, {double(pace.stepsPerEpoch), 1}});
    }
    if (!pace.stepSeconds || pace.stepSeconds->size() < 2 || !pace.tokensPerSecond) return std::nullopt;
    if (kind == XAxis::Tokens)
        return scaled(AxisWords::tr("million target tokens of %1").arg(pace.run),
                      cumulated(pace, [](const Bucket& seconds,
                                         const Bucket& rate) { return rate.empty() ? 0 : seconds.mean() * rate.mean(); }),
                      1e6);
    auto knots = cumulated(pace, [](const Bucket& seconds, const Bucket&) { return seconds.mean(); });
    const bool hours = knots.back().x > 3 * 3600, minutes = knots.back().x > 180;
    const QString unit = hours     ? AxisWords::tr("hours of training, %1")
                         : minutes ? AxisWords::tr("minutes of training, %1")
                                   : AxisWords::tr("seconds of training, %1");
    return scaled(unit.arg(pace.run), std::move(knots), hours ? 3600 : minutes ? 60 : 1);
}

}  // namespace heddle::ui
