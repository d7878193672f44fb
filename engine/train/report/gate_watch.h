// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/taps.h"
#include "engine/data/batching/batch.h"
#include "engine/spec/variant_spec.h"
#include "engine/train/report/emitter.h"
#include "engine/train/report/histogram.h"
#include "engine/train/step/step_input.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// Histograms of one forward pass, on the device: a row [bins and sums] per exposure, in the order of the pass.
struct WatchedStep {
    struct Counted {
        std::string module, exposure;
        HistogramRange range;
    };
    std::vector<Counted> counted;
    at::Tensor rows_EC;  ///< float64; undefined: no histograms
};

/// Computes histograms of exposures in a training forward pass: gates (quantity unit_gate or signed_gate, axes BSD: GRC's gate,
/// EAU's evaluation and adjustment, StarSaber's r and i) and exposures without positions (ReZero's α, a fixed point's
/// iterations). For gates it samples the first kSampledPositions positions of a batch that are not padding, so that the cost
/// does not grow with the batch. The counts stay on the device until emit(). A watched pass can be captured: the sampled
/// positions are part of the StepInput.
class GateWatch final : public Taps {
public:
    static constexpr std::size_t kSampledPositions = 128;

    GateWatch(const ResolvedVariant& variant, const at::Device& device);

    bool watchesAnything() const { return !watched_.empty(); }
    /// The sampled positions of `batch`.
    static StepNumbers::Sampled sampled(const Batch& batch);
    /// Starts counting at the sampled positions of `input`.
    void begin(const StepInput& input);
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override;
    bool wants(const std::string& module, const char* exposure) const override;
    /// The counts since begin().
    WatchedStep take();

    /// Stores a copy of the counts of `step`.
    void keep(std::int64_t step, const WatchedStep& watched);
    /// Copies the stored counts to the host and emits every histogram at its step.
    void emit(Emitter& emitter);

private:
    at::Device device_;
    struct Watched {
        HistogramRange range;
        bool hasPositions;  ///< [B,S,…]: sampled
    };
    at::Tensor sample(const Watched& watched, const std::string& module, const at::Tensor& value) const;

    std::map<std::string, Watched> watched_;        ///< by "<module>.<exposure>"
    at::Tensor sourcePositions_, targetPositions_;  ///< into the flattened [B·S]
    std::vector<WatchedStep::Counted> counted_;
    std::vector<at::Tensor> rows_;  ///< one per entry of counted_
    struct Kept {
        std::int64_t step;
        WatchedStep watched;
    };
    std::vector<Kept> kept_;
};

}  // namespace heddle
