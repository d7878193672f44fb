// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"
#include "engine/train/report/step_watch.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle {

/// Norms of the updates of a step's parameters and of the weights before them.
struct UpdateNorms {
    std::int64_t step;
    at::Tensor norms_2P;
};

/// Emits series "update_ratio" with a path at every `every`-th step: the L2 norm of the update, ‖θ_t − θ_{t−1}‖, divided by
/// that of the weights before it, of each matrix ("encoder.layers.0.self.scorer.q.weight"), module, layer and stack. Frozen
/// parameters are not counted; the ratio of weights that were all zero is NaN. A watched step needs memory for a second copy of
/// the weights.
class UpdateWatch : public StepWatch<UpdateNorms> {
public:
    /// Keeps references to the store's tensors; call after Model::to(device). `every`: 0 disables it.
    UpdateWatch(const ParameterStore& parameters, std::int64_t every);

    /// Copies the weights before a step that is due.
    void begin();
    /// Stores the norms after that step on its device, without synchronisation.
    void end(std::int64_t step);
    /// Emits the stored ratios. Waits for the device.
    void emit(Emitter& emitter);

private:
    std::map<std::string, double> ratiosByPath(const UpdateNorms& taken) const;

    std::vector<std::string> paths_;
    std::vector<bool> isMatrix_;
    std::vector<at::Tensor> parameters_, before_;
};

}  // namespace heddle
