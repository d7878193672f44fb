// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/precision.h"
#include "engine/model/model.h"
#include "engine/tasks/task.h"
#include "engine/train/report/step_watch.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Lengths of the residual stream after each layer, before a step.
struct StreamNorms {
    std::int64_t step;
    at::Tensor meanAndMost_L2;  ///< a row for each layer, in the order of StreamWatch::layers()
};

/// Emits, at every `every`-th step and for every layer (path "encoder.layers.0"), the L2 norm of the vectors of the residual
/// stream after the layer: "stream_norm" is the mean over the tokens, "stream_norm_max" the largest. They are those of the
/// step's first micro-batch with the weights before its update, without dropout; padding is left out. With several streams
/// every one counts; of a layer that is passed several times the last pass counts. A measured step takes a forward pass more.
class StreamWatch : public StepWatch<StreamNorms> {
public:
    /// `every`: 0 disables it.
    StreamWatch(const ResolvedVariant& variant, std::int64_t every);

    const std::vector<std::string>& layers() const { return layers_; }
    /// Stores the norms on the device, without synchronisation.
    void take(std::int64_t step, const Model& model, const Task& task, const DeviceBatch& batch, const ComputePlace& place);
    /// Emits the stored norms. Waits for the device.
    void emit(Emitter& emitter);

private:
    std::vector<std::string> layers_, lastSublayers_;  ///< parallel
};

}  // namespace heddle
