// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/tiny_presets.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"
#include "engine/verify/one_block.h"

namespace heddle::verify {

namespace {

using namespace nlohmann::literals;

/// What the variant's task reads, on the CPU.
at::Tensor toyInput(const ResolvedVariant& variant, const std::vector<std::int64_t>& words) {
    const auto patches = readsOf(variant).patches;
    if (!patches) return at::tensor(words).repeat({2, 1});
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
    if (preset.contains("/dims/kv_heads"_json_pointer)) document["dims"]["kv_heads"] = 1;
    if (preset.value("/dims/layers_enc"_json_pointer, 4) == 1) document["dims"]["layers_enc"] = 1;  // a fixed point
    const std::string topology = preset.value("topology", "encdec");
    document["dims"]["heads"] = topology == "encdec" || topology == "decoder" ? 2 : 1;  // StarSaber has one head
    if (preset.value("/embed/source"_json_pointer, "") == "frozen_file") document["embed"]["vectors"] = "random";
    document.merge_patch(over);
    return VariantSpec::parse(document, builtinCatalogue()).resolve();
}

at::Tensor toyAnswer(const Model& model, const Forward& f) {
    const at::Device device = model.parameters().entries().front().tensor.device();
    const at::Tensor source = toyInput(model.variant(), {4, 5, 6, 7, 3, kPad}).to(device);
    const at::Tensor target = at::tensor({2, 7, 8, 9, 10}, at::kLong).repeat({2, 1}).to(device);
    return model.logits(headInputOf(model, {source, {}}, {target, {}}, f));
}

}  // namespace heddle::verify
