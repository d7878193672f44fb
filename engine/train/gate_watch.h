// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/taps.h"
#include "engine/data/dataset.h"
#include "engine/spec/variant_spec.h"
#include "engine/train/emitter.h"
#include "engine/train/histogram.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// Takes histograms of what the variant's blocks expose for it in a training forward pass: gates (quantity unit_gate or
/// signed_gate, axes BSD: GRC's gate, EAU's evaluation and adjustment, StarSaber's r and i) and what does not belong to a
/// position (ReZero's α, a fixed point's iterations). Of gates only the first kSampledPositions real positions of a batch are
/// counted (padding never is), so that the cost does not grow with the batch; 128 positions × d values show the distribution
/// well. The counts stay on the device until emit().
class GateWatch final : public Taps {
public:
    static constexpr std::size_t kSampledPositions = 128;

    GateWatch(const ResolvedVariant& variant, const Catalogue& catalogue, const at::Device& device);

    bool watchesAnything() const { return !watched_.empty(); }
    /// Prepares for the forward pass of `step` over `batch`.
    void begin(std::int64_t step, const Batch& batch);
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override;
    bool wants(const std::string& module, const char* exposure) const override;
    /// Copies what was counted since the last call to the host and emits it, each at its step.
    void emit(Emitter& emitter);

private:
    struct Counted {
        std::int64_t step;
        std::string module, exposure;
        HistogramRange range;
        at::Tensor row;
    };
    at::Device device_;
    struct Watched {
        HistogramRange range;
        bool hasPositions;  ///< [B,S,…]: sampled
    };
    at::Tensor sample(const Watched& watched, const std::string& module, const at::Tensor& value) const;

    std::map<std::string, Watched> watched_;  ///< by "<module>.<exposure>"
    std::int64_t step_ = 0;
    at::Tensor sourcePositions_, targetPositions_;  ///< into the flattened [B·S]
    std::vector<Counted> counted_;
};

}  // namespace heddle
