// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/probes.h"

#include "engine/device/torch_pch.h"
#include "engine/model/device_batch.h"
#include "engine/spec/exposures.h"
#include "engine/train/report/map_measures.h"

#include <algorithm>
#include <map>
#include <utility>

namespace heddle {
namespace {

using Quantity = Exposure::Quantity;

/// Attention weights and gates over pairs of positions. Raw scores are not stored, since the weights follow from them.
bool isMapped(const Exposure& exposure) {
    const bool weightOrGate = exposure.quantity == Quantity::Weight || exposure.quantity == Quantity::UnitGate ||
                              exposure.quantity == Quantity::SignedGate;
    return exposure.map && exposure.axes == "BHQK" && weightOrGate;
}

/// Scores before the softmax, possibly with carried scores: used for the similarity of heads.
bool isScore(const Exposure& exposure) { return exposure.axes == "BHQK" && exposure.quantity == Quantity::Score; }

/// Records exposures as maps.
class MapWatch final : public Taps {
public:
    struct Recorded {
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
        if (found != mapped_.end()) recorded_.push_back({found->second, value.detach()});
        return value;
    }
    const std::vector<Recorded>& recorded() const { return recorded_; }

private:
    std::map<std::string, const ModuleExposure*> mapped_;
    std::vector<Recorded> recorded_;
};

std::vector<std::string> tokensOf(const Tokenizer& tokenizer, const std::vector<std::int64_t>& ids) {
    std::vector<std::string> tokens;
    for (const auto id : ids) tokens.push_back(tokenizer.token(static_cast<std::int32_t>(id)));
    return tokens;
}

/// Patches by row and column, from 1.
std::vector<std::string> patchNames(const EncodedCorpus& images, std::int64_t patches) {
    const std::int64_t side = images.width * images.height / patches;  // pixels per patch
    std::int64_t across = 1;
    while (across * across * side < images.width * images.width) ++across;
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < patches; ++i)
        names.push_back(std::to_string(i / across + 1) + "," + std::to_string(i % across + 1));
    return names;
}

/// A map may have one more position than the batch: a learned class token before the first patch.
std::vector<std::string> named(std::vector<std::string> tokens, std::int64_t count) {
    if (static_cast<std::int64_t>(tokens.size()) + 1 == count) tokens.insert(tokens.begin(), "class");
    return tokens;
}

}  // namespace

ProbeMaps::ProbeMaps(const RunData& data, const Task& task, std::int64_t count, const Place& place)
    : task_(task), place_(place) {
    for (std::int64_t i = 0; i < std::min(count, data.valid.size()); ++i) {
        Probe probe{task.makeEvaluationBatch(data.valid, {i}), {}, {}};
        if (!probe.batch.patches.empty())
            probe.sourceTokens = patchNames(data.valid, probe.batch.sourceWidth);
        else if (data.sourceTokenizer)
            probe.sourceTokens = tokensOf(*data.sourceTokenizer, probe.batch.source);
        if (data.targetTokenizer) probe.targetTokens = tokensOf(*data.targetTokenizer, probe.batch.targetIn);
        probes_.push_back(std::move(probe));
    }
}

bool ProbeMaps::isDue(std::int64_t step, std::int64_t every) {
    if (every <= 0 || step < 1) return false;
    const bool isPowerOfTwo = (step & (step - 1)) == 0;
    return step % every == 0 || (step < every && isPowerOfTwo);
}

void ProbeMaps::take(const Model& model, std::int64_t step, Emitter& emitter) const {
    const at::NoGradGuard noGrad;
    std::vector<ModuleExposure> mapped = exposuresOf(model.variant(), builtinCatalogue());
    std::erase_if(mapped, [](const ModuleExposure& one) { return !isMapped(one.exposure) && !isScore(one.exposure); });
    MapMeasures measures;
    for (std::size_t i = 0; i < probes_.size(); ++i) {
        const Probe& probe = probes_[i];
        if (i == 1) std::erase_if(mapped, [](const ModuleExposure& one) { return isScore(one.exposure); });
        MapWatch watch(mapped);
        std::vector<float> scores;  // of the sublayer whose weights follow
        Forward forward;
        forward.taps = &watch;
        {
            const AutocastScope autocast(place_.device, place_.precision);
            task_.logits(model, toDevice(probe.batch, place_.device), forward);
        }
        for (const auto& [shown, value_BHQK] : watch.recorded()) {
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
            if (isScore(shown->exposure)) {
                scores = std::move(taken.values);
                continue;
            }
            const bool encodes = path.starts_with("encoder."), looksAcross = path.ends_with(".cross");
            taken.rowTokens = named(encodes ? probe.sourceTokens : probe.targetTokens, taken.rows);
            taken.columnTokens = named(encodes || looksAcross ? probe.sourceTokens : probe.targetTokens, taken.columns);
            if (i == 0 && shown->exposure.quantity == Quantity::Weight) measures.add(taken, std::exchange(scores, {}), step);
            emitter.emit(std::move(taken));
        }
        if (i == 0) emitter.emit(measures.take(step));
    }
}

}  // namespace heddle
