// SPDX-License-Identifier: Apache-2.0
#include "engine/model/intervening_taps.h"

#include "engine/base/overload.h"
#include "engine/device/torch_pch.h"

#include <algorithm>

namespace heddle {
namespace {

std::string tapOf(const std::string& module, const char* exposure) { return module + "." + exposure; }

/// Whether the exposure is a weight, where 0 marks a key that the query must not see.
bool isWeight(const std::vector<ModuleExposure>& shown, const std::string& path) {
    return std::any_of(shown.begin(), shown.end(), [&](const ModuleExposure& one) {
        return one.path() == path && one.exposure.quantity == Exposure::Quantity::Weight;
    });
}

}  // namespace

TapChanges::TapChanges(const std::vector<Intervention>& interventions, const ResolvedVariant& variant,
                       const OutputMeans& means) {
    using Kind = Change::Kind;
    const std::vector<ModuleExposure> shown = exposuresOf(variant);
    const auto note =
        Overload{[&](const MuteHead& one) {
                     changes_[tapOf(one.path, kMixingWeight)].push_back({Kind::Mute, one.head, 0});
                 },
                 [&](const MeanOutput& one) {
                     const std::string tap = outputTap(one.path, one.head, variant);
                     const at::Tensor& mean = means.at(tap);
                     changes_[tap].push_back({Kind::Mean, one.head, 0, one.head == kNoHead ? mean : mean.select(0, one.head)});
                 },
                 [&](const ResampleOutput& one) {
                     changes_[outputTap(one.path, one.head, variant)].push_back({Kind::Resample, one.head, 0});
                 },
                 [&](const ClampExposure& one) {
                     changes_[one.path].push_back({isWeight(shown, one.path) ? Kind::ClampShown : Kind::Clamp, 0, one.value});
                 },
                 [&](const ScaleExposure& one) {
                     changes_[one.path].push_back({Kind::Scale, 0, one.factor});
                 },
                 [&](const CutCarry& one) { cuts_.insert(tapOf(one.path, kScoreCarry)); },
                 [&](const IdentityResidual& one) { cuts_.insert(tapOf(one.path, kSublayerOutput)); },
                 [](const NeutralBlock&) {}};
    for (const Intervention& intervention : interventions) {
        readsPadding_ = readsPadding_ || std::holds_alternative<ResampleOutput>(intervention);
        std::visit(note, intervention);
    }
}

at::Tensor TapChanges::changed(const std::string& tap, const at::Tensor& value, const at::Tensor& padding_BS) const {
    const auto found = changes_.find(tap);
    if (found == changes_.end()) return value;
    at::Tensor changed = value;
    for (const Change& change : found->second) changed = apply(change, changed, padding_BS);
    return changed;
}

at::Tensor TapChanges::apply(const Change& change, const at::Tensor& value, const at::Tensor& padding_BS) {
    const auto ofOutput = [&](const at::Tensor& output_BSD) {
        return change.kind == Change::Kind::Mean ? change.mean.to(output_BSD.options()).expand_as(output_BSD)
                                                 : resampled(output_BSD, padding_BS);
    };
    switch (change.kind) {
    case Change::Kind::Scale: return value * change.number;
    case Change::Kind::Clamp: return at::full_like(value, change.number);
    case Change::Kind::ClampShown: return at::full_like(value, change.number).masked_fill(value.eq(0), 0);
    case Change::Kind::Mean:
    case Change::Kind::Resample: {
        if (change.head == kNoHead) return ofOutput(value).contiguous();
        at::Tensor changed_BHSE = value.clone();
        changed_BHSE.select(1, change.head).copy_(ofOutput(value.select(1, change.head)));
        return changed_BHSE;
    }
    case Change::Kind::Mute: break;
    }
    const at::Tensor muted_1H11 = at::arange(value.size(1), at::TensorOptions(at::kLong).device(value.device()))
                                      .eq(change.head)
                                      .view({1, value.size(1), 1, 1});
    return value.masked_fill(muted_1H11, 0);
}

at::Tensor InterveningTaps::pass(const std::string& module, const char* exposure, const at::Tensor& value) {
    const std::string tap = tapOf(module, exposure);
    if (pass_.sums) pass_.sums->add(tap, value, pass_.padding_BS);
    const at::Tensor changed = changes_.changed(tap, value, pass_.padding_BS);
    return pass_.inner ? pass_.inner->pass(module, exposure, changed) : changed;
}

bool InterveningTaps::wants(const std::string& module, const char* exposure) const {
    const bool isSummed = pass_.sums && pass_.sums->sums(tapOf(module, exposure));
    return isSummed || (pass_.inner && pass_.inner->wants(module, exposure));
}

bool InterveningTaps::replaces(const std::string& module, const char* exposure) const {
    return changes_.changes(tapOf(module, exposure)) || (pass_.inner && pass_.inner->replaces(module, exposure));
}

bool InterveningTaps::cuts(const std::string& module, const char* connection) const {
    const auto* const cutting = dynamic_cast<const CuttingTaps*>(pass_.inner);
    return changes_.cuts(tapOf(module, connection)) || (cutting && cutting->cuts(module, connection));
}

}  // namespace heddle
