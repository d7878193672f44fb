// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/tiny_presets.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"
#include "engine/verify/one_block.h"

namespace heddle::verify {

namespace {

using namespace nlohmann::literals;

bool hidesFuture(const BlockChoice& mask) {
    return builtinCatalogue().at("mask", mask.id).seesWith(mask.params) != VisibleKeys::All;
}

/// What the variant's task reads, on the CPU.
at::Tensor toyInput(const ResolvedVariant& variant, const std::vector<std::int64_t>& words) {
    const auto patches = readsOf(variant).patches;
    if (!patches) return sentence(words).repeat({2, 1});
    return normalTensor({2, 5, patches->numbers()}, 7);
}

}  // namespace

ResolvedVariant tinyPreset(const std::string& name, const Json& over) {
    Json document{{"preset", name},
                  {"dims",
                   {{"d", 16},
                    {"f", 24},
                    {"key_dim", nullptr},
                    {"value_dim", nullptr},
                    {"layers_enc", 4},
                    {"layers_dec", 4},
                    {"max_len", 12},
                    {"vocab_src", 13},
                    {"vocab_tgt", 13}}}};
    const Json preset = presetDocument(name);
    if (preset.value("/dims/layers_enc"_json_pointer, 4) == 1) document["dims"]["layers_enc"] = 1;  // a fixed point
    const std::string topology = preset.value("topology", "encdec");
    document["dims"]["heads"] = topology == "encdec" || topology == "decoder" ? 2 : 1;  // StarSaber has one head
    if (preset.value("/embed/source"_json_pointer, "") == "frozen_file") document["embed"]["vectors"] = "random";
    document.merge_patch(over);
    return VariantSpec::parse(document, builtinCatalogue()).resolve();
}

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

at::Tensor toyAnswer(const Model& model, const Forward& f) {
    const at::Device device = model.parameters().entries().front().tensor.device();
    const at::Tensor source = toyInput(model.variant(), {4, 5, 6, 7, 3, kPad}).to(device);
    const at::Tensor target = sentence({2, 7, 8, 9, 10}).repeat({2, 1}).to(device);
    const at::Tensor hidden_BSW = hiddenOf(model, {source, {}}, {target, {}}, f);
    return model.logits(model.pool(hidden_BSW, readsOf(model.variant()).target ? target : source, f));
}

double distance(const at::Tensor& a, const at::Tensor& b) { return (a - b).abs().max().item<double>(); }

}  // namespace heddle::verify
