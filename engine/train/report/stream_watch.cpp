// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/stream_watch.h"

#include "engine/blocks/connections.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/variant_spec.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace heddle {
namespace {

/// Measures the stream after some sublayers.
class StreamTaps final : public Taps {
public:
    StreamTaps(const std::vector<std::string>& sublayers, const DeviceBatch& batch)
        : sublayers_(sublayers), batch_(batch), norms_(sublayers.size()) {}

    bool wants(const std::string& module, const char* exposure) const override {
        return std::string_view(exposure) == kStream && numberOf(module) < sublayers_.size();
    }
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        if (wants(module, exposure)) norms_[numberOf(module)] = measured(value, module.starts_with("encoder."));
        return value;
    }
    /// The mean and the largest norm of every sublayer, [L,2].
    at::Tensor norms() const { return at::stack(norms_); }

private:
    std::size_t numberOf(const std::string& module) const {
        return static_cast<std::size_t>(
            std::distance(sublayers_.begin(), std::find(sublayers_.begin(), sublayers_.end(), module)));
    }

    /// stream [B,S,D] or [B,S,N,D] → [2]
    at::Tensor measured(const at::Tensor& stream, bool isOfSource) const {
        at::Tensor norm_BSN = stream.detach().to(at::kFloat).norm(2, {-1});
        if (norm_BSN.dim() == 2) norm_BSN = norm_BSN.unsqueeze(-1);
        const at::Tensor& ids_BS = isOfSource ? batch_.source_BS : batch_.targetIn_BT;
        if (batch_.patches_BSP.defined() && isOfSource) return at::stack({norm_BSN.mean(), norm_BSN.max()});
        const at::Tensor isToken_BSN = ids_BS.ne(kPad).unsqueeze(-1).expand_as(norm_BSN);
        const at::Tensor ofTokens_BSN = norm_BSN.masked_fill(isToken_BSN.logical_not(), 0);
        return at::stack({ofTokens_BSN.sum() / isToken_BSN.sum(), ofTokens_BSN.max()});
    }

    const std::vector<std::string>& sublayers_;
    const DeviceBatch& batch_;
    std::vector<at::Tensor> norms_;
};

}  // namespace

StreamWatch::StreamWatch(const ResolvedVariant& variant, std::int64_t every) : StepWatch(every) {
    for (const char* stack : {"encoder", "decoder"}) {
        std::int64_t number = 0;
        for (const ResolvedLayer& layer : layersOf(variant, stack)) {
            layers_.push_back(std::string(stack) + ".layers." + std::to_string(number++));
            lastSublayers_.push_back(layer.sublayers.back().path);
        }
    }
}

void StreamWatch::take(std::int64_t step, const Model& model, const Task& task, const DeviceBatch& batch,
                       const ComputePlace& place) {
    const at::NoGradGuard noGrad;
    StreamTaps taps(lastSublayers_, batch);
    Forward forward;
    forward.taps = &taps;
    const AutocastScope autocast(place.device, place.precision);
    if (!task.headInput(model, batch, forward).defined()) task.logits(model, batch, forward);
    taken_.push_back({step, taps.norms()});
}

void StreamWatch::emit(Emitter& emitter) {
    if (taken_.empty()) return;
    StepBlock block;
    for (const StreamNorms& one : taken_) {
        const at::Tensor host_L2 = one.meanAndMost_L2.to(at::kCPU).contiguous();
        const auto norms = host_L2.accessor<float, 2>();
        for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
            const auto row = norms[static_cast<std::int64_t>(layer)];
            block.series.push_back({"stream_norm", layers_[layer], one.step, 1, {row[0]}, true});
            block.series.push_back({"stream_norm_max", layers_[layer], one.step, 1, {row[1]}, true});
        }
    }
    emitter.emitAt(taken_.back().step, std::move(block));
    taken_.clear();
}

}  // namespace heddle
