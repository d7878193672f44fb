// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/taps.h"
#include "engine/data/batching/dataset.h"
#include "engine/spec/variant_spec.h"
#include "engine/train/report/emitter.h"
#include "engine/train/report/histogram.h"
#include "engine/train/step/step_input.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

namespace heddle {

/// What was counted in one forward pass, on the device: a row [bins and sums] for each exposure, in the order in which they
/// were met.
struct WatchedStep {
    struct Counted {
        std::string module, exposure;
        HistogramRange range;
    };
    std::vector<Counted> counted;
    at::Tensor rows_EC;  ///< float64; undefined: nothing was counted
};

/// Takes histograms of what the variant's blocks expose for it in a training forward pass: gates (quantity unit_gate or
/// signed_gate, axes BSD: GRC's gate, EAU's evaluation and adjustment, StarSaber's r and i) and what does not belong to a
/// position (ReZero's α, a fixed point's iterations). Of gates only the first kSampledPositions real positions of a batch are
/// counted (padding never is), so that the cost does not grow with the batch; 128 positions × d values show the distribution
/// well. The counts stay on the device until emit(). A device can capture a watched pass: where it reads, the input says.
class GateWatch final : public Taps {
public:
    static constexpr std::size_t kSampledPositions = 128;

    GateWatch(const ResolvedVariant& variant, const Catalogue& catalogue, const at::Device& device);

    bool watchesAnything() const { return !watched_.empty(); }
    /// The positions of `batch` that are counted.
    static StepNumbers::Sampled sampled(const Batch& batch);
    /// Counts from here on, at the positions that lie in `input`.
    void begin(const StepInput& input);
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override;
    bool wants(const std::string& module, const char* exposure) const override;
    /// What was counted since begin().
    WatchedStep take();

    /// Keeps a copy of what was counted in `step`.
    void keep(std::int64_t step, const WatchedStep& watched);
    /// Copies to the host what was kept since the last emit(), and emits every histogram at its step.
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
    std::vector<at::Tensor> rows_;  ///< one for each of counted_
    struct Kept {
        std::int64_t step;
        WatchedStep watched;
    };
    std::vector<Kept> kept_;
};

}  // namespace heddle
