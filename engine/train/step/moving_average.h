// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"
#include "engine/train/checkpoint/named_tensors.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// The exponential moving average of the trained weights (Kingma and Ba 2015, section 7.2): after update t,
/// m_t = β m_{t−1} + (1−β) θ_t from m_0 = 0, and θ̄_t = m_t ÷ (1−β^t), a weighted mean of θ_1 … θ_t without the initial weights;
/// θ̄_0 = θ_0. m is on the device of the parameters and in their type; an update never synchronises. One thread.
class MovingAverage {
public:
    /// Keeps references to the tensors of the store that are trained; call after Model::to(device). 0 < decay < 1.
    MovingAverage(const ParameterStore& parameters, double decay);

    /// Takes the parameters in, after their update; may be captured in a graph.
    void add();

    /// θ̄ by parameter path, after so many updates.
    NamedTensors weights(std::int64_t updates) const;

    /// What the next update depends on: m as "PATH.ema" and θ as "PATH.trained", since a checkpoint's weights are θ̄. The
    /// tensors are shared, so that a restored state is copied into them.
    NamedTensors state() const;

    /// During its lifetime the parameters are θ̄; afterwards they are what they were, to the bit.
    class Use {
    public:
        Use(const MovingAverage& average, std::int64_t updates);
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

    private:
        const MovingAverage& average_;
        std::vector<at::Tensor> trained_;
    };

private:
    double decay_;
    std::vector<std::string> paths_;
    std::vector<at::Tensor> parameters_, means_;
};

}  // namespace heddle
