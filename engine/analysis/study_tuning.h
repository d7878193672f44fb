// SPDX-License-Identifier: Apache-2.0
// Equal tuning: every row of a study gets the same trials over the same range, with a seed that is not used later, and its best
// trial's values are those of its runs. A variant that was tuned longer than its baseline wins for that reason alone.
#pragma once

#include "engine/analysis/study_metric.h"
#include "engine/base/json_fwd.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// What one trial sets.
struct Trial {
    std::map<std::string, double> values;  ///< by path: "train.lr"
    std::int64_t steps = 0;                ///< of its rung; 0: as many as the row's runs take
    auto operator<=>(const Trial&) const = default;

    /// Of its values alone, as after --set: what the runs of the row get if it is the best.
    std::vector<std::string> assignments() const;
    /// The same with its number of steps: what the trial itself is trained with.
    std::vector<std::string> trained() const;
    /// "lr 0.001, 300 steps".
    std::string text() const;
};

struct TuningRange {
    std::string path;
    double from = 0, to = 0;
    bool isLog = true;     ///< drawn evenly in log(value)
    bool isWhole = false;  ///< both ends are whole numbers: so is what is drawn
    bool operator==(const TuningRange&) const = default;
};

struct Tuning {
    /// Grid: all values of one path. Random: draws from ranges (Bergstra and Bengio 2012). Halving: draws, of which the best
    /// third of each rung is trained for the next rung's number of steps (Jamieson and Talwalkar 2016; of ASHA, Li et al. 2020,
    /// with one machine). Each rung trains anew: to extend a run would change the schedule of its learning rate.
    enum class Kind { Grid, Random, Halving };
    Kind kind = Kind::Grid;
    std::string path;              ///< Grid
    std::vector<double> values;    ///< Grid: ascending
    std::optional<double> around;  ///< Grid: `values` are made from it, half a decade apart
    bool isWhole = false;          ///< Grid: all values are whole numbers, and those beyond them are
    std::vector<TuningRange> ranges;
    std::size_t trials = 0;           ///< Random, Halving
    std::vector<std::int64_t> rungs;  ///< Halving: steps, ascending
    std::uint64_t seed = 1001;        ///< of all trials, and of the draws
    StudyMetric metric;
    bool operator==(const Tuning&) const = default;

    /// `metric` is left out where it is `usual`, the study's.
    Json toJson(const StudyMetric& usual) const;
    /// `seeds`: of the study, none of which a trial may use. Throws Error(InvalidInput) naming `where` and the key.
    static Tuning parse(const Json& document, const StudyMetric& usual, const std::vector<std::uint64_t>& seeds,
                        const std::string& where);
};

/// Five values half a decade apart, with three digits: 0.0001, 0.000316, 0.001, 0.00316, 0.01 around 0.001.
std::vector<double> valuesAround(double middle);

/// A grid is extended by so many values on a side at most.
inline constexpr int kMostExtensions = 3;
/// Of the trials of a rung one in so many is trained for the next one.
inline constexpr std::size_t kHalving = 3;

/// A trial of one row.
struct TrialOutcome {
    Trial trial;
    bool isDone = false;
    std::optional<double> value;  ///< nothing of one that is done: it diverged, which is worse than any value
};

struct RowTuning {
    std::string row;
    std::vector<TrialOutcome> trials;  ///< in the order in which they are trained
    std::optional<Trial> chosen;       ///< without steps; nothing while trials are open, or where all of them diverged
    bool atEdge = false;               ///< the best value is the last one on its side, though the grid was extended
};

struct TuningOutcome {
    std::vector<RowTuning> rows;
    bool isDone = false;  ///< all trials of all rows are there

    const RowTuning* of(const std::string& row) const;
};

/// The values of the trials that are done, by row; nothing: the trial diverged.
using TrialValues = std::map<std::string, std::map<Trial, std::optional<double>>>;

/// Which trials there must be, as far as `known` tells, and what was chosen. A grid of which some row's best value is the last
/// one is extended on that side for all rows. `canBe`: whether a value beyond the grid is one that the spec allows.
TuningOutcome tune(const Tuning& tuning, const std::vector<std::string>& rows, const TrialValues& known,
                   const std::function<bool(const Trial&)>& canBe);

/// The trials of a random search, all different: the same for the same tuning, whatever the machine (Philox). Fewer than asked
/// for where the ranges have no more.
std::vector<Trial> drawnTrials(const Tuning& tuning);

}  // namespace heddle
