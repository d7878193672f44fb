// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/study_tuning.h"

#include "engine/analysis/run_group.h"
#include "engine/base/json.h"
#include "engine/base/philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

namespace heddle {
namespace {

constexpr int kAround = 2;                    ///< values of a grid on each side of the one in the middle
constexpr std::uint32_t kDraws = 0x54554E45;  ///< "TUNE": the stream of draws, apart from all others of the seed

/// Three significant digits, as people write learning rates.
double rounded(double value, bool isWhole) {
    return isWhole ? std::round(value) : std::strtod(fmt::format("{:.3g}", value).c_str(), nullptr);
}

Trial trialOf(const std::string& path, double value) { return {{{path, value}}, 0}; }

double valueAround(double middle, int place) { return rounded(middle * std::pow(10.0, 0.5 * (place - kAround)), false); }

/// A value of the grid; `place` may lie beyond its ends, where values go on as its last two do: by their ratio, or by their
/// difference where a value is not above 0.
double gridValue(const Tuning& tuning, int place) {
    if (tuning.around) return valueAround(*tuning.around, place);
    const auto& values = tuning.values;
    const int count = int(values.size());
    if (place >= 0 && place < count) return values[std::size_t(place)];
    const bool isBelow = place < 0;
    const double end = isBelow ? values.front() : values.back(), beside = isBelow ? values[1] : values[values.size() - 2];
    const int beyond = isBelow ? -place : place - count + 1;
    const double value = values.front() > 0 ? end * std::pow(end / beside, beyond) : end + (end - beside) * beyond;
    return rounded(value, tuning.isWhole);
}

/// The place of the best value; nothing where all diverged.
std::optional<std::size_t> bestOf(const std::vector<TrialOutcome>& trials, bool lowerIsBetter) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (!trials[i].value) continue;
        const bool isBetter =
            !best || (lowerIsBetter ? *trials[i].value < *trials[*best].value : *trials[i].value > *trials[*best].value);
        if (isBetter) best = i;
    }
    return best;
}

std::vector<TrialOutcome> outcomesOf(const std::vector<Trial>& trials, const std::string& row, const TrialValues& known) {
    const auto ofRow = known.find(row);
    std::vector<TrialOutcome> outcomes;
    for (const Trial& trial : trials) {
        outcomes.push_back({trial, false, {}});
        if (ofRow == known.end()) continue;
        if (const auto found = ofRow->second.find(trial); found != ofRow->second.end())
            outcomes.back() = {trial, true, found->second};
    }
    return outcomes;
}

bool areDone(const std::vector<TrialOutcome>& trials) {
    return std::all_of(trials.begin(), trials.end(), [](const TrialOutcome& one) { return one.isDone; });
}

/// The same trials for every row.
TuningOutcome outcomeOf(const std::vector<Trial>& trials, const std::vector<std::string>& rows, const TrialValues& known) {
    TuningOutcome outcome;
    for (const std::string& row : rows) outcome.rows.push_back({row, outcomesOf(trials, row, known), {}, false});
    outcome.isDone =
        std::all_of(outcome.rows.begin(), outcome.rows.end(), [](const RowTuning& row) { return areDone(row.trials); });
    return outcome;
}

TuningOutcome searchGrid(const Tuning& tuning, const std::vector<std::string>& rows, const TrialValues& known,
                         const std::function<bool(const Trial&)>& canBe) {
    int first = 0, last = int(tuning.values.size()) - 1;
    const int end = last;
    const auto isOpen = [&](int place) {  // whether the grid can be extended to this place
        const double value = gridValue(tuning, place), beside = gridValue(tuning, place < 0 ? place + 1 : place - 1);
        return (place < 0 ? value < beside : value > beside) && canBe(trialOf(tuning.path, value));
    };
    for (;;) {
        std::vector<Trial> trials;
        for (int place = first; place <= last; ++place) trials.push_back(trialOf(tuning.path, gridValue(tuning, place)));
        TuningOutcome outcome = outcomeOf(trials, rows, known);
        if (!outcome.isDone) return outcome;
        bool isLowest = false, isHighest = false;
        for (RowTuning& row : outcome.rows) {
            const auto best = bestOf(row.trials, tuning.metric.lowerIsBetter);
            if (!best) continue;
            row.chosen = row.trials[*best].trial;
            const bool isFirst = *best == 0, isLast = *best + 1 == row.trials.size();
            row.atEdge = isFirst || isLast;
            isLowest = isLowest || isFirst;
            isHighest = isHighest || isLast;
        }
        const bool extendsLow = isLowest && -first < kMostExtensions && isOpen(first - 1);
        const bool extendsHigh = isHighest && last - end < kMostExtensions && isOpen(last + 1);
        if (!extendsLow && !extendsHigh) return outcome;
        first -= int(extendsLow);
        last += int(extendsHigh);
    }
}

TuningOutcome searchRandom(const Tuning& tuning, const std::vector<std::string>& rows, const TrialValues& known) {
    TuningOutcome outcome = outcomeOf(drawnTrials(tuning), rows, known);
    if (!outcome.isDone) return outcome;
    for (RowTuning& row : outcome.rows)
        if (const auto best = bestOf(row.trials, tuning.metric.lowerIsBetter)) row.chosen = row.trials[*best].trial;
    return outcome;
}

/// The best third of the trials of a rung, at least one; those that diverged are not among them.
std::vector<Trial> survivorsOf(std::vector<TrialOutcome> rung, bool lowerIsBetter) {
    const std::size_t places = (rung.size() + kHalving - 1) / kHalving;
    std::erase_if(rung, [](const TrialOutcome& one) { return !one.value; });
    std::stable_sort(rung.begin(), rung.end(), [lowerIsBetter](const TrialOutcome& a, const TrialOutcome& b) {
        return lowerIsBetter ? *a.value < *b.value : *a.value > *b.value;
    });
    std::vector<Trial> best;
    for (std::size_t i = 0; i < std::min(places, rung.size()); ++i) best.push_back(rung[i].trial);
    return best;
}

void halve(RowTuning& row, const Tuning& tuning, const TrialValues& known) {
    std::vector<Trial> rung = drawnTrials(tuning);
    for (const std::int64_t steps : tuning.rungs) {
        for (Trial& trial : rung) trial.steps = steps;
        const auto outcomes = outcomesOf(rung, row.row, known);
        row.trials.insert(row.trials.end(), outcomes.begin(), outcomes.end());
        if (!areDone(outcomes)) return;
        rung = survivorsOf(outcomes, tuning.metric.lowerIsBetter);
        if (rung.empty()) return;  // all diverged
    }
    row.chosen = rung.front();
    row.chosen->steps = 0;
}

}  // namespace

std::vector<std::string> Trial::assignments() const {
    std::vector<std::string> all;
    for (const auto& [path, value] : values) {
        const bool isWhole = value == std::round(value) && std::abs(value) < 1e15;
        all.push_back(path + "=" + (isWhole ? Json(std::int64_t(value)) : Json(value)).dump());
    }
    return all;
}

std::vector<std::string> Trial::trained() const {
    std::vector<std::string> all = assignments();
    if (steps > 0) all.insert(all.end(), {fmt::format("train.steps={}", steps), "train.epochs=0"});
    return all;
}

std::string Trial::text() const {
    std::string text;
    for (const auto& [path, value] : values) text += fmt::format("{}{} {:g}", text.empty() ? "" : ", ", shortPath(path), value);
    return steps > 0 ? text + fmt::format(", {} steps", steps) : text;
}

const RowTuning* TuningOutcome::of(const std::string& row) const {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const RowTuning& one) { return one.row == row; });
    return found == rows.end() ? nullptr : &*found;
}

std::vector<double> valuesAround(double middle) {
    std::vector<double> values;
    for (int place = 0; place <= 2 * kAround; ++place) values.push_back(valueAround(middle, place));
    return values;
}

TuningOutcome tune(const Tuning& tuning, const std::vector<std::string>& rows, const TrialValues& known,
                   const std::function<bool(const Trial&)>& canBe) {
    if (tuning.kind == Tuning::Kind::Grid) return searchGrid(tuning, rows, known, canBe);
    if (tuning.kind == Tuning::Kind::Random) return searchRandom(tuning, rows, known);
    TuningOutcome outcome;
    outcome.isDone = true;
    for (const std::string& row : rows) {
        outcome.rows.push_back({row, {}, {}, false});
        halve(outcome.rows.back(), tuning, known);
        outcome.isDone = outcome.isDone && areDone(outcome.rows.back().trials);
    }
    return outcome;
}

std::vector<Trial> drawnTrials(const Tuning& tuning) {
    constexpr std::uint64_t kTriesATrial = 100;
    const philox::Key key{static_cast<std::uint32_t>(tuning.seed), static_cast<std::uint32_t>(tuning.seed >> 32)};
    std::vector<Trial> trials;
    std::set<Trial> known;
    for (std::uint64_t draw = 0; trials.size() < tuning.trials && draw < kTriesATrial * tuning.trials; ++draw) {
        Trial trial;
        for (std::size_t i = 0; i < tuning.ranges.size(); ++i) {
            const TuningRange& range = tuning.ranges[i];
            const std::uint32_t word = philox::draw({key, static_cast<std::uint32_t>(i), kDraws}, draw)[0];
            const double share = (double(word) + 0.5) / 4294967296.0;
            const double value = range.isLog ? range.from * std::pow(range.to / range.from, share)
                                             : range.from + (range.to - range.from) * share;
            trial.values[range.path] = std::clamp(rounded(value, range.isWhole), range.from, range.to);
        }
        if (known.insert(trial).second) trials.push_back(std::move(trial));
    }
    return trials;
}

}  // namespace heddle
