// SPDX-License-Identifier: Apache-2.0
// The picture of `heddle compare`: training curves from the pyramid, and validation points.
#include "app/cli/comparison.h"
#include "app/cli/documents.h"
#include "engine/analysis/mean_curve.h"
#include "engine/base/printable.h"
#include "engine/metrics/counted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <set>
#include <utility>

namespace heddle::app {
namespace {

constexpr std::int64_t kBuckets = 120;  ///< one per three pixels: the mean gives a smooth line, the band shows the noise
constexpr const char* kSteps = "step (optimizer updates)";

/// The runs that count; all where none does.
const std::vector<std::size_t>& drawnRuns(const GroupColumn& group) {
    return group.counted.empty() ? group.runs : group.counted;
}

/// The mean and range of the curves at the steps that all of them have; the curves themselves where these are fewer than two.
std::vector<PlotCurve> meanOrRuns(std::vector<PlotCurve> runs) {
    if (runs.size() < 2) return runs;
    std::vector<std::vector<std::pair<double, double>>> curves(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (const auto& point : runs[i].points) curves[i].emplace_back(point.x, point.y);
    PlotCurve mean{0, {}, runs.front().marks};
    for (const MeanPoint& point : meanCurve(curves)) mean.points.push_back({point.x, point.mean, point.low, point.high});
    if (mean.points.size() < 2) return runs;
    return {std::move(mean)};
}

std::string legendOf(const Comparison& comparison, const GroupColumn& group) {
    const auto& drawn = drawnRuns(group);
    if (drawn.size() > 1) return fmt::format("{}, mean of {} seeds", printable(group.name), drawn.size());
    const auto& run = comparison.runs[drawn.front()];
    return fmt::format("{}, seed {}", run.name.empty() ? printable(group.name) : titleOf(run), run.seed);
}

/// Draws the panels of a comparison for which there are data.
class Painter {
public:
    Painter(const Comparison& comparison, storage::RunQuery& query) : comparison_(comparison), query_(query) {}

    void addTraining(const std::string& title, const std::string& quantity, const std::string& series) {
        add(title, label(quantity, "train", series == "loss" ? "objective" : series),
            [&](std::size_t run) { return trainingCurve(run, series); });
    }
    void addValidation(const std::string& title, const std::string& quantity, const std::string& metric) {
        add(title, label(quantity, "valid", metric), [&](std::size_t run) { return validationCurve(run, metric); });
    }
    PlotPage page;

private:
    template <class Draw>
    void add(const std::string& title, const std::string& unit, const Draw& draw) {
        PlotPanel panel{title, kSteps, unit, {}};
        for (std::size_t group = 0; group < comparison_.groups.size(); ++group) {
            std::vector<PlotCurve> runs;
            for (const std::size_t run : drawnRuns(comparison_.groups[group]))
                if (PlotCurve curve = draw(run); !curve.points.empty()) runs.push_back(std::move(curve));
            for (PlotCurve& curve : meanOrRuns(std::move(runs))) {
                curve.style = group;
                panel.curves.push_back(std::move(curve));
            }
        }
        if (!panel.curves.empty()) page.panels.push_back(std::move(panel));
    }

    /// "loss (nats per token)": the quantity, and its unit as the signatures of the runs' values say it.
    std::string label(const std::string& quantity, const std::string& split, const std::string& metric) {
        std::set<std::string> units;
        for (const auto& run : comparison_.runs)
            for (const auto& e : query_.evaluations(run.id)) {
                if (e.split != split || e.metric != metric) continue;
                const Counted counted = countedBy(metric, e.signature);
                std::string unit = unitWords(counted);
                if (counted.smoothing > 0) unit += fmt::format(", label smoothing {}", counted.smoothing);
                if (!unit.empty()) units.insert(unit);
            }
        if (units.empty()) return quantity;
        const std::string unit = fmt::format("{}", fmt::join(units, "; "));
        return metric == "accuracy" ? unit : fmt::format("{} ({})", quantity, unit);
    }

    PlotCurve trainingCurve(std::size_t run, const std::string& series) {
        PlotCurve curve{0, {}, PlotCurve::Marks::None};
        constexpr auto kEnd = std::numeric_limits<std::int64_t>::max();
        for (const auto& b : query_.overview(comparison_.runs[run].id, series, "", 0, kEnd, kBuckets))
            curve.points.push_back({static_cast<double>(b.firstStep + b.lastStep) / 2, b.mean, b.minimum, b.maximum});
        return curve;
    }

    PlotCurve validationCurve(std::size_t run, const std::string& metric) {
        PlotCurve curve{0, {}, PlotCurve::Marks::Points};
        for (const auto& e : query_.evaluations(comparison_.runs[run].id))
            if (e.split == "valid" && e.metric == metric)
                curve.points.push_back({static_cast<double>(e.step), e.value, e.value, e.value});
        return curve;
    }

    const Comparison& comparison_;
    storage::RunQuery& query_;
};

}  // namespace

PlotPage comparisonPlot(const Comparison& comparison, storage::RunQuery& query) {
    Painter painter(comparison, query);
    PlotPage& page = painter.page;
    page.title = "Training and validation";
    page.note =
        "Of several seeds: their mean, the band from the least to the greatest. Of one run: the mean of neighbouring steps and "
        "their range. Nothing is tested.";
    for (const GroupColumn& group : comparison.groups) page.legend.push_back(legendOf(comparison, group));
    painter.addTraining("Training objective", "mean loss", "loss");
    painter.addValidation("Validation loss", "loss", "loss");
    painter.addTraining("Training accuracy", "share right", "accuracy");
    painter.addValidation("Validation accuracy", "share right", "accuracy");
    painter.addValidation("Validation BLEU", "BLEU (0 to 100)", "bleu");
    return page;
}

}  // namespace heddle::app
