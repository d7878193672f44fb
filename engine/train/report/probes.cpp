// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/probes.h"

#include "engine/device/torch_pch.h"
#include "engine/train/report/map_measures.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

using Quantity = Exposure::Quantity;

constexpr std::size_t kLarge = (std::size_t{1} << 20) / sizeof(float);  // values: a map of 1 MiB
/// A recorder that can write makes room within this time. If it cannot, the run pauses at the step border.
constexpr std::chrono::seconds kPatience{4};

/// Attention weights and gates over pairs of positions. Raw scores are not stored, since the weights follow from them.
bool isMapped(const Exposure& exposure) {
    return exposure.map && exposure.axes == "BHQK" && (exposure.quantity == Quantity::Weight || exposure.isGate());
}

/// Scores before the softmax, possibly with carried scores: used for the similarity of heads.
bool isScore(const Exposure& exposure) { return exposure.axes == "BHQK" && exposure.quantity == Quantity::Score; }

}  // namespace

ProbeMaps::ProbeMaps(const RunData& data, const Task& task, std::int64_t count, const ComputePlace& place)
    : task_(task), place_(place) {
    for (std::int64_t i = 0; i < std::min(count, data.valid.size()); ++i)
        probes_.push_back(sentenceOf(data, data.valid, task, i));
}

bool ProbeMaps::isDue(std::int64_t step, std::int64_t every) {
    if (every <= 0 || step < 1) return false;
    const bool isPowerOfTwo = (step & (step - 1)) == 0;
    return step % every == 0 || (step < every && isPowerOfTwo);
}

void ProbeMaps::take(const Model& model, std::int64_t step, Emitter& emitter) const {
    std::vector<ModuleExposure> mapped = exposuresOf(model.variant());
    std::erase_if(mapped, [](const ModuleExposure& one) { return !isMapped(one.exposure) && !isScore(one.exposure); });
    MapMeasures measures;
    bool hasRoom = true;
    for (std::size_t i = 0; i < probes_.size(); ++i) {
        if (i == 1) std::erase_if(mapped, [](const ModuleExposure& one) { return isScore(one.exposure); });
        std::vector<float> scores;  // of the sublayer whose weights follow
        for (const SentencePass::Shown& shown : passSentence(model, task_, probes_[i], mapped, place_).shown) {
            MapTaken taken = mapOf(shown, probes_[i], static_cast<std::int64_t>(i));
            const Exposure& exposure = shown.exposure->exposure;
            if (isScore(exposure)) {
                scores = std::move(taken.values);
                continue;
            }
            if (i == 0 && exposure.quantity == Quantity::Weight) measures.add(taken, std::exchange(scores, {}), step);
            if (hasRoom && taken.values.size() > kLarge) hasRoom = emitter.awaitRoom(kPatience);
            emitter.emit(std::move(taken));
        }
        if (i == 0) emitter.emit(measures.take(step));
    }
}

}  // namespace heddle
