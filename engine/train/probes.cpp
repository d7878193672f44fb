// SPDX-License-Identifier: Apache-2.0
#include "engine/train/probes.h"

#include "engine/device/torch_pch.h"
#include "engine/train/device_batch.h"

#include <set>
#include <string_view>
#include <utility>

namespace heddle {
namespace {

constexpr const char* kWeight = "weight";  ///< the exposure of every scorer: attention after the softmax

/// Keeps the attention weights of the sublayers named.
class AttentionWatch final : public Taps {
public:
    explicit AttentionWatch(const std::vector<std::string>& paths) : paths_(paths.begin(), paths.end()) {}
    bool wants(const std::string& module, const char* exposure) const override {
        return std::string_view(exposure) == kWeight && paths_.contains(module);
    }
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        if (wants(module, exposure)) kept_.emplace_back(module, value.detach());
        return value;
    }
    const std::vector<std::pair<std::string, at::Tensor>>& kept() const { return kept_; }

private:
    std::set<std::string> paths_;
    std::vector<std::pair<std::string, at::Tensor>> kept_;
};

std::vector<std::string> tokensOf(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids) {
    std::vector<std::string> tokens;
    for (const auto id : ids) tokens.push_back(tokenizer.token(static_cast<std::int32_t>(id)));
    return tokens;
}

bool isSide(const std::string& path, std::string_view stack, std::string_view name) {
    return path.rfind(stack, 0) == 0 && path.size() > name.size() &&
           path.compare(path.size() - name.size(), name.size(), name) == 0;
}

}  // namespace

ProbeMaps::ProbeMaps(const TranslationData& data, std::int64_t count, const at::Device& device, Precision precision)
    : device_(device), precision_(precision) {
    for (std::int64_t i = 0; i < std::min(count, data.valid.size()); ++i) {
        Probe probe{makeBatch(data.valid, {i}), {}, {}};
        probe.sourceTokens = tokensOf(*data.sourceTokenizer, probe.batch.source);
        probe.targetTokens = tokensOf(*data.targetTokenizer, probe.batch.targetIn);
        probes_.push_back(std::move(probe));
    }
}

bool ProbeMaps::isDue(std::int64_t step, std::int64_t every) {
    if (every <= 0 || step < 1) return false;
    const bool isPowerOfTwo = (step & (step - 1)) == 0;
    return step % every == 0 || (step < every && isPowerOfTwo);
}

void ProbeMaps::take(const Model& model, Emitter& emitter) const {
    const at::NoGradGuard noGrad;
    for (std::size_t i = 0; i < probes_.size(); ++i) {
        const Probe& probe = probes_[i];
        AttentionWatch watch(model.attentionPaths());
        Forward forward;
        forward.taps = &watch;
        const DeviceBatch input = toDevice(probe.batch, device_);
        {
            const AutocastScope autocast(device_, precision_);
            model.decode(input.targetIn_BT, model.encode(input.source_BS, forward), input.source_BS, forward);
        }
        for (const auto& [path, weights_BHQK] : watch.kept()) {
            const auto map = weights_BHQK.select(0, 0).to(at::kCPU, at::kFloat).contiguous();
            MapTaken taken{kWeight, path, static_cast<std::int64_t>(i), map.size(0), map.size(1), map.size(2), {}, {}, {}};
            taken.values.assign(map.const_data_ptr<float>(), map.const_data_ptr<float>() + map.numel());
            taken.rowTokens = isSide(path, "encoder.", "self") ? probe.sourceTokens : probe.targetTokens;
            taken.columnTokens = isSide(path, "decoder.", "self") ? probe.targetTokens : probe.sourceTokens;
            emitter.emit(std::move(taken));
        }
    }
}

}  // namespace heddle
