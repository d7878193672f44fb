// SPDX-License-Identifier: Apache-2.0
// Every switch of the ambiguity tables of variants.md (1.10 E, 2.6 S, 3.5 A, 4.6 T) that concerns the model: the field is
// there, takes every value of the table, and each value makes another model or another training step.
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"
#include "engine/verify/tiny_presets.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

#include <ostream>

namespace heddle {
namespace {

using testing_support::ids;
using testing_support::resolveTiny;

struct Switch {
    std::string id;    ///< the row of the table
    std::string path;  ///< JSON pointer into the variant
    Json values;       ///< the table's, the default first
    Json base;         ///< what else has to be said for it to matter
};

void PrintTo(const Switch& tested, std::ostream* out) { *out << tested.id << " " << tested.path; }  // NOLINT: found by name

const Json kEncoderEau{{"encoder", {{"sublayers", {{{"name", "self"}, {"adjuster", "eau"}}, {{"name", "ffn"}}}}}}};

Json sites(const Json& first, const Json& second) {
    return Json::array({{{"name", "self"}, {"adjuster", first}}, {{"name", "ffn"}, {"adjuster", second}}});
}

Json gated(const Json& gate = Json::object()) {
    Json score{{"rule", "add"}, {"offsets", {1, 2}}, {"gate", gate}};
    return {{"dims", {{"layers_enc", 3}, {"layers_dec", 3}}}, {"defaults", {{"score", score}}}};
}

Json star(const Json& over = Json::object()) {
    Json document{{"topology", "encoder"},
                  {"dims", {{"heads", 1}, {"layers_dec", nullptr}}},
                  {"position", "directional"},
                  {"defaults", {{"residual", "alpha"}, {"norm", "none"}}},
                  {"encoder", {{"sublayers", {{{"name", "star"}}}}}},
                  {"head", "classify"}};
    document.merge_patch(over);
    return document;
}

const Json kDrops{{"defaults", {{"dropout", {{"sublayer", 0.5}}}, {"adjuster", "eau"}}}};
const Json kAlpha{{"defaults", {{"residual", "alpha"}}}};

std::vector<Switch> eauSwitches() {
    return {{"E1",
             "/encoder/sublayers/0/adjuster",
             {{{"kind", "eau"}}, {{"kind", "eau"}, {"where", "before_wo"}}, {{"kind", "eau"}, {"where", "before_ffn"}}},
             kEncoderEau},
            {"E2", "/encoder/sublayers", {sites("eau", "none"), sites("none", "eau"), sites("none", "none")}, {}},
            {"E3",
             "/defaults/residual/gate_input",
             {"r", "norm_r", "s", "concat"},
             {{"defaults", {{"residual", {{"kind", "grc"}}}, {"norm", {{"place", "pre"}}}}}}},
            {"E5", "/defaults/norm/place", {"post", "pre"}, {}},
            {"E5", "/defaults/norm/final", {0, 1}, {}},
            {"E6", "/defaults/dropout/order", {"after_adjuster", "before_adjuster"}, kDrops},
            {"E8", "/dims/heads", {4, 2}, {}},
            {"E14", "/dims/max_len", {16, 12}, {{"position", "learned"}}},
            {"E15", "/dims/vocab_src", {11, 19}, {}},
            {"E15", "/dims/vocab_tgt", {13, 19}, {}}};
}

std::vector<Switch> starSwitches() {
    const auto inSequence = [](Json document) {  // an order that does not come from directional values
        document["position"] = "sinusoid";
        return document;
    };
    const auto inStar = [](const std::string& slot, const Json& value) {
        return star({{"encoder", {{"sublayers", {{{"name", "star"}, {slot, value}}}}}}});
    };
    const std::string sublayer = "/encoder/sublayers/0/";
    return {
        {"S1", sublayer + "scorer/double_exp", {false, true}, inStar("scorer", {{"kind", "bilinear"}})},
        {"S2", sublayer + "scorer/bias", {true, false}, inStar("scorer", {{"kind", "bilinear"}})},
        {"S2", sublayer + "value/bias", {true, false}, inStar("value", {{"kind", "directional"}})},
        {"S2", sublayer + "direct/bias", {true, false}, inStar("direct", {{"kind", "vx"}})},
        {"S2", sublayer + "combine/bias", {true, false}, inStar("combine", {{"kind", "tanh_gated"}})},
        {"S3", sublayer + "scorer/side", {"query", "key"}, inStar("scorer", {{"kind", "bilinear"}})},
        {"S4", sublayer + "value/split", {"self_right", "self_left", "self_both"}, inStar("value", {{"kind", "directional"}})},
        {"S5", "/defaults/residual/shape", {"scalar", "vector"}, star()},
        {"S5", "/defaults/residual/init", {1, 0}, star()},
        {"S6", "/encoder/h0", {"input", "linear", "zeros", "learned"}, star()},
        {"S7", "/dims/heads", {4, 8}, {{"topology", "encoder"}, {"head", "classify"}}},
        {"S8", "/dims/layers_enc", {8, 4}, star()},
        {"S8", sublayer + "combine/kind", {"tanh", "tanh_gated"}, inStar("combine", Json::object())},
        {"S9", "/dims/layers_enc", {14, 12}, inSequence(inStar("value", "single"))},
        {"S9", "/encoder/layers", {Json::object(), {{"1", {{"star", {{"value", "single"}}}}}}}, star()},
        {"S10", "/head/pool", {"mean", "max", "first", "last"}, star({{"head", {{"kind", "classify"}}}})},
        {"S14", "/defaults/residual/scope", {"sublayer", "layer"}, kAlpha}};
}

std::vector<Switch> atinukeSwitches() {
    const Json decoder{{"topology", "decoder"}, {"dims", {{"layers_enc", nullptr}, {"vocab_src", nullptr}}}};
    return {{"A1", "/defaults/mask", {"causal", "none"}, decoder},
            {"A2", "/defaults/ffn/act", {"relu", "gelu", "gelu_tanh"}, decoder},
            {"A3", "/defaults/scorer/scale", {"sqrt_dk", "sqrt_d"}, decoder},
            {"A4", "/position", {"sinusoid", "sinusoid_double"}, decoder},
            {"A5", "/position/where", {"input", "every_layer"}, decoder},
            {"A6", "/dims/key_dim", {nullptr, 9}, decoder},
            {"A7", "/defaults/norm/final", {0, 1}, decoder},
            {"A8", "/embed/scale", {"one", "sqrt_d"}, decoder}};
}

std::vector<Switch> thesisSwitches() {
    const std::string score = "/defaults/score/", gate = score + "gate/";
    const Json three{{"dims", {{"layers_enc", 3}, {"layers_dec", 3}}}, {"defaults", {{"score", {{"rule", "add"}}}}}};
    return {{"T1", score + "source", {"raw", "accumulated", "probs"}, three},
            {"T2", score + "sites", {{"enc_self", "dec_self"}, {"enc_self"}, {"enc_self", "dec_self", "cross"}}, three},
            {"T3", gate + "bias", {"vector", "none", "full", "scalar"}, gated()},
            {"T4", gate + "per_source", {false, true}, gated()},
            {"T5", gate + "mask_prev", {"zero", "raw"}, gated()},
            {"T6", "/dims/d", {16, 8}, {}},
            {"T7", "/dims/key_dim", {nullptr, 6}, {}},
            {"T15", gate + "dropout/mode", {"zero", "identity", "element"}, gated({{"dropout", {{"p", 0.9}}}})},
            {"T16", gate + "owner", {"consumer", "producer"}, gated()},
            {"T17", gate + "heads", {"per_head", "shared"}, gated()},
            {"4.3", gate + "count", {"all_layers", "with_prev"}, gated()},
            {"4.4", gate + "init", {"glorot", "zeros", "identity_eps"}, gated()}};
}

std::vector<Switch> allSwitches() {
    std::vector<Switch> all;
    for (const auto& table : {eauSwitches(), starSwitches(), atinukeSwitches(), thesisSwitches()})
        all.insert(all.end(), table.begin(), table.end());
    return all;
}

class TableSwitch : public ::testing::TestWithParam<Switch> {
protected:
    static Json documentWith(const Json& value) {
        const Switch& tested = GetParam();
        Json document = testing_support::tinyVariant(tested.base);
        const Json::json_pointer place(tested.path);
        Json& owner = document[place.parent_pointer()];
        if (owner.is_string()) owner = {{"kind", owner}};  // a block by its name alone
        document[place] = value;
        return document;
    }

    /// What a training pass gives for two sentences, one of them padded, with every α away from its start; and how many
    /// parameters there are.
    static std::pair<std::int64_t, at::Tensor> trained(const Json& document) {
        const at::NoGradGuard noGrad;
        const auto model = buildModel(VariantSpec::parse(document, builtinCatalogue()).resolve(), 1, at::kDouble);
        const Forward f{.training = true, .seed = 1, .step = 1};
        const at::Tensor source = at::cat({ids({4, 5, 6, 7, 8}), ids({9, 10, 4, kPad, kPad})}),
                         target = at::cat({ids({kSos, 6, 5, 4}), ids({kSos, 8, 9, kPad})});
        const ResolvedVariant& variant = model->variant();
        at::Tensor hidden;
        if (!variant.encoder.empty()) hidden = model->encode({source, {}}, f);
        const at::Tensor& read = variant.decoder.empty() ? source : target;
        if (!variant.decoder.empty())
            hidden = model->decode({target, {}}, hidden.defined() ? Memory{hidden, source} : Memory{}, f);
        return {model->parameters().count(), model->logits(model->pool(hidden, read, f))};
    }
};

INSTANTIATE_TEST_SUITE_P(Tables, TableSwitch, ::testing::ValuesIn(allSwitches()), [](const auto& tested) {
    std::string name = tested.param.id + tested.param.path;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name + std::to_string(tested.index);
});

TEST_P(TableSwitch, TakesEveryValueAndEachHasAnEffect) {
    std::vector<std::pair<std::int64_t, at::Tensor>> seen;
    for (const Json& value : GetParam().values) {
        const Json document = documentWith(value);
        std::vector<Problem> problems;
        VariantSpec::parse(document, builtinCatalogue(), problems);
        ASSERT_TRUE(problems.empty()) << value << ": " << problems.front().path << ": " << problems.front().what;
        const auto now = trained(document);
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const auto& [count, answer] = seen[i];
            const bool same = count == now.first && answer.sizes() == now.second.sizes() &&
                              testing_support::distance(answer, now.second) == 0;
            EXPECT_FALSE(same) << value << " does what " << GetParam().values[i] << " does";
        }
        seen.push_back(now);
    }
}

// The rows that are no field of a model: what a run does with its data, its loss and its scores.
struct RunSwitch {
    const char* id;
    const char* path;    ///< JSON pointer into a run
    const char* values;  ///< JSON list; empty: any
};

constexpr RunSwitch kRunSwitches[] = {{"E9", "/train/schedule/kind", R"(["noam_peak","constant_after_warmup"])"},
                                      {"E11", "/train/lr", "[0.00002,0.0001,0.0005]"},
                                      {"S16", "/train/schedule/warmup", "[4000]"},
                                      {"T10", "/train/early_stopping/patience", "[2]"},
                                      {"T13", "/evaluate/bleu_sentences", "[0,50]"}};

TEST(RunSwitches, AreFields) {
    for (const RunSwitch& tested : kRunSwitches)
        for (const Json& value : parseJson(tested.values, tested.id)) {
            Json document = Json::object();
            document[Json::json_pointer(tested.path)] = value;
            std::vector<Problem> problems;
            validate(runSchema(), document, "", problems);
            EXPECT_TRUE(problems.empty()) << tested.id << " " << tested.path << ": " << problems.front().what;
        }
}

}  // namespace
}  // namespace heddle
