// SPDX-License-Identifier: Apache-2.0
#include "app/study/study_told.h"

#include "engine/base/json.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"
#include "engine/spec/foreign_spec.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
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
                                : "the same draws for each row, halved by rungs of steps, each trained anew";
    std::vector<std::string> rows;
    for (const RowTuning& row : tuning.rows) rows.push_back(chosenWords(row));
    words.push_back(fmt::format("Tuned by {} of seed {}, {} trials in all, {}. Chosen for {}.", metricWords(asked.metric),
                                asked.seed, all, how, fmt::join(rows, "; ")));
    if (asked.metric.split == "test")
        words.emplace_back("The trials were chosen on the test set: values on it are better than on new data.");
    if (!study.existing.empty()) words.emplace_back("How the rows of existing runs were tuned is not known.");
}

/// "1707648": FLOPs are whole numbers.
std::string flopsText(double flops) { return flops < 1e7 ? fmt::format("{:.0f}", flops) : numberText(flops); }

/// Whether the number of steps is not that of the time alone; empty where it is.
std::string raisedWords(std::int64_t raised) {
    return raised == 0 ? ""
                       : fmt::format(" ({} more than the time gives: with fewer it would be the run of another row)", raised);
}

std::string timeWords(const ControlSize& control) {
    if (!control.problem.empty())
        return fmt::format("{} is not trained, because its number of steps is unknown: {}.", control.row, control.problem);
    if (control.steps == 0)
        return fmt::format("{} is planned once the first runs of the baseline and of {} tell how long a step of each takes.",
                           control.row, control.of);
    return fmt::format(
        "{} has {} steps beside {} of {}{}: a step of {} took {:.4g} ms and one of the baseline {:.4g} ms (ratio {:.4g}), on "
        "average over the first run of each without evaluations and checkpoints, on {}. Times differ from run to run, and so "
        "would this number.",
        control.row, control.steps, control.stepsOf, control.of, raisedWords(control.raised), control.of,
        1e3 * control.secondsOf, 1e3 * control.secondsBaseline, control.secondsOf / control.secondsBaseline,
        control.measuredOn);
}

Json timeDocument(const ControlSize& control) {
    if (control.match != ControlMatch::Time) return {};
    const bool isKnown = control.steps > 0;
    return {{"steps", isKnown ? Json(control.steps) : Json()},
            {"steps_of", isKnown ? Json(control.stepsOf) : Json()},
            {"raised", isKnown ? Json(control.raised) : Json()},
            {"seconds_baseline", isKnown ? Json(control.secondsBaseline) : Json()},
            {"seconds_of", isKnown ? Json(control.secondsOf) : Json()},
            {"measured_on", control.measuredOn},
            {"problem", control.problem}};
}

std::string controlWords(const ControlSize& control) {
    if (control.match == ControlMatch::Time) return timeWords(control);
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

/// The looks at a study that has no plan of them; empty where there was one.
std::string lookWords(const std::vector<StudyChange>& changes) {
    std::vector<const StudyChange*> looks;
    for (const StudyChange& change : changes)
        if (change.runs > 0) looks.push_back(&change);
    if (looks.empty()) return "";
    const std::string times =
        looks.size() == 1
            ? fmt::format("before, when {} of its runs had ended", looks.front()->ended)
            : fmt::format("{} times before, the first time when {} and the last time when {} of its runs had ended",
                          looks.size(), looks.front()->ended, looks.back()->ended);
    return fmt::format(
        "It was asked {}; {} more {} ended since. Whoever asks again until something is shown errs more often than the level "
        "says; a study that trains its rows by \"seeds\": {{\"first\", \"last\"}} does not.",
        times, looks.back()->runs, looks.back()->runs == 1 ? "has" : "have");
}

std::string dateText(double unixTime) {
    constexpr double kYear9999 = 253402300799;
    if (!(unixTime >= 0 && unixTime <= kYear9999)) return "a day that is not known";  // of a damaged record
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(unixTime)));
}

/// Of a change that is no look.
std::string changeWords(const StudyChange& change) {
    if (change.runs < 0)
        return fmt::format(
            "On {}, {} of the {} runs that had ended when it was asked before {} no longer there: deleted, in the trash, or "
            "with changed files. If they were chosen by their values, what is left misleads.",
            dateText(change.at), -change.runs, change.ended, change.runs == -1 ? "was" : "were");
    return fmt::format("The question was changed after {} runs had ended ({}): what they gave may have been known.",
                       change.ended, fmt::join(change.keys, ", "));
}

std::string unaskedWords(const UnaskedRuns& runs) {
    std::vector<std::string> seeds;
    for (const std::uint64_t seed : runs.seeds)  // that of a foreign run without a seed is a number that no file can name
        seeds.push_back(seed > kLargestNamedSeed ? "not told" : std::to_string(seed));
    return fmt::format(
        "{}: the database has completed runs of the same experiment that the study does not ask for, seed{} {}{}. If they were "
        "left out by their values, what is left misleads.",
        runs.row, seeds.size() == 1 ? "" : "s", listedNames(seeds),
        runs.trashed > 0 ? fmt::format(" ({} in the trash)", runs.trashed) : "");
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
    Json controls = Json::array(), changes = Json::array(), unasked = Json::array();
    for (const ControlSize& control : verdict.controls)
        controls.push_back({{"row", control.row},
                            {"of", control.of},
                            {"match", nameOf(control.match)},
                            {"width", control.width},
                            {"parameters", control.parameters},
                            {"parameters_of", control.parametersOf},
                            {"flops", control.flops},
                            {"flops_of", control.flopsOf},
                            {"assumed", control.isAssumed},
                            {"time", timeDocument(control)}});
    for (const StudyChange& change : verdict.changes)
        changes.push_back({{"at", change.at}, {"ended", change.ended}, {"keys", change.keys}, {"runs", change.runs}});
    for (const UnaskedRuns& runs : verdict.unasked)
        unasked.push_back({{"row", runs.row}, {"seeds", runs.seeds}, {"trashed", runs.trashed}});
    return {{"tuned", study.tuning.has_value()}, {"tuning", std::move(tuning)},   {"controls", std::move(controls)},
            {"changes", std::move(changes)},     {"unasked", std::move(unasked)}, {"other_values", verdict.otherValues}};
}

std::vector<std::string> toldWords(const Study& study, const StudyVerdict& verdict) {
    std::vector<std::string> words;
    if (study.tuning && verdict.tuning) tellTuning(words, study, *verdict.tuning);
    for (const ControlSize& control : verdict.controls) words.push_back(controlWords(control));
    for (const StudyChange& change : verdict.changes)
        if (change.runs <= 0) words.push_back(changeWords(change));
    if (std::string looks = lookWords(verdict.changes); !looks.empty()) words.push_back(std::move(looks));
    for (const UnaskedRuns& runs : verdict.unasked) words.push_back(unaskedWords(runs));
    if (!verdict.otherValues.empty())
        words.push_back(
            fmt::format("Other studies of this database ask about these rows by other values: {}. Of {} answers one may be "
                        "shown by chance: to claim one of them, compare its p with {:.4f}.",
                        fmt::join(verdict.otherValues, "; "), verdict.otherValues.size() + 1,
                        study.level() / double(verdict.otherValues.size() + 1)));
    return words;
}

}  // namespace heddle::app
