// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shape legend: R rows (J jobs of P paths each), M extensions per job, V vocabulary.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

namespace heddle {

/// The extensions of every job, best first.
struct DeviceChoice {
    at::Tensor token_JM, parent_JM;  ///< int64; parent: index of the extended path within its job
    at::Tensor logProbability_JM;    ///< float64, of the whole text; −∞: no extension
};

/// A Sampler that runs on the logits' device and can be captured in a graph.
class DeviceSampler {
public:
    virtual ~DeviceSampler() = default;
    /// `before`: log P of the paths; −∞: no path. Raw logits, float32; may be overwritten. Returns a superset of what the
    /// Sampler would; keepBeam() reduces it.
    virtual DeviceChoice choose(const at::Tensor& logits_RV, const at::Tensor& before_JP) const = 0;
    /// The P extensions of each job that the search continues with. Texts decides which of them are still needed.
    virtual DeviceChoice continued(const DeviceChoice& all) const = 0;
};

std::unique_ptr<DeviceSampler> makeDeviceGreedySampler();
std::unique_ptr<DeviceSampler> makeDeviceBeamSampler(std::int64_t beam);

}  // namespace heddle
