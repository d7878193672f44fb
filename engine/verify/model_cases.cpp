// SPDX-License-Identifier: Apache-2.0
// Golden cases of whole models: a preset with the case's sizes and weights, from token ids to logits.
#include "engine/device/torch_pch.h"
#include "engine/model/model.h"
#include "engine/spec/cost.h"
#include "engine/verify/checks.h"

namespace heddle::verify {

namespace {

/// The outputs of the case, each a preset and what is changed in it.
const std::map<std::string, Json>& atinukeForms() {
    static const std::map<std::string, Json> kForms{
        {"listing_logits", {{"preset", "atinuke-listing"}}},
        {"text_logits", {{"preset", "atinuke-text"}}},
        {"listing_causal_only_logits", {{"preset", "atinuke-listing"}, {"defaults", {{"mask", "causal"}}}}}};
    return kForms;
}

ResolvedVariant atinukeVariant(Json document, const Json& golden) {
    const Json& weights = golden.at("weights");
    const Json& layers = weights.at("layers");
    document["dims"] = {{"d", columnsOf(weights.at("embedding"))},
                        {"f", rowsOf(layers.at(0).at("ffn").at("W1"))},
                        {"heads", golden.at("heads")},
                        {"layers_dec", layers.size()},
                        {"max_len", std::max<std::int64_t>(2, columnsOf(golden.at("inputs").at("tokens")))},
                        {"vocab_tgt", rowsOf(weights.at("embedding"))}};
    return VariantSpec::parse(document, builtinCatalogue()).resolve();
}

/// The listing multiplies x W with W [in,out].
Json transposed(const Json& matrix) {
    Json result = Json::array();
    for (std::size_t column = 0; column < matrix.at(0).size(); ++column) {
        result.push_back(Json::array());
        for (const Json& row : matrix) result.back().push_back(row.at(column));
    }
    return result;
}

void loadAtinuke(const ParameterStore& store, const Json& weights) {
    load(store, "embed.shared.weight", weights.at("embedding"));
    for (std::size_t i = 0; i < weights.at("layers").size(); ++i) {
        const Json& layer = weights.at("layers").at(i);
        const std::string path = "decoder.layers." + std::to_string(i);
        const Json& attention = layer.at("attn");
        load(store, path + ".self.scorer.q.weight", transposed(attention.at("Wq")));
        load(store, path + ".self.scorer.k.weight", transposed(attention.at("Wk")));
        load(store, path + ".self.value.v.weight", transposed(attention.at("Wv")));
        load(store, path + ".self.value.out.weight", transposed(attention.at("Wo")));
        loadLinear(store, path + ".ffn.ffn.in", layer.at("ffn"), "1");
        loadLinear(store, path + ".ffn.ffn.out", layer.at("ffn"), "2");
        for (const auto& [norm, sublayer] : {std::pair("ln1", ".self"), std::pair("ln2", ".ffn")}) {
            load(store, path + sublayer + ".norm.weight", layer.at(norm).at("g"));
            load(store, path + sublayer + ".norm.bias", layer.at(norm).at("b"));
        }
    }
    load(store, "head.weight", weights.at("final_W"));
    load(store, "head.bias", weights.at("final_b"));
}

}  // namespace

void verifyAtinuke(const Json& golden, CaseChecks& checks) {
    for (const auto& [output, document] : atinukeForms()) {
        if (!golden.at("outputs").contains(output)) continue;
        const ResolvedVariant variant = atinukeVariant(document, golden);
        for (const at::TensorOptions& options : checks.types()) {
            const auto model = buildModel(variant, 1, options.dtype().toScalarType());
            model->to(options.device());
            const at::Tensor tokens_BS = tensorFromJson(golden.at("inputs").at("tokens"), options).to(at::kLong);
            loadAtinuke(model->parameters(), golden.at("weights"));
            checks.compare(output, golden.at("outputs").at(output), model->logits(model->decode({tokens_BS, {}}, {}, {})));
            if (options.dtype() != at::kDouble || !golden.contains("param_count")) continue;
            checks.compareCounts("param_count of " + output, golden.at("param_count"),
                                 {model->parameters().count(), countCost(variant).parameters});
        }
    }
    checks.reportRest(golden.at("outputs"));
}

}  // namespace heddle::verify
