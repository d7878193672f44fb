// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/study_json.h"
#include "engine/analysis/study_tuning.h"
#include "engine/base/contains.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace heddle {
namespace {

using study_json::choice;
using study_json::member;
using study_json::requireKeys;

constexpr const char* kShape =
    R"(write {"path":"train.lr","around":0.001} or {"path":"train.lr","values":[0.0003,0.001,0.003]})";
constexpr const char* kRanges = R"(write {"kind":"random","trials":8,"ranges":{"train.lr":{"from":0.0001,"to":0.01}}})";
constexpr std::size_t kMostTrials = 100, kMostRungs = 8;

const std::vector<std::pair<std::string, Tuning::Kind>> kKinds{
    {"grid", Tuning::Kind::Grid}, {"random", Tuning::Kind::Random}, {"halving", Tuning::Kind::Halving}};

[[noreturn]] void refuse(const std::string& problem, const std::string& where, const std::string& next) {
    throwInvalid("\"tuning\": " + problem, where, next);
}

/// What makes a run another one of the same experiment cannot be tuned.
void requireTunable(const std::string& path, const Tuning& tuning, const std::string& where) {
    static const std::vector<std::string> kNever{"", "seed", "name", "train.device", "train.threads"};
    if (contains(kNever, path))
        refuse("\"" + path + "\" cannot be tuned", where, "give a setting of the run spec, such as train.lr");
    if (tuning.kind == Tuning::Kind::Halving && (path == "train.steps" || path == "train.epochs"))
        refuse("the rungs already set " + path, where, "remove it from \"ranges\"");
}

double finite(const Json& value, const std::string& what, const std::string& where, const std::string& next) {
    if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(what + " must be a number", where, next);
    return value.get<double>();
}

void readGrid(const Json& document, Tuning& tuning, const std::string& where) {
    tuning.path = member<std::string>(document, "path", where, "");
    requireTunable(tuning.path, tuning, where);
    if (document.contains("values") == document.contains("around"))
        refuse("exactly one of \"values\" and \"around\" is needed", where, kShape);
    if (document.contains("around")) {
        tuning.around = finite(document.at("around"), "\"around\"", where, kShape);
        if (!(*tuning.around > 0)) refuse("\"around\" must be above 0", where, kShape);
        tuning.values = valuesAround(*tuning.around);
        return;
    }
    const Json& values = document.at("values");
    if (!values.is_array() || values.size() < 2 || values.size() > kMostTrials)
        refuse(fmt::format("\"values\" must be a list of 2 to {} numbers", kMostTrials), where, kShape);
    for (const Json& value : values) tuning.values.push_back(finite(value, "a value", where, kShape));
    tuning.isWhole = std::all_of(values.begin(), values.end(), [](const Json& value) { return value.is_number_integer(); });
    std::sort(tuning.values.begin(), tuning.values.end());
    if (std::adjacent_find(tuning.values.begin(), tuning.values.end()) != tuning.values.end())
        refuse("a value is listed twice", where, "list each value once");
}

TuningRange readRange(const std::string& path, const Json& document, const std::string& where) {
    if (!document.is_object() || !document.contains("from") || !document.contains("to"))
        refuse("the range of " + path + " needs \"from\" and \"to\"", where, kRanges);
    requireKeys(document, "a range of \"tuning\"", {"from", "to", "scale"}, where);
    TuningRange range{path, finite(document.at("from"), "\"from\" of " + path, where, kRanges),
                      finite(document.at("to"), "\"to\" of " + path, where, kRanges), true, false};
    range.isLog = choice<bool>(document, "scale", where, true, {{"log", true}, {"linear", false}});
    range.isWhole = document.at("from").is_number_integer() && document.at("to").is_number_integer();
    if (!(range.from < range.to)) refuse("the range of " + path + " is empty", where, "\"from\" must be less than \"to\"");
    if (range.isLog && !(range.from > 0))
        refuse("a logarithmic range must begin above 0; the range of " + path + " does not", where,
               R"(write "scale":"linear")");
    return range;
}

void readDraws(const Json& document, Tuning& tuning, const std::string& where) {
    const Json ranges = document.value("ranges", Json());
    if (!ranges.is_object() || ranges.empty()) refuse("\"ranges\" is missing", where, kRanges);
    for (const auto& [path, range] : ranges.items()) {
        requireTunable(path, tuning, where);
        tuning.ranges.push_back(readRange(path, range, where));
    }
    const Json trials = document.value("trials", Json());
    if (!trials.is_number_integer() || trials < 2 || trials > kMostTrials)
        refuse(fmt::format("\"trials\" must be a whole number from 2 to {}", kMostTrials), where, kRanges);
    tuning.trials = trials.get<std::size_t>();
    if (drawnTrials(tuning).size() < tuning.trials)
        refuse(fmt::format("the ranges have fewer than {} different values", tuning.trials), where,
               "use fewer trials, or widen the ranges");
}

void readRungs(const Json& document, Tuning& tuning, const std::string& where) {
    constexpr const char* kRungs = R"(write "rungs":[300,900,2700], the steps of each)";
    const Json rungs = document.value("rungs", Json());
    const auto isStep = [](const Json& rung) { return rung.is_number_integer() && rung > 0; };
    if (!rungs.is_array() || rungs.size() < 2 || rungs.size() > kMostRungs || !std::all_of(rungs.begin(), rungs.end(), isStep))
        refuse(fmt::format("\"rungs\" must be a list of 2 to {} numbers of steps", kMostRungs), where, kRungs);
    tuning.rungs = rungs.get<std::vector<std::int64_t>>();
    if (!std::is_sorted(tuning.rungs.begin(), tuning.rungs.end(), std::less_equal<>()))
        refuse("\"rungs\" must be in ascending order", where, kRungs);
}

std::uint64_t readSeed(const Json& document, const std::vector<std::uint64_t>& seeds, const std::string& where) {
    if (!document.contains("seed")) {
        std::uint64_t seed = Tuning().seed;
        while (contains(seeds, seed)) ++seed;
        return seed;
    }
    if (!document.at("seed").is_number_integer() || document.at("seed") < 0)
        refuse("a seed must be a whole number of at least 0", where, kShape);
    const auto seed = document.at("seed").get<std::uint64_t>();
    if (contains(seeds, seed))
        refuse(
            fmt::format("seed {} is also a seed of the study: settings would be tested on the seed that selected them", seed),
            where, "choose a \"seed\" that is not in \"seeds\", or remove it");
    return seed;
}

Json numberOf(double value, bool isWhole) { return isWhole ? Json(std::int64_t(value)) : Json(value); }

}  // namespace

Json Tuning::toJson(const StudyMetric& usual) const {
    Json document{{"seed", seed}};
    if (kind == Kind::Grid) {
        document["path"] = path;
        if (around)
            document["around"] = *around;
        else
            for (const double value : values) document["values"].push_back(numberOf(value, isWhole));
    } else {
        document["kind"] = kind == Kind::Random ? "random" : "halving";
        document["trials"] = trials;
        for (const TuningRange& range : ranges)
            document["ranges"][range.path] = {{"from", numberOf(range.from, range.isWhole)},
                                              {"to", numberOf(range.to, range.isWhole)},
                                              {"scale", range.isLog ? "log" : "linear"}};
        if (kind == Kind::Halving) document["rungs"] = rungs;
    }
    if (metric != usual) document["metric"] = study_json::metricDocument(metric);
    return document;
}

Tuning Tuning::parse(const Json& document, const StudyMetric& usual, const std::vector<std::uint64_t>& seeds,
                     const std::string& where) {
    if (!document.is_object()) refuse("it must be an object", where, kShape);
    Tuning tuning;
    tuning.kind = choice<Kind>(document, "kind", where + ", tuning", Kind::Grid, kKinds);
    switch (tuning.kind) {
    case Kind::Grid:
        requireKeys(document, "\"tuning\" with a grid", {"kind", "path", "values", "around", "seed", "metric"}, where);
        break;
    case Kind::Random:
        requireKeys(document, "\"tuning\" at random", {"kind", "trials", "ranges", "seed", "metric"}, where);
        break;
    case Kind::Halving:
        requireKeys(document, "\"tuning\" by halving", {"kind", "trials", "ranges", "rungs", "seed", "metric"}, where);
        break;
    }
    tuning.seed = readSeed(document, seeds, where);
    tuning.metric = document.contains("metric") ? study_json::readMetric(document.at("metric"), where + ", tuning") : usual;
    if (tuning.kind == Kind::Grid)
        readGrid(document, tuning, where);
    else
        readDraws(document, tuning, where);
    if (tuning.kind == Kind::Halving) readRungs(document, tuning, where);
    return tuning;
}

}  // namespace heddle
