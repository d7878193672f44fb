// SPDX-License-Identifier: Apache-2.0
#include "app/cli/inspect_report.h"

#include "app/cli/documents.h"
#include "app/cli/terminal.h"
#include "app/study/svg_plot.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

constexpr const char* kNone = "—";

Json valuesDocument(const std::vector<EvaluationDone::Value>& values) {
    Json all = Json::array();
    for (const auto& value : values)
        all.push_back(
            {{"metric", value.metric}, {"n", value.n}, {"signature", value.signature}, {"trained", finiteNumber(value.value)}});
    return all;
}

std::string outputsText(const std::vector<OutputEffect>& outputs) {
    std::string text;
    for (const OutputEffect& one : outputs) {
        text += fmt::format("\nsource      {}\nreference   {}\n", printable(one.source), printable(one.reference));
        text += one.trained == one.intervened
                    ? fmt::format("both        {}\n", printable(one.trained))
                    : fmt::format("trained     {}\nintervened  {}\n", printable(one.trained), printable(one.intervened));
    }
    return text;
}

/// What a ranking did to each part and what its intervals hold for.
std::string rankedBy(const RankReport& report) {
    static const std::map<std::string, std::string> kWords{
        {"mute", "zero ablation: each contributes nothing"},
        {"clamp", "each is held at the value that is shown"},
        {"mean", "mean ablation: each is its mean over the positions of these examples"},
        {"resample", fmt::format("resample ablation: each is that of another example of the batch (seed {})", kResampleSeed)}};
    if (report.entries.empty()) return "";
    return fmt::format("{}; the intervals hold for all {} together\n", kWords.at(report.kind()), report.all);
}

std::string correlationText(const RankReport& report) {
    if (!report.massCorrelation) return "";
    return fmt::format("Spearman's rank correlation of mass and change of the loss: {}, n = {} {}",
                       signedText(*report.massCorrelation), report.entries.size(), report.isOfHeads() ? "heads" : "gates");
}

std::string listText(const std::string& title, const std::vector<std::string>& paths) {
    std::string text = paths.empty() ? "" : title + "\n";
    for (const std::string& path : paths) text += "  " + path + "\n";
    return text;
}

}  // namespace

Json finiteNumber(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json metricDocument(const MetricEffect& effect) {
    const auto& interval = effect.interval;
    return {{"metric", effect.metric},
            {"n", effect.n},
            {"signature", effect.signature},
            {"trained", finiteNumber(effect.trained)},
            {"intervened", finiteNumber(effect.intervened)},
            {"difference", finiteNumber(effect.difference())},
            {"interval", interval ? Json{finiteNumber(interval->low), finiteNumber(interval->high)} : Json()},
            {"no_interval", interval ? Json() : Json(effect.whyNoInterval)},
            {"p", interval ? finiteNumber(interval->p) : Json()}};
}

Json rankedDocument(const MetricEffect& effect) {
    Json document = metricDocument(effect);
    const auto& all = effect.simultaneous;
    document["interval_all"] = all ? Json{finiteNumber(all->low), finiteNumber(all->high)} : Json();
    document["p_holm"] = effect.corrected ? finiteNumber(*effect.corrected) : Json();
    return document;
}

std::string signedText(double value) { return (value > 0 ? "+" : "") + numberText(value); }

std::string effectIntervalText(const std::optional<DifferenceInterval>& interval) {
    if (!interval) return kNone;
    return fmt::format("[{}, {}]", signedText(interval->low), signedText(interval->high));
}

std::string effectPText(const std::optional<double>& p) {
    if (!p) return kNone;
    return *p < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", *p);
}

void MissingIntervals::add(const std::string& name, const MetricEffect& effect) {
    if (!effect.interval) names_[effect.whyNoInterval].push_back(name);
}

std::string MissingIntervals::text() const {
    std::string text;
    for (const auto& [why, names] : names_) {
        constexpr std::size_t kShown = 3;
        std::string listed;
        for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) listed += (i == 0 ? "" : ", ") + names[i];
        if (names.size() > kShown) listed += fmt::format(" and {} more", names.size() - kShown);
        text += fmt::format("no interval for {}: {}\n", listed, why);
    }
    return text;
}

Json intervalDocument() {
    return {
        {"level", 0.95},
        {"method",
         "paired by example; ratio of sums, linearised (of BLEU: jackknife); Student's t with n - 1, corrected for skewness "
         "(Hall); of single answers: Tango's score interval"},
        {"correction",
         "for all candidates of a ranking: p_holm by Holm; interval_all at 1 - 0.05 / candidates (Bonferroni), so that at 95 % "
         "all of them hold together"}};
}

Json effectDocument(const EffectReport& report) {
    Json values = Json::array(), outputs = Json::array();
    for (const MetricEffect& effect : report.metrics) values.push_back(metricDocument(effect));
    for (const OutputEffect& one : report.outputs)
        outputs.push_back({{"index", one.index},
                           {"source", one.source},
                           {"reference", one.reference},
                           {"trained", one.trained},
                           {"intervened", one.intervened}});
    return {{"split", report.split},
            {"examples", report.examples},
            {"values", report.metrics.empty() ? valuesDocument(report.trained) : values},
            {"outputs", outputs},
            {"warnings", report.warnings},
            {"seconds", report.seconds}};
}

std::string effectText(const EffectReport& report) {
    if (report.metrics.empty()) return metricsText("trained", report.trained) + warningsText(report.warnings);
    Table table({"metric", "trained", "intervened", "difference", "95 % interval", "n", "signature"});
    table.right({1, 2, 3, 5});
    MissingIntervals missing;
    for (const MetricEffect& effect : report.metrics) {
        if (isPart(effect.metric)) continue;
        table.add({effect.metric, numberText(effect.trained), numberText(effect.intervened), signedText(effect.difference()),
                   effectIntervalText(effect.interval), countText(effect.n), effect.signature});
        missing.add(effect.metric, effect);
    }
    return table.text() + missing.text() + outputsText(report.outputs) + warningsText(report.warnings);
}

Json rankDocument(const RankReport& report) {
    Json entries = Json::array();
    for (const RankReport::Entry& entry : report.entries) {
        Json document{{"intervention", interventionDocument(entry.intervention)},
                      {"loss", rankedDocument(entry.loss)},
                      {"accuracy", entry.accuracy ? rankedDocument(*entry.accuracy) : Json()}};
        if (entry.mass) document["mass"] = finiteNumber(*entry.mass);
        entries.push_back(std::move(document));
    }
    Json rank{{"of", report.all}, {"complete", std::ssize(report.entries) == report.all}, {"entries", std::move(entries)}};
    if (report.massCorrelation)
        rank["mass_correlation"] = {{"rho", *report.massCorrelation}, {"n", std::ssize(report.entries)}};
    return {{"split", report.split},   {"examples", report.examples}, {"values", valuesDocument(report.trained)},
            {"rank", std::move(rank)}, {"warnings", report.warnings}, {"seconds", report.seconds}};
}

std::string rankText(const RankReport& report) {
    const bool hasMass = std::any_of(report.entries.begin(), report.entries.end(), [](const auto& one) { return one.mass; });
    std::vector<std::string> head{"intervention", "loss",     "difference", fmt::format("95 % interval for all {}", report.all),
                                  "p (Holm)",     "accuracy", "difference"};
    if (hasMass) head.emplace_back("mass");
    Table table(head);
    table.right(hasMass ? std::vector<std::size_t>{1, 2, 4, 5, 6, 7} : std::vector<std::size_t>{1, 2, 4, 5, 6});
    MissingIntervals missing;
    for (const RankReport::Entry& entry : report.entries) {
        const auto& [intervention, loss, accuracy, mass] = entry;
        std::vector<std::string> row{kindOf(intervention) + " " + textOf(intervention),
                                     numberText(loss.intervened),
                                     signedText(loss.difference()),
                                     effectIntervalText(loss.simultaneous),
                                     effectPText(loss.corrected),
                                     accuracy ? numberText(accuracy->intervened) : "",
                                     accuracy ? signedText(accuracy->difference()) : ""};
        if (hasMass) row.push_back(mass ? numberText(*mass) : kNone);
        table.add(std::move(row));
        missing.add(textOf(intervention), loss);
    }
    const std::string correlation = correlationText(report);
    return rankedBy(report) + table.text() + (correlation.empty() ? "" : correlation + "\n") + missing.text() +
           warningsText(report.warnings);
}

std::string massPlot(const RankReport& report) {
    PlotPage page;
    const std::string unit = report.isOfHeads() ? "mass (share of the attention's output length)" : "mass (mean of the gate)";
    PlotPanel panel{"", unit, "change of the loss at its mean (nats)", {}};
    for (const RankReport::Entry& entry : report.entries) {
        const double cost = entry.loss.difference();
        PlotCurve curve{0, {{entry.mass.value_or(std::nan("")), cost, cost, cost}}, PlotCurve::Marks::Points};
        if (const auto& all = entry.loss.simultaneous) curve.points[0].low = all->low, curve.points[0].high = all->high;
        panel.curves.push_back(std::move(curve));
    }
    page.title = report.isOfHeads() ? "What a head gives, and what it is worth" : "How open a gate is, and what it is worth";
    page.panels = {std::move(panel)};
    page.beginsAtZero = false;
    page.note = correlationText(report);
    if (!report.entries.empty() && report.entries.front().loss.simultaneous)
        page.note += fmt::format("{}the 95 % intervals hold for all {} together", page.note.empty() ? "" : "; ", report.all);
    return svgPlot(page);
}

Json textDocument(const std::string& text, const TextEffect& effect) {
    return {{"text", text},
            {"trained", effect.trained},
            {"intervened", effect.intervened},
            {"trained_probabilities", probabilitiesDocument(effect.classes, effect.trainedProbabilities)},
            {"intervened_probabilities", probabilitiesDocument(effect.classes, effect.intervenedProbabilities)}};
}

Json targetsDocument(const InterventionTargets& targets) {
    Json attentions = Json::array(), exposures = Json::array();
    for (const auto& [path, heads] : targets.attentions) attentions.push_back({{"path", path}, {"heads", heads}});
    for (const ModuleExposure& shown : targets.exposures)
        if (shown.exposure.clampable)
            exposures.push_back({{"path", shown.path()},
                                 {"title", shown.exposure.title},
                                 {"axes", shown.exposure.axes},
                                 {"low", shown.exposure.low},
                                 {"high", shown.exposure.high}});
    return {{"mute", attentions},           {"outputs", targets.outputs()},  {"clamp", exposures},
            {"cut_carry", targets.carries}, {"identity", targets.residuals}, {"neutral", targets.neutral}};
}

std::string targetsText(const InterventionTargets& targets) {
    std::vector<std::string> heads, clampable;
    for (const auto& [path, count] : targets.attentions)
        heads.push_back(count == 1 ? path + ":0" : fmt::format("{}:0 … {}:{}", path, path, count - 1));
    for (const ModuleExposure& shown : targets.exposures)
        if (shown.exposure.clampable) clampable.push_back(fmt::format("{}  ({})", shown.path(), shown.exposure.title));
    return "\n" + listText("--mute, --mean, --resample", heads) + listText("--mean, --resample", targets.outputs()) +
           listText("--clamp PATH=V, --scale PATH=F", clampable) + listText("--cut-carry", targets.carries) +
           listText("--identity", targets.residuals) + listText("--neutral", targets.neutral);
}

}  // namespace heddle::app
