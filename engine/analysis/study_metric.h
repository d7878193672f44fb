// SPDX-License-Identifier: Apache-2.0
// Which number of a run is its value in a study.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Which of a run's evaluations is its value. Chosen before the runs are looked at: the best of many evaluations is lower than
/// what the model would give on new data, the last one is not.
struct ValueRule {
    enum class Kind { Best, Last, AtStep, MeanOfLast, Averaged };
    Kind kind = Kind::Last;
    std::int64_t number = 0;  ///< AtStep: the step; MeanOfLast: how many evaluations; Averaged: of how many checkpoints
    bool operator==(const ValueRule&) const = default;

    /// "best", "last", "step 4000", "mean of last 3" (values), "average of last 5" (weights: the value of one model, the mean
    /// of so many checkpoints, as `heddle evaluate --average 5` records it).
    std::string text() const;
    /// Throws Error(InvalidInput).
    static ValueRule parse(const std::string& text, const std::string& where);
};

/// A value at a step.
struct Evaluated {
    std::int64_t step = 0;
    double value = 0;
};

/// The value of a run whose evaluations of one metric and split are `all`, ascending in step; nothing where the rule finds
/// none (no evaluation at that step, fewer than so many).
std::optional<double> valueBy(const ValueRule& rule, const std::vector<Evaluated>& all, bool lowerIsBetter);

struct StudyMetric {
    std::string split = "valid", name = "loss";
    ValueRule rule;
    bool lowerIsBetter = true;
    bool operator==(const StudyMetric&) const = default;

    /// The split of the evaluations that the rule chooses from: "valid", "valid-average-5".
    std::string recordedSplit() const;
};

}  // namespace heddle
