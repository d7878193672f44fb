// SPDX-License-Identifier: Apache-2.0
#include "tests/dev/engine/tiny_models.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"

#include <algorithm>

namespace heddle::verify {
namespace {

bool hidesFuture(const BlockChoice& mask) {
    return builtinCatalogue().at("mask", mask.id).seesWith(mask.params) != VisibleKeys::All;
}

}  // namespace

std::unique_ptr<Model> tinyModel(const std::string& name, const Json& over) {
    return buildModel(tinyPreset(name, over), 1, at::kDouble);
}

std::vector<std::string> causalPresets() {
    std::vector<std::string> names;
    for (const std::string& name : presetNames()) {
        const ResolvedVariant variant = tinyPreset(name);
        if (variant.decoder.empty()) continue;
        const auto& sublayers = variant.decoder.front().sublayers;
        const bool isCausal = std::all_of(sublayers.begin(), sublayers.end(), [](const ResolvedSublayer& sublayer) {
            return sublayer.name == "cross" || !sublayer.slots.contains("mask") || hidesFuture(sublayer.slots.at("mask"));
        });
        if (isCausal) names.push_back(name);
    }
    return names;
}

at::Tensor sentence(const std::vector<std::int64_t>& words) { return at::tensor(words).unsqueeze(0); }

Memory memoryOf(const Model& model, const at::Tensor& source, const Forward& f) {
    return model.variant().encoder.empty() ? Memory{} : Memory{model.encode({source, {}}, f), source};
}

at::Tensor outputsOf(const Model& model, const at::Tensor& source, const at::Tensor& target) {
    const at::NoGradGuard noGrad;
    if (model.variant().decoder.empty()) return model.encode({source, {}}, {});
    return model.logits(model.decode({target, {}}, memoryOf(model, source), {}));
}

double distance(const at::Tensor& a, const at::Tensor& b) { return (a - b).abs().max().item<double>(); }

}  // namespace heddle::verify
