// SPDX-License-Identifier: Apache-2.0
// Documents that share a row: each has the hidden states and gradients that it has alone.
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/model/mixer.h"
#include "engine/model/recording_taps.h"
#include "engine/spec/variant_schema.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace heddle {
namespace {

using testing_support::buildTiny;
using testing_support::distance;
using testing_support::ids;

/// Two documents in one row with padding, and each alone.
struct Documents2 {
    at::Tensor row_BS = ids({2, 7, 8, 9, 2, 5, 6, 4, 10, 5, 1, 1}), numbers_BS = ids({0, 0, 0, 0, 1, 1, 1, 1, 1, 1, -1, -1});
    at::Tensor first_BS = row_BS.narrow(1, 0, 4), second_BS = row_BS.narrow(1, 4, 6);
};

at::Tensor hiddenStates(const Model& model, const at::Tensor& ids_BS, const at::Tensor& documents_BS, const Forward& f) {
    ModelInput input{ids_BS, {}};
    input.documents_BS = documents_BS;
    return hiddenOf(model, input, input, f);
}

/// The largest difference between documents in one row and alone.
double differenceOf(const Model& model, const Forward& f = {}) {
    const Documents2 all;
    const at::Tensor together = hiddenStates(model, all.row_BS, all.numbers_BS, f);
    return std::max(distance(together.narrow(1, 0, 4), hiddenStates(model, all.first_BS, {}, f)),
                    distance(together.narrow(1, 4, 6), hiddenStates(model, all.second_BS, {}, f)));
}

/// By path, the gradients of the sum of the squared hidden states of both documents.
std::map<std::string, at::Tensor> gradientsOf(Model& model, bool together) {
    const Documents2 all;
    for (const auto& [path, tensor] : model.parameters().entries()) tensor.mutable_grad() = at::Tensor();
    const auto backward = [](const at::Tensor& hidden) { hidden.square().sum().backward(); };
    if (together) {
        backward(hiddenStates(model, all.row_BS, all.numbers_BS, {}).narrow(1, 0, 10));
    } else {
        backward(hiddenStates(model, all.first_BS, {}, {}));
        backward(hiddenStates(model, all.second_BS, {}, {}));
    }
    std::map<std::string, at::Tensor> gradients;
    for (const auto& [path, tensor] : model.parameters().entries())
        if (tensor.grad().defined()) gradients[path] = tensor.grad().clone();
    return gradients;
}

const std::vector<Json>& attentions() {
    static const std::vector<Json> all{Json::object(),
                                       {{"position", "learned"}},
                                       {{"position", {{"kind", "sinusoid"}, {"where", "every_layer"}}}},
                                       {{"position", "none"}, {"defaults", {{"relative", "rotary"}}}},
                                       {{"position", "none"}, {"defaults", {{"relative", "alibi"}}}},
                                       {{"position", "none"}, {"defaults", {{"relative", "t5"}}}},
                                       {{"defaults", {{"mask", {{"kind", "sliding"}, {"window", 3}}}}}},
                                       {{"defaults", {{"mask", {{"kind", "sliding"}, {"window", 2}, {"sinks", 1}}}}}},
                                       {{"defaults", {{"normaliser", "sink"}}}},
                                       {{"defaults", {{"scorer", "qk_norm"}, {"cap", {{"kind", "soft"}}}}}},
                                       {{"defaults", {{"score", {{"rule", "add"}}}}}},
                                       {{"defaults", {{"value_carry", "first_layer"}}}}};
    return all;
}

Json withTopology(Json over, const std::string& topology) {
    over["topology"] = topology;
    if (topology != "encoder") return over;
    over["head"] = "mlm";
    if (over.contains("/defaults/mask/window"_json_pointer)) over["defaults"]["mask"]["side"] = "both";
    return over;
}

TEST(DocumentsInARow, AreAsEachAloneInEveryAttention) {
    for (const char* topology : {"decoder", "encoder"})
        for (const Json& attention : attentions()) {
            const Json over = withTopology(attention, topology);
            const auto model = buildTiny(over);
            EXPECT_LT(differenceOf(*model), 1e-10) << over;
            Forward reference;
            reference.path = Forward::Path::Reference;
            EXPECT_LT(differenceOf(*model, reference), 1e-10) << over;
            const Documents2 all;
            const at::Tensor joined = hiddenStates(*model, all.row_BS, {}, {});
            EXPECT_GT(distance(joined.narrow(1, 4, 6), hiddenStates(*model, all.second_BS, {}, {})), 1e-4)
                << "without the numbers they see each other: " << over;
            const auto together = gradientsOf(*model, true), alone = gradientsOf(*model, false);
            ASSERT_EQ(together.size(), alone.size()) << over;
            for (const auto& [path, gradient] : alone)
                EXPECT_LT(distance(gradient, together.at(path)), 1e-10) << over << " " << path;
        }
}

TEST(DocumentsInARow, ShowInTheMaps) {
    const auto model = buildTiny({{"topology", "decoder"}});
    const Documents2 all;
    RecordingTaps taps;
    Forward f;
    f.taps = &taps;
    hiddenStates(*model, all.row_BS, all.numbers_BS, f);
    const at::Tensor map_BHQK = taps.seen().at("decoder.layers.1.self.weight");
    EXPECT_EQ(map_BHQK.narrow(2, 4, 6).narrow(3, 0, 4).abs().max().item<double>(), 0);
    EXPECT_EQ(map_BHQK.narrow(2, 0, 4).narrow(3, 4, 6).abs().max().item<double>(), 0);
    EXPECT_NEAR(map_BHQK.narrow(2, 4, 6).narrow(3, 4, 6).sum().item<double>(), 4 * 6, 1e-9);
}

/// No fast path for causal masks takes their place.
TEST(DocumentsInARow, AreNoCausalMaskAlone) {
    class Causal final : public Mask {
    public:
        bool hidesPadding() const override { return false; }
        bool hidesFuture() const override { return true; }
    };
    KeyMasks keys({}, 12, at::kFloat);
    EXPECT_TRUE(keys.of(Causal()).isCausal());
    KeyMasks apart({}, 12, at::kFloat);
    apart.separate(placesIn(Documents2().numbers_BS));
    EXPECT_FALSE(apart.of(Causal()).isCausal());
    EXPECT_EQ(apart.of(Causal()).bias().sizes(), (at::IntArrayRef{1, 1, 12, 12}));
}

/// Compares the fact needsWholeRows with the modules: of each block, with its defaults.
TEST(DocumentsInARow, AreRefusedByTheBlocksThatReadAcrossThem) {
    std::size_t whole = 0, apart = 0;
    const auto compare = [&](const BlockDescriptor& block, const Json& over) {
        std::optional<ResolvedVariant> variant;
        try {
            variant = testing_support::resolveTiny(over);
        } catch (const Error&) {
            return false;  // the rules refuse the block there
        }
        const auto model = buildModel(*variant, 1, at::kDouble);
        bool needsWholeRows = false;
        forEachBlock(*variant, [&](const auto&, const std::string& slot, const BlockChoice& choice, const auto&) {
            const BlockDescriptor& one = builtinCatalogue().at(slot, choice.id);
            needsWholeRows = needsWholeRows || (one.needsWholeRows && one.needsWholeRows(choice.params));
        });
        EXPECT_EQ(differenceOf(*model) > 1e-7, needsWholeRows) << block.slot << " " << block.id << " " << over;
        ++(needsWholeRows ? whole : apart);
        return true;
    };
    const auto& stack = stackSlots();
    for (const BlockDescriptor& block : builtinCatalogue().blocks()) {
        if (block.slot == "embed" || block.slot == "init" || block.slot == "head") continue;
        const Json choice{{kindKey(block.slot), block.id}};
        const bool isOfStack = std::find(stack.begin(), stack.end(), block.slot) != stack.end();
        for (const char* topology : {"decoder", "encoder"}) {
            Json over{{"topology", topology}};
            if (std::string(topology) == "encoder") over["head"] = "mlm";
            if (block.slot == "position")
                over["position"] = choice;
            else if (isOfStack)
                over[topology] = {{block.slot, choice}};
            else
                over["defaults"] = {{block.slot, choice}};
            compare(block, over);
        }
    }
    EXPECT_GT(apart, 60U);
    EXPECT_GE(whole, 1U);
    const Json gated{{"rule", "add"}, {"gate", Json::object()}};
    EXPECT_TRUE(compare(builtinCatalogue().at("score", "add"), {{"topology", "decoder"}, {"defaults", {{"score", gated}}}}));
    Json recurrent{{"topology", "bilstm"}, {"dims", {{"vocab_tgt", 11}}}, {"position", "none"}, {"head", "mlm"}};
    recurrent["encoder"]["sublayers"] = {Json{{"name", "lstm"}, {"recurrence", "gru"}}};
    EXPECT_TRUE(compare(builtinCatalogue().at("recurrence", "gru"), recurrent));
}

}  // namespace
}  // namespace heddle
