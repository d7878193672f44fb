// SPDX-License-Identifier: Apache-2.0
#include "app/study/study_told.h"

#include "engine/base/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace heddle::app {
namespace {

Json setOf(const Trial& trial) {
    Json set = Json::object();
    for (const auto& [path, value] : trial.values) set[path] = value;
    return set;
}

Json rowDocument(const RowTuning& row) {
    Json trials = Json::array();
    for (const TrialOutcome& one : row.trials)
        trials.push_back({{"set", setOf(one.trial)},
                          {"steps", one.trial.steps > 0 ? Json(one.trial.steps) : Json()},
                          {"done", one.isDone},
                          {"value", orNull(one.value)},
                          {"diverged", one.isDone && !one.value}});
    return {{"row", row.row},
            {"trials", std::move(trials)},
            {"chosen", row.chosen ? setOf(*row.chosen) : Json()},
            {"at_edge", row.atEdge}};
}

std::string metricWords(const StudyMetric& metric) {
    return fmt::format("{} {}, {}", metric.split, metric.name, metric.rule.text());
}

/// What a row's trials chose: "base: lr 0.001 of 5".
std::string chosenWords(const RowTuning& row) {
    const auto diverged =
        std::count_if(row.trials.begin(), row.trials.end(), [](const TrialOutcome& one) { return one.isDone && !one.value; });
    std::string words = row.chosen ? fmt::format("{}: {} of {} trials", row.row, row.chosen->text(), row.trials.size())
                                   : fmt::format("{}: nothing, as all of its {} trials diverged", row.row, row.trials.size());
    if (row.chosen && diverged > 0) words += fmt::format(" ({} diverged)", diverged);
    if (row.atEdge) words += ", the last value on its side: a value beyond it may be better";
    return words;
}

void tellTuning(std::vector<std::string>& words, const Study& study, const TuningOutcome& tuning) {
    const Tuning& asked = *study.tuning;
    std::size_t done = 0, all = 0;
    for (const RowTuning& row : tuning.rows) {
        all += row.trials.size();
        done += std::size_t(
            std::count_if(row.trials.begin(), row.trials.end(), [](const TrialOutcome& one) { return one.isDone; }));
    }
    if (!tuning.isDone) {
        words.push_back(
            fmt::format("Tuning: {} of {} trials are done; the runs that are compared come after them.", done, all));
        return;
    }
    const char* const how = asked.kind == Tuning::Kind::Grid ? "the same values for each row"
                            : asked.kind == Tuning::Kind::Random
                                ? "the same draws for each row"
                                : "the same draws for each row, halved by rungs of steps, each "
                                  "trained anew";
    std::vector<std::string> rows;
    for (const RowTuning& row : tuning.rows) rows.push_back(chosenWords(row));
    words.push_back(fmt::format("Tuned by {} of seed {}, {} trials in all, {}. Chosen for {}.", metricWords(asked.metric),
                                asked.seed, all, how, fmt::join(rows, "; ")));
    if (asked.metric.split == "test")
        words.push_back("The trials were chosen on the test set: values on it are better than on new data.");
    if (!study.existing.empty()) words.push_back("How the rows of existing runs were tuned is not known.");
}

/// "1707648": FLOPs are whole numbers.
std::string flopsText(double flops) { return flops < 1e7 ? fmt::format("{:.0f}", flops) : numberText(flops); }

std::string controlWords(const ControlSize& control) {
    const auto beside = [](double own, double of) {
        const double percent = 100 * (own - of) / of;
        return own == of ? std::string("equal") : fmt::format("{} %", signedNumberText(percent));
    };
    std::string words = fmt::format("{} has dims.f {}: {} parameters beside {} ({}), {} FLOPs a token beside {} ({})",
                                    control.row, control.width, control.parameters, control.parametersOf,
                                    beside(double(control.parameters), double(control.parametersOf)), flopsText(control.flops),
                                    flopsText(control.flopsOf), beside(control.flops, control.flopsOf));
    if (control.isAssumed) words += "; counted with assumed vocabularies, until the baseline's first run tells their sizes";
    return words + ".";
}

}  // namespace

Json toldDocument(const Study& study, const StudyVerdict& verdict) {
    Json tuning;
    if (study.tuning && verdict.tuning) {
        tuning = {{"seed", study.tuning->seed},
                  {"metric", metricWords(study.tuning->metric)},
                  {"done", verdict.tuning->isDone},
                  {"rows", Json::array()}};
        for (const RowTuning& row : verdict.tuning->rows) tuning["rows"].push_back(rowDocument(row));
    }
    Json controls = Json::array(), changes = Json::array();
    for (const ControlSize& control : verdict.controls)
        controls.push_back({{"row", control.row},
                            {"of", control.of},
                            {"match", control.match == Budget::Parameters ? "parameters" : "flops"},
                            {"width", control.width},
                            {"parameters", control.parameters},
                            {"parameters_of", control.parametersOf},
                            {"flops", control.flops},
                            {"flops_of", control.flopsOf},
                            {"assumed", control.isAssumed}});
    for (const StudyChange& change : verdict.changes)
        changes.push_back({{"at", change.at}, {"ended", change.ended}, {"keys", change.keys}});
    return {{"tuned", study.tuning.has_value()},
            {"tuning", std::move(tuning)},
            {"controls", std::move(controls)},
            {"changes", std::move(changes)}};
}

std::vector<std::string> toldWords(const Study& study, const StudyVerdict& verdict) {
    std::vector<std::string> words;
    if (study.tuning && verdict.tuning) tellTuning(words, study, *verdict.tuning);
    for (const ControlSize& control : verdict.controls) words.push_back(controlWords(control));
    for (const StudyChange& change : verdict.changes)
        words.push_back(
            fmt::format("The question was changed after {} runs had ended ({}): what they gave may have been known.",
                        change.ended, fmt::join(change.keys, ", ")));
    return words;
}

}  // namespace heddle::app
