// SPDX-License-Identifier: Apache-2.0
#include "engine/model/patched_model.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/model/ablation.h"

namespace heddle {
namespace {

/// A forward pass as `f`, with other taps.
Forward tapped(const Forward& f, Taps& taps) {
    Forward with = f;
    with.taps = &taps;
    return with;
}

}  // namespace

std::string partTap(const PatchedPart& part, const ResolvedVariant& variant) {
    return outputTap(part.path, part.head, variant);
}

TapRecord::TapRecord(const std::vector<std::string>& taps) {
    for (const std::string& tap : taps) values_[tap];
}

at::Tensor TapRecord::pass(const std::string& module, const char* exposure, const at::Tensor& value) {
    const auto found = values_.find(module + "." + exposure);
    if (found != values_.end()) found->second.push_back(value);
    return value;
}

at::Tensor TapReplay::pass(const std::string& module, const char* exposure, const at::Tensor& value) {
    if (!replaces(module, exposure)) return value;
    if (passed_ >= values_.size() || values_[passed_].sizes() != value.sizes())
        throw Error(ErrorCode::Usage, "the other pass has no output of this shape", tap_,
                    "choose a model of the same shape, or a text of the same length");
    const at::Tensor& other = values_[passed_++];
    if (head_ == kNoHead) return other;
    at::Tensor patched_BHSE = value.clone();
    patched_BHSE.select(1, head_).copy_(other.select(1, head_));
    return patched_BHSE;
}

bool TapReplay::replaces(const std::string& module, const char* exposure) const { return module + "." + exposure == tap_; }

PatchedModel::PatchedModel(Model& model, const Model& donor, PatchedPart part)
    : ForwardingModel(model), donor_(donor), part_(std::move(part)), tap_(partTap(part_, model.variant())) {}

at::Tensor PatchedModel::encode(const ModelInput& source, const Forward& f) const {
    if (!isIn("encoder.")) return inner().encode(source, f);
    TapRecord record({tap_});
    donor_.encode(source, tapped(f, record));
    TapReplay replay(tap_, part_.head, record.of(tap_));
    return inner().encode(source, tapped(f, replay));
}

at::Tensor PatchedModel::decode(const ModelInput& target, const Memory& memory, const Forward& f) const {
    if (!isIn("decoder.")) return inner().decode(target, memory, f);
    Memory others = memory;
    if (memory.hidden_BSD.defined()) others.hidden_BSD = donor_.encode({memory.source_BS, {}, memory.padding}, f);
    TapRecord record({tap_});
    donor_.decode(target, others, tapped(f, record));
    TapReplay replay(tap_, part_.head, record.of(tap_));
    return inner().decode(target, memory, tapped(f, replay));
}

std::unique_ptr<DecodingState> PatchedModel::startDecoding(const Memory&, DecodingMemory) const {
    TORCH_INTERNAL_ASSERT(false, "a patched model decodes no texts");
    return nullptr;
}

std::unique_ptr<ReplayableState> PatchedModel::makeReplayableState(std::int64_t) const {
    TORCH_INTERNAL_ASSERT(false, "a patched model decodes no texts");
    return nullptr;
}

}  // namespace heddle
