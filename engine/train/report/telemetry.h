// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/checkpoint/train_state.h"
#include "engine/train/report/emitter.h"
#include "engine/train/step/step.h"

#include <array>
#include <chrono>
#include <vector>

namespace heddle {

/// Host-side facts of a step whose values are still in the device's ring.
struct StepFacts {
    std::int64_t labels = 0;  ///< number of labels, over which the step's loss is a mean
    std::int64_t tokens = 0;  ///< see Batch::workTokens()
    double seconds = 0;       ///< from requesting the batch until the step's calls return; a drain adds its waiting time
};

/// Drains the device's ring and emits the scalar series
///   loss (the objective, with label smoothing), accuracy (share of correct predictions in the same forward pass, if the task
///   has one), grad_norm (before clipping), lr: deterministic; tokens_per_second (without padding), step_seconds: not.
/// Records the steps divisible by record.scalars_every. Under pressure from the recorder it keeps every second, fourth, … of
/// them and records the gap.
class Telemetry {
public:
    Telemetry(TrainStep& step, const Task& task, const RecordSpec& record, Emitter& emitter);

    void stepDone(const StepFacts& facts) { pending_.push_back(facts); }
    /// At a step border: drains when the ring is full or a quarter of a second has passed. True if it did.
    bool drainIfDue(EpochSums& sums);
    /// Drains now and adds every step to `sums`. Emits all values, then throws Error(Diverged) naming the first step whose loss
    /// or gradient is not finite; that step made no update.
    void drain(EpochSums& sums);

private:
    struct Drained {
        std::vector<StepValues> values;
        std::int64_t first = 0;  ///< step of values.front()
    };
    void emitSeries(const Drained& drained);
    void adaptThinning(std::int64_t step);

    TrainStep& step_;
    bool hasAccuracy_;
    RecordSpec record_;
    Emitter& emitter_;
    std::vector<StepFacts> pending_;
    std::int64_t thinning_ = 1;
    std::chrono::steady_clock::time_point lastDrain_ = std::chrono::steady_clock::now();
};

}  // namespace heddle
