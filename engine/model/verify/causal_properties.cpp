// SPDX-License-Identifier: Apache-2.0
// What every preset that decodes promises about time and padding.
#include "engine/device/torch_pch.h"
#include "engine/model/verify/properties.h"
#include "engine/model/verify/tiny_presets.h"

namespace heddle::verify {

namespace {

constexpr double kExact = 1e-12;  ///< float64: sums of another length may be rounded in another order

const std::vector<std::int64_t> kSource{4, 5, 6, 7, 3}, kTarget{2, 7, 8, 9, 10, 5};

/// The largest change before position t, over all t, when the word there changes; and the smallest at t itself.
struct Changes {
    double before = 0, there = std::numeric_limits<double>::infinity();
};

Changes changesOf(const Model& model) {
    const at::Tensor source = sentence(kSource), plain = outputsOf(model, source, sentence(kTarget));
    Changes changes;
    for (std::size_t t = 0; t < kTarget.size(); ++t) {
        std::vector<std::int64_t> other = kTarget;
        other[t] = 11;
        const at::Tensor difference = (outputsOf(model, source, sentence(other)) - plain).abs();
        const auto place = static_cast<std::int64_t>(t);
        if (t > 0) changes.before = std::max(changes.before, difference.narrow(1, 0, place).max().item<double>());
        changes.there = std::min(changes.there, difference.select(1, place).max().item<double>());
    }
    return changes;
}

/// Whether padding is hidden wherever this model attends; images have none.
bool hidesPadding(const ResolvedVariant& variant) {
    if (variant.globals.at("embed").id == "patches") return false;
    for (const auto* layers : {&variant.encoder, &variant.decoder})
        for (const ResolvedLayer& layer : *layers)
            for (const ResolvedSublayer& sublayer : layer.sublayers)
                if (sublayer.slots.contains("mask") && sublayer.slots.at("mask").id == "none") return false;
    return true;
}

std::vector<std::int64_t> padded(std::vector<std::int64_t> words, std::size_t length) {
    words.resize(length, kPad);
    return words;
}

}  // namespace

void checkCausality(CaseChecks& checks) {
    for (const std::string& name : causalPresets()) {
        const Changes changes = changesOf(*tinyModel(name));
        checks.bound(name + ": outputs before a changed word", changes.before, kExact);
        checks.exceeds(name + ": the output at it", changes.there, 0);
    }
    const auto leaking = tinyModel("thesis-G1", {{"defaults", {{"score", {{"gate", {{"mask_prev", "raw"}}}}}}}});
    checks.exceeds("thesis-G1 with mask_prev raw leaks the future", changesOf(*leaking).before, 1e-9);
}

void checkPadding(CaseChecks& checks) {
    for (const std::string& name : presetNames()) {
        const auto model = tinyModel(name);
        if (!hidesPadding(model->variant())) continue;
        const at::Tensor plain = outputsOf(*model, sentence(kSource), sentence(kTarget));
        const at::Tensor longer = outputsOf(*model, sentence(padded(kSource, 9)), sentence(padded(kTarget, 10)));
        checks.bound(name + ": real positions with padding after them", distance(longer.narrow(1, 0, plain.size(1)), plain),
                     kExact);
    }
}

void checkStepByStep(CaseChecks& checks) {
    for (const std::string& name : causalPresets()) {
        const auto model = tinyModel(name);
        const at::Tensor source = sentence(kSource), full = outputsOf(*model, source, sentence(kTarget));
        std::vector<at::Tensor> steps;
        for (std::size_t length = 1; length <= kTarget.size(); ++length) {
            const std::vector<std::int64_t> prefix(kTarget.begin(), kTarget.begin() + static_cast<std::ptrdiff_t>(length));
            steps.push_back(outputsOf(*model, source, sentence(prefix)).narrow(1, static_cast<std::int64_t>(length) - 1, 1));
        }
        checks.bound(name + ": prefix by prefix against all at once", distance(at::cat(steps, 1), full), kExact);
    }
}

}  // namespace heddle::verify
