// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shape legend: R rows (J jobs of P paths each), M extensions of a job, V vocabulary.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

namespace heddle {

/// Extensions of the paths of every job, best first.
struct DeviceChoice {
    at::Tensor token_JM, parent_JM;  ///< int64; the number of the path among those of its job
    at::Tensor logProbability_JM;    ///< float64, of the whole; −∞: there is none
};

/// Chooses the next tokens where the logits are: a Sampler whose work a device can capture.
class DeviceSampler {
public:
    virtual ~DeviceSampler() = default;
    /// `before`: log P of the paths; −∞: there is none. Raw logits, float32; may be written over. What a Sampler gives is
    /// among them: keepBeam() finds it.
    virtual DeviceChoice choose(const at::Tensor& logits_RV, const at::Tensor& before_JP) const = 0;
    /// Those that go on, P of a job; which of them are no longer followed is for others to know.
    virtual DeviceChoice going(const DeviceChoice& all) const = 0;
};

std::unique_ptr<DeviceSampler> makeDeviceGreedySampler();
std::unique_ptr<DeviceSampler> makeDeviceBeamSampler(std::int64_t beam);

}  // namespace heddle
