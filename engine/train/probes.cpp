// SPDX-License-Identifier: Apache-2.0
#include "engine/train/probes.h"

#include "engine/device/torch_pch.h"
#include "engine/train/device_batch.h"
#include "engine/train/exposures.h"

#include <map>
#include <utility>

namespace heddle {
namespace {

using Quantity = Exposure::Quantity;

/// Attention weights, and gates over pairs of positions. Scores before them would double what is stored and say the same.
bool isMapped(const Exposure& exposure) {
    const bool weightOrGate = exposure.quantity == Quantity::Weight || exposure.quantity == Quantity::UnitGate ||
                              exposure.quantity == Quantity::SignedGate;
    return exposure.map && exposure.axes == "BHQK" && weightOrGate;
}

/// Keeps what the model shows as maps.
class MapWatch final : public Taps {
public:
    struct Kept {
        const ModuleExposure* shown;
        at::Tensor value_BHQK;
    };
    explicit MapWatch(const std::vector<ModuleExposure>& mapped) {
        for (const ModuleExposure& one : mapped) mapped_[one.module + "." + one.exposure.id] = &one;
    }
    bool wants(const std::string& module, const char* exposure) const override {
        return mapped_.contains(module + "." + exposure);
    }
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& value) override {
        const auto found = mapped_.find(module + "." + exposure);
        if (found != mapped_.end()) kept_.push_back({found->second, value.detach()});
        return value;
    }
    const std::vector<Kept>& kept() const { return kept_; }

private:
    std::map<std::string, const ModuleExposure*> mapped_;
    std::vector<Kept> kept_;
};

std::vector<std::string> tokensOf(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids) {
    std::vector<std::string> tokens;
    for (const auto id : ids) tokens.push_back(tokenizer.token(static_cast<std::int32_t>(id)));
    return tokens;
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
    std::vector<ModuleExposure> mapped = exposuresOf(model.variant(), builtinCatalogue());
    std::erase_if(mapped, [](const ModuleExposure& one) { return !isMapped(one.exposure); });
    for (std::size_t i = 0; i < probes_.size(); ++i) {
        const Probe& probe = probes_[i];
        MapWatch watch(mapped);
        Forward forward;
        forward.taps = &watch;
        const DeviceBatch input = toDevice(probe.batch, device_);
        {
            const AutocastScope autocast(device_, precision_);
            model.decode({input.targetIn_BT, {}}, {model.encode({input.source_BS, {}}, forward), input.source_BS}, forward);
        }
        for (const auto& [shown, value_BHQK] : watch.kept()) {
            const std::string& path = shown->sublayer;
            const auto map = value_BHQK.select(0, 0).to(at::kCPU, at::kFloat).contiguous();
            MapTaken taken{shown->exposure.id,
                           shown->module,
                           static_cast<std::int64_t>(i),
                           map.size(0),
                           map.size(1),
                           map.size(2),
                           {},
                           {},
                           {}};
            taken.values.assign(map.const_data_ptr<float>(), map.const_data_ptr<float>() + map.numel());
            const bool encodes = path.starts_with("encoder."), looksAcross = path.ends_with(".cross");
            taken.rowTokens = encodes ? probe.sourceTokens : probe.targetTokens;
            taken.columnTokens = encodes || looksAcross ? probe.sourceTokens : probe.targetTokens;
            emitter.emit(std::move(taken));
        }
    }
}

}  // namespace heddle
