// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/memory_meter.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/model/model.h"
#include "engine/tasks/head_pieces.h"
#include "engine/train/step/optimizer.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>

namespace heddle::verify {

class MemoryMeter::Ledger final : public c10::MemoryReportingInfoBase {
public:
    void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t, c10::Device device) override {
        if (!device.is_cpu()) return;
        now += size;
        peak = std::max(peak, now);
    }
    bool memoryProfilingEnabled() const override { return true; }

    std::int64_t now = 0, peak = 0;
};

struct MemoryMeter::Guard {
    c10::DebugInfoGuard inner;
};

MemoryMeter::MemoryMeter()
    : ledger_(std::make_shared<Ledger>()), guard_(new Guard{{c10::DebugInfoKind::PROFILER_STATE, ledger_}}) {}

MemoryMeter::~MemoryMeter() = default;

std::int64_t MemoryMeter::now() const { return ledger_->now; }

std::int64_t MemoryMeter::peak() const { return ledger_->peak; }

void MemoryMeter::forgetPeak() { ledger_->peak = ledger_->now; }

namespace {

/// Words, none of them padding; different ones, so that gradients of tables are not of a row alone.
at::Tensor words(std::int64_t rows, std::int64_t length, std::int64_t vocabulary) {
    constexpr std::int64_t kFirst = 4;  // after the special ones
    return at::arange(rows * length, at::kLong).remainder(vocabulary - kFirst).add(kFirst).view({rows, length});
}

/// Of the shape's source side: words, or patches; a class token is not among them.
at::Tensor sourceOf(const ResolvedVariant& variant, const BatchShape& shape, std::int64_t length) {
    const BlockChoice& embed = variant.globals.at("embed");
    if (embed.id != "patches") return words(shape.sentences, length, variant.dims.vocabSrc);
    const std::int64_t size = embed.params.at("size"), channels = embed.params.at("channels");
    const std::int64_t before = embed.params.at("class_token").get<bool>() ? 1 : 0;
    return at::ones({shape.sentences, length - before, size * size * channels});
}

bool speaksVocabulary(const ResolvedVariant& variant) {
    return builtinCatalogue().at("head", variant.globals.at("head").id).usesVocabulary;
}

/// What the head reads in training.
at::Tensor askedOf(const Model& model, const at::Tensor& source, const at::Tensor& target) {
    Forward f;
    f.training = true;
    const ResolvedVariant& variant = model.variant();
    at::Tensor hidden_BSW;
    if (!variant.encoder.empty()) hidden_BSW = model.encode({source, {}}, f);
    if (!variant.decoder.empty()) {
        const Memory memory = hidden_BSW.defined() ? Memory{hidden_BSW, source} : Memory{};
        hidden_BSW = model.decode({target, {}}, memory, f);
    }
    hidden_BSW = model.pool(hidden_BSW, variant.decoder.empty() ? source : target, f);
    if (!speaksVocabulary(variant)) return hidden_BSW;
    // As a training step gathers the positions that have a target.
    const at::Tensor rows_ND = hidden_BSW.flatten(0, 1);
    return rows_ND.index_select(0, at::arange(rows_ND.size(0)));
}

}  // namespace

MeasuredStep measureStep(const ResolvedVariant& variant, const BatchShape& shape) {
    MemoryMeter meter;
    const auto model = buildModel(variant, 1);
    model->to(at::kCPU);  // lays weights behind each other, as a run does
    AdamOptimizer optimizer(model->parameters(), TrainSpec{});
    meter.forgetPeak();
    const std::int64_t before = meter.now();
    const auto lengthOr = [&](std::int64_t length) { return length > 0 ? length : variant.dims.maxLen; };
    const at::Tensor source = sourceOf(variant, shape, lengthOr(shape.source));
    const at::Tensor target = words(shape.sentences, lengthOr(shape.target), std::max<std::int64_t>(variant.dims.vocabTgt, 5));
    MeasuredStep measured;
    const auto answers = [&](const at::Tensor& read) {
        at::Tensor logits = model->logits(read);
        measured.activationBytes = static_cast<double>(meter.now() - before - static_cast<std::int64_t>(logits.nbytes()));
        return logits;
    };
    const auto lossOf = [&](const at::Tensor& logits_RV, std::int64_t first) {
        const at::Tensor targets_R = at::arange(first, first + logits_RV.size(0)).remainder(logits_RV.size(1));
        LossOptions options{0.1, 1.0 / static_cast<double>(logits_RV.size(0))};
        options.gradient = LossOptions::Gradient::OverLogits;  // as a training step has it
        return crossEntropyWithGradient(logits_RV, targets_R, options);
    };
    at::Tensor objective;
    if (const at::Tensor asked = askedOf(*model, source, target); speaksVocabulary(variant)) {
        objective = backwardInPieces(asked, answersAtOnce(variant), {answers, lossOf}).objective;
    } else {
        const at::Tensor logits = answers(asked);
        objective = logits.detach().square().mean();
        logits.backward(at::ones_like(logits));
    }
    optimizer.update(1e-4, objective);
    measured.peakBytes = static_cast<double>(meter.peak());
    return measured;
}

BatchShape::FusedAttention fusedAttentionHere() {
    return productLibrary() == ProductLibrary::OneDnn ? BatchShape::FusedAttention::HoldsNothing
                                                      : BatchShape::FusedAttention::HoldsResult;
}

}  // namespace heddle::verify
