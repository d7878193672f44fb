// SPDX-License-Identifier: Apache-2.0
#include "app/study/report_referees.h"

#include "app/study/study_told.h"
#include "app/study/verdict_notes.h"
#include "app/study/verdict_words.h"
#include "engine/base/number_text.h"
#include "engine/base/printable.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace heddle::app {
namespace {

constexpr const char* kNotDone = "Not done: ";

/// "12 s", "3.4 h".
std::string timeSpent(double seconds) {
    if (seconds < 120) return fmt::format("{:.0f} s", seconds);
    if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

std::string errorBars(const StudyReport& report) {
    const Study& study = report.study;
    return fmt::format(
        "Yes. Intervals are {:g} % intervals of differences of means{}. Values stand as mean ± standard deviation "
        "(n − 1) of runs; no standard error of a mean is given as ±.",
        confidenceOf(study), study.holm && report.verdict.comparisons > 1 ? ", which hold for all variants together" : "");
}

bool hasItems(const StudyReport& report) {
    const auto& items = report.verdict.items;
    return std::any_of(items.begin(), items.end(), [](const auto& one) { return one.second.interval.has_value(); });
}

std::string whatVaries(const StudyReport& report) {
    std::string answer = "The seed: initial weights, order of the training data, dropout. ";
    answer += report.study.test == SeedTest::Paired ? "Runs of equal seeds share what they can (initial weights of equal "
                                                      "modules, data order) and are compared in pairs. "
                                                    : "Runs are not paired. ";
    answer += "Data, splits, test items and settings do not vary.";
    if (hasItems(report)) answer += " The intervals over seeds and test items together capture other test items, too.";
    return answer;
}

std::string seedsWords(const Study& study) {
    if (const auto* looks = std::get_if<Looks>(&study.seeds))
        return fmt::format("{} to {} seeds, looked at after each, at a level that keeps the error over all looks", looks->first,
                           looks->last);
    return fmt::format("{} seeds, fixed beforehand", study.allSeeds().size());
}

std::string runCounts(const StudyReport& report) {
    std::vector<std::string> rows;
    for (const PlanRow& row : report.study.rows)
        rows.push_back(fmt::format("{} {}", row.name, report.valuesOf(row.name).size()));
    return fmt::format("{}; planned: {}.", fmt::join(rows, ", "), seedsWords(report.study));
}

std::string perRow(const StudyReport& report, const auto& textOf) {
    std::vector<std::string> rows;
    bool hasBegun = false;
    for (const PlanRow& row : report.study.rows)
        for (const ReportedRun& run : report.runs)
            if (run.row == row.name && run.hasBegun()) {
                hasBegun = true;
                if (const std::string text = textOf(run); !text.empty()) rows.push_back(row.name + " " + text);
                break;
            }
    if (!rows.empty()) return fmt::format("{}.", fmt::join(rows, ", "));
    return hasBegun ? "Not known: no run recorded it." : "Not known: no run has begun.";
}

std::string workers(const StudyReport& report) {
    std::set<std::string> all;
    for (const ReportedRun& run : report.runs)
        for (const TrainedOn& place : run.attempts)
            all.insert(fmt::format("{} on {}, {} thread{}{}, torch {}, Heddle {}", place.device, place.host, place.threads,
                                   place.threads == 1 ? "" : "s", place.precision.empty() ? "" : ", " + place.precision,
                                   place.torch, place.program));
    return all.empty() ? "Not known: no run has begun." : fmt::format("{}.", fmt::join(all, "; "));
}

std::string computeTime(const StudyReport& report) {
    double total = 0, failed = 0;
    std::map<std::string, std::vector<double>> perRun;
    std::int64_t peak = 0;
    for (const ReportedRun& run : report.runs) {
        total += run.seconds;
        peak = std::max(peak, run.peakBytes);
        if (run.value)
            perRun[run.row].push_back(run.seconds);
        else
            failed += run.seconds;
    }
    std::vector<std::string> rows;
    for (const auto& [row, seconds] : perRun) {
        double sum = 0;
        for (const double one : seconds) sum += one;
        rows.push_back(row + " " + timeSpent(sum / static_cast<double>(seconds.size())));
    }
    if (rows.empty()) return "Not known: no run has ended.";
    std::string answer = fmt::format("A run, on average: {}. All runs: {}", fmt::join(rows, ", "), timeSpent(total));
    if (failed > 0) answer += fmt::format(", of which {} for runs that do not count", timeSpent(failed));
    answer += ".";
    if (report.trials > 0)
        answer += fmt::format(" {} trials that chose settings: {}.", report.trials, timeSpent(report.trialSeconds));
    if (peak > 0) answer += fmt::format(" Memory of a run at most {:.0f} MiB.", static_cast<double>(peak) / (1 << 20));
    return answer + " Runs outside the study (trials by hand, other databases) are not counted.";
}

std::string selectionWords(const StudyReport& report) {
    const Study& study = report.study;
    std::string answer = fmt::format("Each run's value is its {} {} by the rule \"{}\", named beforehand.", study.metric.split,
                                     study.metric.name, study.metric.rule.text());
    if (study.metric.rule.kind == ValueRule::Kind::Best)
        answer += " The best of several evaluations is better than the model would be on new data.";
    if (study.metric.split == "test") answer += " Nothing was selected on the test set by the study.";
    const Measured& measured = report.measured;
    const std::string signature = measured.signature.empty() ? "" : ", signature " + printable(measured.signature);
    if (measured.n > 0) answer += fmt::format(" Measured on n = {}{}.", countText(measured.n), signature);
    return answer;
}

std::string otherSplit(const StudyReport& report) {
    const StudyMetric& metric = report.study.metric;
    if (report.other.values.empty())
        return fmt::format("{}no run was evaluated on {} by {}.", kNotDone, report.other.split, metric.name);
    std::vector<std::string> rows;
    for (const PlanRow& row : report.study.rows) {
        const auto values = report.other.values.find(row.name);
        rows.push_back(fmt::format("{}: {} {}, {} {}", row.name, metric.split, spreadText(report.valuesOf(row.name)),
                                   report.other.split,
                                   spreadText(values == report.other.values.end() ? SeedValues{} : values->second)));
    }
    return fmt::format("{}. Differences of {} values are not tested.", fmt::join(rows, "; "), report.other.split);
}

std::string searchWords(const StudyReport& report) {
    const auto& tuning = report.study.tuning;
    if (!tuning) return std::string(kNotDone) + "no hyperparameter was searched; there are no bounds and no trials.";
    std::vector<std::string> bounds;
    for (const TuningRange& range : tuning->ranges)
        bounds.push_back(fmt::format("{} from {:g} to {:g}{}", range.path, range.from, range.to, range.isLog ? " (log)" : ""));
    if (!tuning->path.empty()) bounds.push_back(fmt::format("{}: {:g}", tuning->path, fmt::join(tuning->values, ", ")));
    StudyVerdict told;
    told.tuning = report.verdict.tuning;
    return fmt::format("{}, for each row. {}", fmt::join(bounds, "; "), fmt::join(toldWords(report.study, told), " "));
}

std::string learningRates(const StudyReport& report) {
    const auto rateOf = [](const ReportedRun& run) {
        return run.hasSpec ? fmt::format("{:g}", run.spec.train.lr) : std::string();
    };
    return "Learning rates: " + perRow(report, rateOf) + " All other settings are in the specs beside this report.";
}

std::string methodWords(const StudyReport& report) {
    std::string answer = testWords(report.study, report.verdict);
    if (report.study.margin)
        answer += fmt::format(" Equivalence within ± {}, named beforehand, by two one-sided t tests.",
                              numberText(*report.study.margin));
    if (report.study.test == SeedTest::Paired) answer += " Exact sign flips stand beside it.";
    if (const std::string items = itemsTestWords(report.study, report.verdict); !items.empty()) answer += " " + items;
    return answer;
}

std::string parametersOf(const StudyReport& report) {
    return perRow(report, [](const ReportedRun& run) {
        return run.parameters > 0
                   ? countText(run.parameters) +
                         (run.flops ? fmt::format(" ({:.4g} training FLOPs a token)", *run.flops) : std::string())
                   : std::string();
    });
}

}  // namespace

std::vector<RefereeList> refereeAnswers(const StudyReport& report) {
    const std::string level =
        fmt::format("Error rate {:g}, power {:g}, {}.", report.study.alpha, report.study.power, seedsWords(report.study));
    return {{"NeurIPS paper checklist",
             {{"Are error bars given, and what are they?", errorBars(report)},
              {"Which factors of variability do they capture?", whatVaries(report)},
              {"How were they computed?", methodWords(report)},
              {"Which assumptions are made?", assumptionWords(report.study)},
              {"Which error rate was chosen, and when?", level},
              {"Which workers were used?", workers(report)},
              {"How much time and memory did it take?", computeTime(report)}}},
            {"Responsible NLP checklist (ACL Rolling Review)",
             {{"How many runs stand behind a result?", runCounts(report)},
              {"Which bounds were searched, with how many trials?", searchWords(report)},
              {"Which hyperparameters were used?", learningRates(report)},
              {"How was the reported value selected?", selectionWords(report)},
              {"What is the validation value beside each test value?", otherSplit(report)},
              {"How many parameters do the models have?", parametersOf(report)},
              {"How long did training take, on what?", computeTime(report) + " " + workers(report)}}}};
}

}  // namespace heddle::app
