// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"
#include "engine/device/precision.h"
#include "engine/model/model.h"
#include "engine/tasks/task.h"
#include "engine/train/report/emitter.h"
#include "engine/train/report/sentence_pass.h"

#include <vector>

namespace heddle {

/// The pinned probe sentences of a run: the first validation examples. take() runs the model on each (teacher forcing,
/// evaluation mode, one sentence at a time, so without padding) and emits as MapTaken the attention weights of every head of
/// every attention sublayer, and gates over pairs of positions (score gates, the halves of directional values). Shares no state
/// with training: no gradient, no random numbers.
class ProbeMaps {
public:
    /// Data and task must outlive it.
    ProbeMaps(const RunData& data, const Task& task, std::int64_t count, const ComputePlace& place);

    bool empty() const { return probes_.empty(); }
    /// Also emits the measures of the first probe's maps as series at `step`. Before a large map it waits until the recorder
    /// has room, and stops waiting when the recorder makes none.
    void take(const Model& model, std::int64_t step, Emitter& emitter) const;

    /// Steps 1, 2, 4, … below `every`, then every multiple of it; never when `every` is 0.
    static bool isDue(std::int64_t step, std::int64_t every);

private:
    std::vector<SentenceInput> probes_;
    const Task& task_;
    ComputePlace place_;
};

}  // namespace heddle
