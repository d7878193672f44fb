// SPDX-License-Identifier: Apache-2.0
// A study of Optuna with a trial for each run. The parameters of the trials are the settings in which the runs differ.
#include "app/foreign/export_writers.h"
#include "app/foreign/exported_run.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/run/run_state.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/diff.h"
#include "engine/spec/foreign_spec.h"
#include "engine/spec/run_spec.h"
#include "storage/optuna_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace heddle::app {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: Optuna keeps a parameter as a double

/// All settings of a run, to be compared with those of other runs by path. Defaults are included, since another run may state
/// what this one leaves out.
Json settingsDocument(const ExportedRun& run) {
    if (run.spec.is_null()) return Json::object();
    if (const auto foreign = foreignSpec(run.spec)) return foreign->config;
    Json document = RunSpec::parse(run.spec, builtinCatalogue()).resolvedJson();
    document.erase("name");
    return document;
}

/// The settings of all runs. If this version cannot read one of the specs (it has a developer's own blocks), the specs are
/// compared as they were written.
std::vector<Json> settingsDocuments(const std::vector<ExportedRun>& runs, std::vector<std::string>& notes) {
    std::vector<Json> documents;
    try {
        for (const ExportedRun& run : runs) documents.push_back(settingsDocument(run));
    } catch (const Error& error) {
        notes.push_back(
            fmt::format("parameters come from the specs as they were written, without defaults, since this version cannot"
                        " read one of them: {}",
                        error.what()));
        documents.clear();
        for (const ExportedRun& run : runs) {
            documents.push_back(run.spec.is_object() ? run.spec : Json::object());
            documents.back().erase("name");
        }
    }
    return documents;
}

/// A value as a choice of a categorical parameter: a text, number or bool.
Json choiceOf(const Json& value) { return value.is_structured() ? Json(dumped(value)) : value; }

bool isExact(const Json& value) { return std::abs(value.get<double>()) <= kExactIntegers; }

/// One parameter of the study. A trial whose run has no such setting does not have it.
class Parameter {
public:
    explicit Parameter(const SpecDifference& difference) : name_(difference.path) {
        std::vector<Json> present;
        for (const Json& value : difference.values)
            if (!value.is_null()) present.push_back(choiceOf(value));
        const bool isNumber = std::all_of(present.begin(), present.end(), [](const Json& v) { return v.is_number(); });
        const bool isWhole =
            isNumber && std::all_of(present.begin(), present.end(), [](const Json& v) { return v.is_number_integer(); });
        if (isNumber && (!isWhole || std::all_of(present.begin(), present.end(), isExact)))
            describeNumber(present, isWhole);
        else
            describeChoices(present);
    }

    void addTo(storage::OptunaTrial& trial, const Json& value) const {
        if (value.is_null()) return;
        const Json choice = choiceOf(value);
        const auto place = std::find(choices_.begin(), choices_.end(), choice) - choices_.begin();
        trial.parameters.push_back(
            {name_, choices_.empty() ? choice.get<double>() : static_cast<double>(place), distribution_});
    }

private:
    void describeNumber(const std::vector<Json>& values, bool isWhole) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        Json attributes{{"log", false}, {"step", isWhole ? Json(1) : Json()}, {"low", *low}, {"high", *high}};
        distribution_ = dumped(Json{{"name", isWhole ? "IntDistribution" : "FloatDistribution"}, {"attributes", attributes}});
    }

    void describeChoices(const std::vector<Json>& values) {
        for (const Json& value : values)
            if (std::find(choices_.begin(), choices_.end(), value) == choices_.end()) choices_.push_back(value);
        distribution_ = dumped(Json{{"name", "CategoricalDistribution"}, {"attributes", {{"choices", choices_}}}});
    }

    std::string name_, distribution_;
    std::vector<Json> choices_;
};

/// The state of the trial: pruned if the user stopped the run, failed if it failed or was interrupted.
std::string trialState(const std::string& state) {
    const auto known = runStateFromName(state);
    if (!known) return "FAIL";
    switch (*known) {
    case RunState::Completed: return "COMPLETE";
    case RunState::Stopped: return "PRUNED";
    case RunState::Queued: return "WAITING";
    case RunState::Failed:
    case RunState::Interrupted: return "FAIL";
    default: return "RUNNING";
    }
}

class TrialMaker {
public:
    TrialMaker(storage::RunQuery& query, const StudyMetric& metric) : query_(query), metric_(metric) {}

    storage::OptunaTrial of(const ExportedRun& run) const {
        storage::OptunaTrial trial;
        trial.state = trialState(run.record.state);
        std::vector<Evaluated> values;
        for (const auto& e : wholeEvaluations(query_, run.record.id))
            if (e.split == metric_.recordedSplit() && e.metric == metric_.name) values.push_back({e.step, e.value});
        for (const Evaluated& one : values) trial.intermediates.emplace_back(one.step, one.value);
        const auto value = valueBy(metric_.rule, values, metric_.lowerIsBetter);
        const bool hasValue = value && !std::isnan(*value);
        const bool hasEnded = trial.state == "COMPLETE" || trial.state == "PRUNED" || trial.state == "FAIL";
        if (hasValue && hasEnded) trial.value = value;
        addFacts(run, trial);
        if (trial.state == "COMPLETE" && !hasValue) {  // Optuna demands a value of a completed trial
            trial.state = "FAIL";
            trial.attributes.emplace_back(
                "heddle:problem",
                dumped(Json(fmt::format("no value: the {} of {} {}", metric_.rule.text(), metric_.split, metric_.name))));
        }
        addTimes(run, hasEnded, trial);
        return trial;
    }

private:
    void addFacts(const ExportedRun& run, storage::OptunaTrial& trial) const {
        Json document = documentOf(run);
        for (const char* known : {"schema", "kind", "spec", "damaged"}) document.erase(known);
        for (const auto& [name, value] : document.items())
            if (!value.is_null() && !(value.is_string() && value.get_ref<const std::string&>().empty()))
                trial.attributes.emplace_back("heddle:" + name, dumped(value));
        const auto damages = damagesOf(query_, run.record);
        if (!damages.empty()) trial.attributes.emplace_back("heddle:damage", dumped(Json(damages)));
    }

    static void addTimes(const ExportedRun& run, bool hasEnded, storage::OptunaTrial& trial) {
        if (trial.state == "WAITING") return;
        trial.started = run.attempts.empty() ? run.record.created : run.attempts.front().started;
        if (hasEnded)
            trial.completed =
                run.attempts.empty() ? run.record.created : run.attempts.back().started + run.attempts.back().seconds;
    }

    storage::RunQuery& query_;
    const StudyMetric& metric_;
};

}  // namespace

std::vector<std::string> writeOptuna(const WrittenExport& written) {
    const StudyMetric& metric = written.wanted.metric;
    std::vector<ExportedRun> runs;
    for (const std::string& id : written.wanted.runs) runs.push_back(exportedRun(written.query, id));
    std::vector<std::string> notes;
    const auto differences = joinLayers(diffDocuments(settingsDocuments(runs, notes)));
    std::vector<Parameter> parameters(differences.begin(), differences.end());
    storage::OptunaStudy study;
    study.name = std::filesystem::path(written.wanted.destination).stem().string();
    study.isMaximized = !metric.lowerIsBetter;
    study.metric = metric.split + ":" + metric.name;
    study.attributes = {{"heddle:value", dumped(Json(metric.rule.text()))}, {"heddle:schema", dumped(Json(kExportSchema))}};
    const TrialMaker maker(written.query, metric);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        study.trials.push_back(maker.of(runs[i]));
        for (std::size_t p = 0; p < parameters.size(); ++p) parameters[p].addTo(study.trials.back(), differences[p].values[i]);
        written.next();
    }
    const bool hasValues =
        std::any_of(study.trials.begin(), study.trials.end(), [](const auto& trial) { return !trial.intermediates.empty(); });
    if (!hasValues)
        throwUsage(fmt::format("none of the runs has the metric {}", study.metric), "--metric",
                   "their metrics are " + listedNames(exportableMetrics(written.query, written.wanted.runs)));
    storage::writeOptunaStudy(written.place.temporary(), study);
    return notes;
}

}  // namespace heddle::app
