// SPDX-License-Identifier: Apache-2.0
#include "engine/run/measurement.h"

#include "engine/base/json.h"
#include "engine/base/sha256.h"

#include <cmath>
#include <limits>

namespace heddle {
namespace {

/// Null for a number that is not finite, which JSON cannot hold.
Json written(double value) { return std::isfinite(value) ? Json(value) : Json(); }

double read(const Json& value) { return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>(); }

Json documentOf(const MetricEffect& effect) {
    Json document{{"metric", effect.metric},
                  {"signature", effect.signature},
                  {"n", effect.n},
                  {"trained", written(effect.trained)},
                  {"intervened", written(effect.intervened)},
                  {"no_interval", effect.whyNoInterval}};
    if (const auto& interval = effect.interval)
        document["interval"] = {written(interval->low), written(interval->high), written(interval->p)};
    if (const auto& all = effect.simultaneous)
        document["interval_all"] = {written(all->low), written(all->high), written(all->p)};
    if (effect.corrected) document["p_holm"] = written(*effect.corrected);
    return document;
}

MetricEffect effectOf(const Json& document) {
    MetricEffect effect{document.at("metric"), document.at("signature"), document.at("n"), read(document.at("trained")),
                        read(document.at("intervened"))};
    effect.whyNoInterval = document.at("no_interval");
    const auto intervalOf = [&](const char* key) -> std::optional<DifferenceInterval> {
        const auto found = document.find(key);
        if (found == document.end()) return std::nullopt;
        return DifferenceInterval{read(found->at(0)), read(found->at(1)), read(found->at(2))};
    };
    effect.interval = intervalOf("interval"), effect.simultaneous = intervalOf("interval_all");
    if (const auto corrected = document.find("p_holm"); corrected != document.end()) effect.corrected = read(*corrected);
    return effect;
}

Json documentOf(const Intervention& intervention) { return {kindOf(intervention), textOf(intervention)}; }

Intervention interventionOf(const Json& document) {
    return parseIntervention(document.at(0).get<std::string>(), document.at(1).get<std::string>());
}

template <class Report>
void addCommon(Json& document, const Report& report) {
    document["split"] = report.split;
    document["examples"] = report.examples;
    document["warnings"] = report.warnings;
    document["seconds"] = written(report.seconds);
}

template <class Report>
Report commonOf(const Json& document) {
    Report report;
    report.split = document.at("split");
    report.examples = document.at("examples");
    report.warnings = document.at("warnings").get<std::vector<std::string>>();
    report.seconds = read(document.at("seconds"));
    return report;
}

RankReport rankingOf(const Json& document) {
    auto report = commonOf<RankReport>(document);
    report.all = document.at("all");
    for (const Json& entry : document.at("ranking"))
        report.entries.push_back({interventionOf(entry.at("intervention")), effectOf(entry.at("loss")), {}});
    return report;
}

EffectReport effectReportOf(const Json& document) {
    auto report = commonOf<EffectReport>(document);
    for (const Json& effect : document.at("effects")) report.metrics.push_back(effectOf(effect));
    return report;
}

}  // namespace

std::string Measurement::question() const {
    std::string what;
    if (const auto* ranking = std::get_if<RankReport>(&report)) {
        what = ranking->isOfHeads() ? "rank heads" : "rank gates";
        if (const std::string kind = ranking->kind(); kind == "mean" || kind == "resample") what += " by " + kind;
    }
    for (const Intervention& one : interventions) what += (what.empty() ? "" : "; ") + kindOf(one) + ' ' + textOf(one);
    if (what.empty()) what = "trained";
    if (const auto* effect = std::get_if<EffectReport>(&report))
        for (const MetricEffect& one : effect->metrics)  // of decoded texts, where they were asked for
            if (one.metric != "loss" && one.metric != "accuracy") what += " + " + one.metric;
    return std::visit(
        [&](const auto& measured) { return what + ", " + measured.split + ", " + std::to_string(measured.examples); }, report);
}

std::string Measurement::key() const {  // a question may be longer than a key
    return std::to_string(step) + ' ' + sha256Hex(question()).substr(0, 16);
}

bool Measurement::isWorthKeeping() const {
    if (const auto* ranking = std::get_if<RankReport>(&report))
        return !ranking->entries.empty() && std::ssize(ranking->entries) == ranking->all;
    return !std::get<EffectReport>(report).metrics.empty();
}

Json Measurement::toJson() const {
    Json document{{"schema", "heddle.measurement/1"}, {"run", run}, {"step", step}, {"time", time}};
    std::visit([&](const auto& measured) { addCommon(document, measured); }, report);
    if (const auto* ranking = std::get_if<RankReport>(&report)) {
        document["all"] = ranking->all;
        document["ranking"] = Json::array();
        for (const RankReport::Entry& entry : ranking->entries)
            document["ranking"].push_back({{"intervention", documentOf(entry.intervention)}, {"loss", documentOf(entry.loss)}});
        return document;
    }
    document["interventions"] = document["effects"] = Json::array();
    for (const Intervention& one : interventions) document["interventions"].push_back(documentOf(one));
    for (const MetricEffect& effect : std::get<EffectReport>(report).metrics) document["effects"].push_back(documentOf(effect));
    return document;
}

Measurement Measurement::parse(const Json& document) {
    Measurement made{document.at("run"), document.at("step"), document.at("time"), {}, {}};
    if (document.contains("ranking")) {
        made.report = rankingOf(document);
        return made;
    }
    for (const Json& one : document.at("interventions")) made.interventions.push_back(interventionOf(one));
    made.report = effectReportOf(document);
    return made;
}

}  // namespace heddle
