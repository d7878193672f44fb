// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/torch_pch.h"
#include "engine/model/model.h"

#include <string>

namespace heddle::testing_support {

/// Small sizes around a variant: d 16, f 24, 4 heads, 2 + 2 layers, max_len 16, vocabularies of 11 and 13 words, no dropout.
/// `over` is laid over it (RFC 7386).
inline Json tinyVariant(const Json& over = Json::object()) {
    Json document{
        {"dims",
         {{"d", 16},
          {"f", 24},
          {"heads", 4},
          {"layers_enc", 2},
          {"layers_dec", 2},
          {"max_len", 16},
          {"vocab_src", 11},
          {"vocab_tgt", 13}}},
        {"embed", {{"source", "learned"}, {"dropout", 0}}},
        {"defaults", {{"dropout", {{"kind", "standard"}, {"sublayer", 0}}}, {"ffn", {{"kind", "mlp"}, {"inner_dropout", 0}}}}}};
    const std::string topology = over.is_object() ? over.value("topology", "encdec") : "encdec";
    if (topology == "decoder") document["dims"]["vocab_src"] = 13;  // one stack has one vocabulary
    if (topology == "encoder") document["dims"]["vocab_tgt"] = 11;
    if (over.is_object()) document.merge_patch(over);
    return document;
}

inline ResolvedVariant resolveTiny(const Json& over = Json::object()) {
    return VariantSpec::parse(tinyVariant(over), builtinCatalogue()).resolve();
}

inline std::unique_ptr<Model> buildTiny(const Json& over = Json::object(), at::ScalarType type = at::kDouble,
                                        std::uint64_t seed = 1) {
    return buildModel(resolveTiny(over), seed, type);
}

/// One sentence of word ids as [1,S].
inline at::Tensor ids(std::initializer_list<std::int64_t> row) {
    return at::tensor(std::vector<std::int64_t>(row)).unsqueeze(0);
}

inline at::Tensor logitsOf(const Model& model, const at::Tensor& source, const at::Tensor& target, const Forward& f = {}) {
    return model.logits(model.decode({target, {}}, {model.encode({source, {}}, f), source}, f));
}

inline double distance(const at::Tensor& a, const at::Tensor& b) { return (a - b).abs().max().item<double>(); }

/// Parameters of the same path get the same values.
inline void copyShared(Model& to, const Model& from) {
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : to.parameters().entries())
        if (const at::Tensor value = from.parameters().find(path); value.defined()) tensor.copy_(value);
}

}  // namespace heddle::testing_support
