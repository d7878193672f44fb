// SPDX-License-Identifier: Apache-2.0
#include "app/study/report_checks.h"

#include "app/study/study_told.h"
#include "engine/base/contains.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/spec/data_files.h"
#include "engine/spec/match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace heddle::app {
namespace {

using State = FairnessCheck::State;
using Runs = std::vector<const ReportedRun*>;

/// The runs that the verdict rests on.
Runs countedRuns(const std::vector<ReportedRun>& runs) {
    Runs counted;
    for (const ReportedRun& run : runs)
        if (run.value) counted.push_back(&run);
    return counted;
}

/// The rows by what `text` says of their runs, in the order of their first runs: "base, full: 0.1.0; control: 0.2.0".
struct Kinds {
    std::vector<std::pair<std::string, std::vector<std::string>>> rowsOf;
    bool isKnown = true;  ///< of every run

    void add(const std::string& kind, const std::string& row) {
        auto found = std::find_if(rowsOf.begin(), rowsOf.end(), [&](const auto& one) { return one.first == kind; });
        if (found == rowsOf.end()) found = rowsOf.insert(rowsOf.end(), {kind, {}});
        if (std::find(found->second.begin(), found->second.end(), row) == found->second.end()) found->second.push_back(row);
        isKnown = isKnown && !kind.empty();
    }
    bool areOne() const { return rowsOf.size() == 1; }
    std::string text() const {
        std::string all;
        for (const auto& [kind, rows] : rowsOf)
            all += (all.empty() ? "" : "; ") + listedNames(rows) + ": " + (kind.empty() ? "not known" : kind);
        return all;
    }
};

Kinds kindsOf(const Runs& runs, const auto& kindOf) {
    Kinds kinds;
    for (const ReportedRun* run : runs) kinds.add(kindOf(*run), run->row);
    return kinds;
}

/// A check of something that all runs should have in common. `same`: said before the kind that all have; `different`: before
/// the rows of each kind.
FairnessCheck commonCheck(const std::string& about, const Kinds& kinds, const std::string& same, const std::string& different) {
    if (kinds.rowsOf.empty()) return {about, State::NotKnown, "No run has a value yet."};
    if (!kinds.isKnown)
        return {about, State::NotKnown, fmt::format("Not every run recorded its {} ({}).", about, kinds.text())};
    if (kinds.areOne()) return {about, State::Ok, same + kinds.rowsOf.front().first + "."};
    return {about, State::Warning, different + kinds.text() + "."};
}

/// A number that the rows should have in common within kMatchTolerance, `unit` in words: "parameters".
FairnessCheck matchedCheck(const std::string& about, const std::string& baseline, const Runs& runs, const std::string& unit,
                           const auto& numberOf) {
    std::map<std::string, double> numbers;
    for (const ReportedRun* run : runs) {
        const std::optional<double> number = numberOf(*run);
        if (!number) return {about, State::NotKnown, fmt::format("The number of {} of {} is not known.", unit, run->row)};
        numbers[run->row] = *number;
    }
    const auto reference = numbers.find(baseline);
    if (reference == numbers.end() || numbers.size() < 2)
        return {about, State::NotKnown, "The baseline and a variant have no run with a value yet."};
    std::vector<std::string> others;
    for (const auto& [row, number] : numbers) {
        const double share = number / reference->second - 1;
        if (std::abs(share) > kMatchTolerance)
            others.push_back(fmt::format("{} has {}{:.1f} % ({})", row, share < 0 ? "−" : "+", std::abs(100 * share),
                                         groupedDigits(fmt::format("{:.0f}", number))));
    }
    const std::string base = fmt::format("{} {}", groupedDigits(fmt::format("{:.0f}", reference->second)), unit);
    if (others.empty())
        return {about, State::Ok, fmt::format("All rows have the baseline's {} within {:g} %.", base, 100 * kMatchTolerance)};
    return {about, State::Warning,
            fmt::format("The baseline has {}; {}: a difference of these rows may be one of {}.", base, fmt::join(others, ", "),
                        about)};
}

std::string stepsOf(const ReportedRun& run) { return run.steps > 0 ? countText(run.steps) + " steps" : ""; }

std::string batchOf(const TrainSpec& train) {
    return (train.batchSentences > 0 ? countText(train.batchSentences) + " examples"
                                     : "at most " + countText(train.batchTokens) + " tokens a side") +
           (train.accumulate > 1 ? fmt::format(", {} batches a step", train.accumulate) : "");
}

/// A row that is trained for as long as its variant: its other number of steps is what the study asks, and toldWords() tells
/// it.
bool isTimed(const Study& study, const std::string& row) {
    const StudyControl* control = study.controlOf(row);
    return control && control->match == ControlMatch::Time;
}

FairnessCheck budgetCheck(const Study& study, Runs runs) {
    std::erase_if(runs, [&study](const ReportedRun* run) { return isTimed(study, run->row); });
    // What a step of a foreign run reads is not known: where all are foreign, their steps alone are compared.
    const bool areForeign = std::none_of(runs.begin(), runs.end(), [](const ReportedRun* run) { return run->hasSpec; });
    const auto budgetOf = [areForeign](const ReportedRun& run) {
        std::string steps = stepsOf(run);
        if (steps.empty() || areForeign) return steps;
        return run.hasSpec ? fmt::format("{} of {}", steps, batchOf(run.spec.train)) : "";
    };
    return commonCheck("budget", kindsOf(runs, budgetOf), "Every run trained ", "Runs trained unequally. ");
}

/// What the specs of the rows differ in, beside the variants, which are what is asked.
FairnessCheck settingsCheck(const Study& study, const std::vector<ReportedRun>& runs) {
    const bool areKnown = std::all_of(runs.begin(), runs.end(), [](const ReportedRun& run) { return run.hasSpec; });
    const std::vector<std::string> tuned = tunedPaths(study);
    std::vector<Json> documents;
    for (const PlanRow& row : study.rows) {
        const auto run = std::find_if(runs.begin(), runs.end(), [&](const ReportedRun& one) { return one.row == row.name; });
        if (run == runs.end() || !run->hasSpec || isTimed(study, row.name)) continue;
        documents.push_back(run->spec.toJson());
        for (const char* own : {"variant", "seed", "name"}) documents.back().erase(own);
    }
    std::vector<std::string> differing;
    for (const SpecDifference& difference : diffDocuments(documents)) {
        if (contains(tuned, difference.path)) continue;
        std::vector<std::string> values;
        for (const Json& value : difference.values) values.push_back(value.is_null() ? "default" : dumped(value));
        differing.push_back(fmt::format("{} ({})", difference.path, fmt::join(values, ", ")));
    }
    const std::string notKnown = "Not every run recorded its settings.";
    if (differing.empty() && !areKnown) return {"settings", State::NotKnown, notKnown};
    if (differing.empty())
        return {"settings", State::Ok,
                tuned.empty() ? "The rows differ in their variants alone."
                              : "The rows differ in their variants and in what their trials chose alone."};
    return {"settings", State::Warning,
            "The rows differ in more than their variants: " + listedNames(differing) +
                "; what is found is the effect of all of it together." + (areKnown ? "" : " " + notKnown)};
}

FairnessCheck tuningCheck(const Study& study, const StudyVerdict& verdict, const std::vector<ReportedRun>& runs) {
    if (!study.tuning) {
        Kinds rates;
        for (const ReportedRun& run : runs)
            rates.add(run.hasSpec ? fmt::format("{:g}", run.spec.train.lr) : std::string(), run.row);
        return {"tuning", State::Warning,
                fmt::format("Not tuned: one learning rate each ({}). Whether each variant had its best is not known.",
                            rates.text())};
    }
    StudyVerdict told;
    told.tuning = verdict.tuning;
    const std::string words = fmt::format("{}", fmt::join(toldWords(study, told), " "));
    if (!verdict.tuning || !verdict.tuning->isDone)
        return {"tuning", State::NotKnown, words.empty() ? "No trial is done." : words};
    const bool isClear = std::all_of(verdict.tuning->rows.begin(), verdict.tuning->rows.end(),
                                     [](const RowTuning& row) { return row.chosen && !row.atEdge; });
    const bool isWarned = !isClear || !study.existing.empty() || study.tuning->metric.split == "test";
    return {"tuning", isWarned ? State::Warning : State::Ok, words};
}

/// A warning with all that toldWords() says of `told`; `fine` if it says nothing.
FairnessCheck toldCheck(const char* about, const Study& study, const StudyVerdict& told, const char* fine) {
    const std::vector<std::string> words = toldWords(study, told);
    if (words.empty()) return {about, State::Ok, fine};
    return {about, State::Warning, fmt::format("{}", fmt::join(words, " "))};
}

FairnessCheck questionCheck(const Study& study, const StudyVerdict& verdict) {
    StudyVerdict told;
    told.changes = verdict.changes;
    told.otherValues = verdict.otherValues;
    return toldCheck("question", study, told, "The question is not known to have changed after runs had ended.");
}

std::string joined(const ReportedRun& run, const auto& partOf) {
    std::set<std::string> parts;
    for (const TrainedOn& attempt : run.attempts) parts.insert(partOf(attempt));
    return fmt::format("{}", fmt::join(parts, " and "));
}

std::vector<FairnessCheck> placeChecks(const Runs& runs) {
    const auto kinds = [&runs](const auto& partOf) {
        return kindsOf(runs, [&partOf](const ReportedRun& run) { return joined(run, partOf); });
    };
    const auto versions =
        kinds([](const TrainedOn& one) { return fmt::format("Heddle {}, torch {}", one.program, one.torch); });
    const auto devices = kinds([](const TrainedOn& one) {
        return fmt::format("{} on {}{}", one.device, one.host, one.precision.empty() ? "" : ", " + one.precision);
    });
    const auto threads = kinds([](const TrainedOn& one) { return one.threads > 0 ? std::to_string(one.threads) : ""; });
    return {commonCheck("versions", versions, "Every run was trained by ", "Runs were trained by different programs. "),
            commonCheck("devices", devices, "Every run was trained on ",
                        "Runs were trained on different devices, which round differently. "),
            commonCheck("threads", threads,
                        "Threads of every run: ", "Runs had different numbers of threads, which add in another order. ")};
}

FairnessCheck interventionCheck(const Runs& runs) {
    std::vector<std::string> changed;
    for (const ReportedRun* run : runs) {
        if (run->isIntervened) changed.push_back(fmt::format("{}, seed {}, was intervened in", run->row, run->spec.seed));
        if (!run->extended.empty())
            changed.push_back(fmt::format("{}, seed {}, was extended after step {}", run->row, run->spec.seed,
                                          fmt::join(run->extended, ", ")));
    }
    if (!changed.empty()) return {"interventions", State::Warning, listedNames(changed) + "."};
    if (!std::all_of(runs.begin(), runs.end(), [](const ReportedRun* run) { return run->hasSpec; }))
        return {"interventions", State::NotKnown, "Not every run that counts recorded whether it was intervened in."};
    return {"interventions", State::Ok, "No run that counts was intervened in or extended while it trained."};
}

/// The contents of a split's files, shortened for a sentence.
FairnessCheck contentCheck(const std::string& about, const std::string& split, const Runs& runs) {
    const auto contentOf = [&split](const ReportedRun& run) {
        const std::string content = splitContent(run.contents, split);
        return content.empty() ? "" : "SHA-256 begins with " + content.substr(0, 12);
    };
    return commonCheck(about, kindsOf(runs, contentOf), fmt::format("Every run read the same {} files, ", split),
                       fmt::format("Runs read {} files of different contents. ", split));
}

FairnessCheck repetitionCheck(const std::vector<ReportedRun>& runs) {
    std::vector<std::string> repeated;
    for (const ReportedRun& run : runs)
        if (run.times > 1)
            repeated.push_back(fmt::format("{}, seed {}, was trained {} times", run.row, run.spec.seed, run.times));
    if (repeated.empty()) return {"repetitions", State::Ok, "No run was trained twice: there was nothing to choose from."};
    return {"repetitions", State::Warning, listedNames(repeated) + "; the newest run counts."};
}

FairnessCheck unaskedCheck(const Study& study, const StudyVerdict& verdict) {
    StudyVerdict told;
    told.unasked = verdict.unasked;
    return toldCheck("chosen seeds", study, told, "The database has no other seeds of these rows.");
}

FairnessCheck leftOutCheck(const StudyVerdict& verdict) {
    std::size_t leftOut = verdict.baselineLeftOut.size(), failed = 0;
    const auto countFailed = [&failed](const std::vector<LeftOutRun>& all) {
        failed +=
            static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& one) { return one.hasFailed; }));
    };
    countFailed(verdict.baselineLeftOut);
    for (const RowVerdict& row : verdict.rows) {
        leftOut += row.leftOut.size();
        countFailed(row.leftOut);
    }
    if (leftOut == 0) return {"left out", State::Ok, "Every run that ended counts."};
    return {
        "left out", State::Warning,
        fmt::format("{} run{} left out, {} of them because they failed: if a variant fails where it would have been bad, what "
                    "is left flatters it.",
                    leftOut, leftOut == 1 ? " is" : "s are", failed)};
}

}  // namespace

std::string nameOf(FairnessCheck::State state) {
    switch (state) {
    case State::Ok: return "ok";
    case State::Warning: return "warning";
    case State::NotKnown: break;
    }
    return "not known";
}

std::vector<std::string> tunedPaths(const Study& study) {
    std::vector<std::string> paths;
    if (!study.tuning) return paths;
    for (const TuningRange& range : study.tuning->ranges) paths.push_back(range.path);
    if (!study.tuning->path.empty()) paths.push_back(study.tuning->path);
    return paths;
}

std::vector<FairnessCheck> fairnessChecks(const Study& study, const StudyVerdict& verdict,
                                          const std::vector<ReportedRun>& runs) {
    const Runs counted = countedRuns(runs);
    std::vector<FairnessCheck> checks{
        matchedCheck("size", study.baseline, counted, "parameters",
                     [](const ReportedRun& run) {
                         return run.parameters > 0 ? std::optional(static_cast<double>(run.parameters)) : std::nullopt;
                     }),
        matchedCheck("FLOPs", study.baseline, counted, "FLOPs of training a token",
                     [](const ReportedRun& run) { return run.flops; }),
        budgetCheck(study, counted),
        settingsCheck(study, runs),
        tuningCheck(study, verdict, runs),
        questionCheck(study, verdict),
    };
    for (FairnessCheck& check : placeChecks(counted)) checks.push_back(std::move(check));
    checks.push_back(interventionCheck(counted));
    checks.push_back(contentCheck("data", "train", counted));
    checks.push_back(contentCheck(study.metric.split == "valid" ? "validation set" : "test set", study.metric.split, counted));
    checks.push_back(repetitionCheck(runs));
    checks.push_back(unaskedCheck(study, verdict));
    checks.push_back(leftOutCheck(verdict));
    return checks;
}

}  // namespace heddle::app
