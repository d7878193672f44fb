// SPDX-License-Identifier: Apache-2.0
#include "app/study/report_figures.h"

#include "app/study/svg_parts.h"
#include "app/study/svg_plot.h"
#include "app/study/verdict_words.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle::app {
namespace {

constexpr double kWidth = 720, kNames = 190, kRight = 24, kTop = 14, kRow = 36, kBelow = 52;
constexpr std::size_t kNameCharacters = 26, kMarkedPoints = 30;
constexpr const char* kSmall = "font-size=\"11\" text-anchor=\"middle\"";

/// Rows of a study, one below the other, over a horizontal axis.
class RowFrame {
public:
    RowFrame(std::vector<std::string> names, const PlotRange& x, std::string label)
        : names_(std::move(names)), label_(std::move(label)) {
        ticks_ = x.empty() ? plotTicks(0, 1, 6) : plotTicks(x.low, x.high, 6);
    }
    double x(double value) const {
        return kNames + (value - ticks_.front()) / (ticks_.back() - ticks_.front()) * (kWidth - kNames - kRight);
    }
    double y(std::size_t row) const { return kTop + kRow * (static_cast<double>(row) + 0.5); }
    double bottom() const { return kTop + kRow * static_cast<double>(names_.size()); }

    /// A band behind one row.
    std::string rowBand(std::size_t row, double low, double high, const char* colour) const {
        return fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
            "fill-opacity=\"0.35\"/>\n",
            x(low), y(row) - kRow / 2 + 2, x(high) - x(low), kRow - 4, colour);
    }
    /// A band over all rows.
    std::string band(double low, double high, const char* colour) const {
        const double left = std::max(x(low), kNames), right = std::min(x(high), kWidth - kRight);
        return right <= left ? ""
                             : fmt::format(
                                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
                                   "fill-opacity=\"0.12\"/>\n",
                                   left, kTop, right - left, bottom() - kTop, colour);
    }
    /// The document with what is drawn between the rows.
    std::string page(const std::string& title, const std::string& description, const std::string& drawn) const {
        std::string svg = svgBegin({kWidth, bottom() + kBelow}, title, description);
        for (const double t : ticks_) {
            svg += svgLine({x(t), kTop}, {x(t), bottom()}, kGrid);
            svg += svgLabel({x(t), bottom() + 17}, kSmall, fmt::format("{:.6g}", t));
        }
        svg += svgLine({kNames, bottom()}, {kWidth - kRight, bottom()}, kInk);
        for (std::size_t row = 0; row < names_.size(); ++row)
            svg += svgLabel({kNames - 12, y(row) + 4}, "font-size=\"13\" text-anchor=\"end\"",
                            printableExcerpt(names_[row], kNameCharacters));
        svg += svgLabel({(kNames + kWidth - kRight) / 2, bottom() + 40}, "font-size=\"12\" text-anchor=\"middle\"", label_);
        return svg + drawn + kSvgEnd;
    }

private:
    std::vector<std::string> names_;
    std::string label_;
    std::vector<double> ticks_;
};

bool isDrawn(const RowVerdict& row) { return row.isLookedAt && row.difference.n > 0 && row.difference.nBaseline > 0; }

std::string intervalBar(const RowFrame& frame, std::size_t row, const Interval& interval) {
    const double y = frame.y(row), low = frame.x(interval.low), high = frame.x(interval.high);
    const std::string wide = "stroke-width=\"2\"";
    return svgLine({low, y}, {high, y}, kInk, wide) + svgLine({low, y - 5}, {low, y + 5}, kInk, wide) +
           svgLine({high, y - 5}, {high, y + 5}, kInk, wide);
}

std::optional<ReportFigure> differencesFigure(const StudyReport& report) {
    const Study& study = report.study;
    std::vector<std::string> names;
    PlotRange range;
    range.include(0);
    for (const RowVerdict& row : report.verdict.rows) {
        names.push_back(row.name);
        if (!isDrawn(row)) continue;
        range.include(row.difference.difference);
        for (const double side : {-1.0, 1.0})
            if (report.floor) range.include(side * report.floor->reach(row.difference.n));
        if (!row.difference.interval) continue;
        range.include(row.difference.interval->low);
        range.include(row.difference.interval->high);
    }
    if (!(range.low < range.high)) return {};
    for (const double side : {-1.0, 1.0})
        if (study.margin) range.include(side * *study.margin);
    const RowFrame frame(
        names, range,
        fmt::format("{} {} less that of {} ({} is better)", study.metric.split, study.metric.name,
                    printableExcerpt(study.baseline, kNameCharacters), study.metric.lowerIsBetter ? "lower" : "higher"));
    std::string drawn = study.margin ? frame.band(-*study.margin, *study.margin, colourOf(0)) : "";
    drawn += svgLine({frame.x(0), kTop}, {frame.x(0), frame.bottom()}, kInk, "stroke-dasharray=\"4 3\"");
    std::string described;
    for (std::size_t row = 0; row < report.verdict.rows.size(); ++row) {
        const RowVerdict& one = report.verdict.rows[row];
        described += one.name + ": " + rowSentence(study, report.verdict, one) + ". ";
        if (!isDrawn(one)) {
            drawn += svgLabel({frame.x(0) + 8, frame.y(row) + 4}, "font-size=\"11\"", "not looked at yet");
            continue;
        }
        if (report.floor) {
            const double reach = report.floor->reach(one.difference.n);
            drawn += frame.rowBand(row, -reach, reach, kFaint);
        }
        if (one.difference.interval) drawn += intervalBar(frame, row, *one.difference.interval);
        drawn += svgMarker(0, {frame.x(one.difference.difference), frame.y(row)});
    }
    const std::string title = "Differences from " + study.baseline;
    std::string caption =
        fmt::format("Dots: differences of means. Bars: {:g} % intervals{}. Dashed: no difference.", confidenceOf(study),
                    study.holm && report.verdict.comparisons > 1 ? " that hold together" : "");
    const auto drawnRow = std::find_if(report.verdict.rows.begin(), report.verdict.rows.end(), isDrawn);
    if (report.floor && drawnRow != report.verdict.rows.end())
        caption += " Grey: the noise floor, " + report.floor->text(drawnRow->difference.n) + ".";
    if (study.margin) caption += fmt::format(" Blue band: ± {}, which the study calls equivalent.", numberText(*study.margin));
    return ReportFigure{"differences.svg", title, caption, frame.page(title, described, drawn)};
}

std::string seedLines(const StudyReport& report, const RowFrame& frame, const std::vector<SeedValues>& values) {
    std::string drawn;
    if (report.study.test == SeedTest::Paired)
        for (std::size_t row = 1; row < values.size(); ++row)
            for (const auto& [seed, value] : values[row])
                if (const auto above = values[row - 1].find(seed); above != values[row - 1].end())
                    drawn += svgLine({frame.x(above->second), frame.y(row - 1)}, {frame.x(value), frame.y(row)}, kFaint,
                                     "stroke-width=\"1\"");
    return drawn;
}

std::optional<ReportFigure> seedsFigure(const StudyReport& report) {
    const Study& study = report.study;
    std::vector<std::string> names;
    std::vector<SeedValues> values;
    PlotRange range;
    std::string described;
    for (const PlanRow& row : study.rows) {
        names.push_back(row.name);
        values.push_back(report.valuesOf(row.name));
        for (const auto& [seed, value] : values.back()) range.include(value);
        described += row.name + ": " + spreadText(values.back()) + ". ";
    }
    if (range.empty()) return {};
    const RowFrame frame(names, range,
                         fmt::format("{} {} ({})", study.metric.split, study.metric.name, study.metric.rule.text()));
    std::string drawn = seedLines(report, frame, values);
    for (std::size_t row = 0; row < values.size(); ++row) {
        double mean = 0;
        for (const auto& [seed, value] : values[row]) {
            drawn += svgMarker(0, {frame.x(value), frame.y(row)});
            mean += value / static_cast<double>(values[row].size());
        }
        if (!values[row].empty())
            drawn += svgLine({frame.x(mean), frame.y(row) - 10}, {frame.x(mean), frame.y(row) + 10}, colourOf(1),
                             "stroke-width=\"3\"");
    }
    const std::string title = "Values by seed";
    const std::string pairs = study.test == SeedTest::Paired ? " Lines join runs of equal seeds." : "";
    return ReportFigure{"seeds.svg", title, "A dot for each run, a stroke for the mean." + pairs,
                        frame.page(title, described, drawn)};
}

PlotPanel panelOf(const std::string& title, const std::string& unit, const std::vector<ReportedCurve>& curves,
                  const Study& study) {
    PlotPanel panel{title, "step (optimizer updates)", unit, {}};
    for (const ReportedCurve& curve : curves) {
        PlotCurve drawn;
        drawn.style = static_cast<std::size_t>(
            std::find_if(study.rows.begin(), study.rows.end(), [&](const PlanRow& row) { return row.name == curve.row; }) -
            study.rows.begin());
        for (const MeanPoint& point : curve.points) drawn.points.push_back({point.x, point.mean, point.low, point.high});
        if (curve.points.size() <= kMarkedPoints) drawn.marks = PlotCurve::Marks::Points;
        panel.curves.push_back(std::move(drawn));
    }
    return panel;
}

std::optional<ReportFigure> curvesFigure(const StudyReport& report) {
    const Study& study = report.study;
    PlotPage page;
    const auto isCurve = [](const ReportedCurve& curve) { return curve.points.size() > 1; };
    if (std::any_of(report.curves.begin(), report.curves.end(), isCurve))
        page.panels.push_back(panelOf(study.metric.split + " " + study.metric.name, study.metric.name, report.curves, study));
    if (std::any_of(report.training.begin(), report.training.end(), isCurve))
        page.panels.push_back(panelOf("training objective", "mean loss", report.training, study));
    if (page.panels.empty()) return {};
    for (const PlanRow& row : study.rows) {
        const auto curve = std::find_if(report.training.begin(), report.training.end(),
                                        [&](const ReportedCurve& one) { return one.row == row.name; });
        const std::size_t runs = curve == report.training.end() ? report.valuesOf(row.name).size() : curve->runs;
        page.legend.push_back(fmt::format("{}, mean of {} run{}", printable(row.name), runs, runs == 1 ? "" : "s"));
    }
    page.description = "Mean curves of each row over its seeds.";
    return ReportFigure{"curves.svg", "Mean curves",
                        "Means over seeds; the bands go from the least to the greatest run and are no confidence intervals.",
                        svgPlot(page)};
}

/// The baseline is the line of no difference.
std::optional<ReportFigure> alongFigure(const StudyReport& report) {
    if (!report.along) return {};
    const Study& study = report.study;
    PlotPage page;
    page.panels.push_back({"difference from " + printable(study.baseline),
                           "step (optimizer updates)",
                           study.metric.split + " " + study.metric.name,
                           {}});
    PlotPanel& panel = page.panels.front();
    PlotRange steps;
    for (const PlanRow& row : study.rows) {
        PlotCurve drawn;
        drawn.style = page.legend.size();
        page.legend.push_back(printable(row.name) + (row.name == study.baseline ? ", the baseline" : ""));
        const auto own = std::find_if(report.along->rows.begin(), report.along->rows.end(),
                                      [&](const RowAlong& one) { return one.row == row.name && one.difference; });
        if (own == report.along->rows.end() || own->difference->points.size() < 2) continue;
        for (const CurvePoint& point : own->difference->points) {
            const Interval band = point.band.value_or(Interval{point.difference, point.difference});
            drawn.points.push_back({point.x, point.difference, band.low, band.high});
            steps.include(point.x);
        }
        if (drawn.points.size() <= kMarkedPoints) drawn.marks = PlotCurve::Marks::Points;
        panel.curves.push_back(std::move(drawn));
    }
    if (panel.curves.empty()) return {};
    PlotCurve none;
    for (std::size_t row = 0; row < study.rows.size(); ++row)
        if (study.rows[row].name == study.baseline) none.style = row;
    none.points = {{steps.low, 0, 0, 0}, {steps.high, 0, 0, 0}};
    panel.curves.push_back(std::move(none));
    page.description = "Differences of the mean curves of each row from those of " + study.baseline + ".";
    return ReportFigure{
        "along.svg", "Differences along the curves",
        fmt::format("Each band holds at all evaluations at once, with the level of the verdict's intervals ({:g} %); it covers "
                    "seeds alone and decides nothing. No band: fewer than {} runs.",
                    confidenceOf(study), kFewestBandRuns),
        svgPlot(page)};
}

/// Of one row: the values of its trials that are done, by what they set; those of the last rung where they have rungs.
PlotCurve trialCurve(const RowTuning& row, const std::string& path) {
    PlotCurve curve;
    curve.marks = PlotCurve::Marks::Points;
    std::int64_t steps = 0;
    for (const TrialOutcome& one : row.trials)
        if (one.value) steps = std::max(steps, one.trial.steps);
    for (const TrialOutcome& one : row.trials)
        if (const auto set = one.trial.values.find(path);
            one.value && one.trial.steps == steps && set != one.trial.values.end())
            curve.points.push_back({set->second, *one.value, *one.value, *one.value});
    std::sort(curve.points.begin(), curve.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    return curve;
}

std::optional<ReportFigure> tuningFigure(const StudyReport& report) {
    const auto& tuning = report.study.tuning;
    const std::vector<std::string> paths = tunedPaths(report.study);
    if (!report.verdict.tuning || paths.empty()) return {};
    const std::string path = paths.front();
    PlotPage page;
    page.x = PlotPage::Scale::Log;
    page.panels.push_back({"trials", path, tuning->metric.split + " " + tuning->metric.name, {}});
    for (const RowTuning& row : report.verdict.tuning->rows) {
        PlotCurve curve = trialCurve(row, path);
        curve.style = page.legend.size();
        if (std::any_of(curve.points.begin(), curve.points.end(), [](const auto& p) { return p.x <= 0; }))
            page.x = PlotPage::Scale::Linear;
        if (!curve.points.empty()) page.panels.front().curves.push_back(std::move(curve));
        page.legend.push_back(printable(row.row) + (row.chosen ? ", chosen: " + row.chosen->text() : ""));
    }
    if (page.panels.front().curves.empty()) return {};
    page.description = "The values of the trials of each row, by " + path + ".";
    return ReportFigure{"tuning.svg", "Trials",
                        fmt::format("A mark for each trial that ended, one seed each ({}); trials that diverged have none. The "
                                    "chosen value of each row is that of its runs.",
                                    tuning->seed),
                        svgPlot(page)};
}

}  // namespace

std::vector<ReportFigure> reportFigures(const StudyReport& report) {
    std::vector<ReportFigure> figures;
    for (auto* const make : {differencesFigure, seedsFigure, curvesFigure, alongFigure, tuningFigure})
        if (auto figure = make(report)) figures.push_back(std::move(*figure));
    return figures;
}

}  // namespace heddle::app
