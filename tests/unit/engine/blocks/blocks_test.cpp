// SPDX-License-Identifier: Apache-2.0
// Properties of single blocks (variants.md section 7, A5), each made by its factory.
#include "engine/base/error.h"
#include "engine/blocks/block.h"
#include "engine/device/torch_pch.h"
#include "engine/model/builder.h"
#include "engine/model/recording_taps.h"
#include "engine/spec/catalogue.h"
#include "engine/verify/one_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

namespace heddle {
namespace {

using verify::blockParameters;

constexpr std::int64_t kB = 2, kS = 5, kD = 8;

/// A store in float64 with one block in it, at path "block".
template <class Slot>
struct Lone {
    Lone(const std::string& slot, const std::string& id, const Json& given = Json::object())
        : store(1, makeInit({"torch_default", blockParameters("init", "torch_default")}), at::kDouble) {
        const Dims dims{.d = kD, .f = 12, .heads = 2, .keyDim = 3, .valueDim = 5, .maxLen = 6, .vocabSrc = 7, .vocabTgt = 9};
        const verify::OneBlock choice{slot, id, given, dims};
        block = choice.make<Slot>(store, at::kDouble);
        formulaCount = builtinCatalogue().at(slot, id).parameterCount(choice.where(), choice.allParams());
    }
    void fill(const std::string& path, double value) {
        const at::NoGradGuard noGrad;
        store.find("block." + path).fill_(value);
    }
    at::Tensor find(const std::string& path) const { return store.find("block." + path); }

    ParameterStore store;
    std::unique_ptr<Slot> block;
    std::int64_t formulaCount = 0;
};

at::Tensor sample(const std::string& name, double size = 3) { return uniform(randomKey(9, name), {kB, kS, kD}, -size, size); }

const Forward kPlain;

TEST(Catalogue, EveryBlockIsBuiltAndCountedAlike) {
    for (const BlockDescriptor& block : builtinCatalogue().blocks()) {
        const Lone<Block> lone(block.slot, block.id);
        ASSERT_TRUE(lone.block) << block.slot << " " << block.id;
        EXPECT_EQ(lone.store.count(), lone.formulaCount) << block.slot << " " << block.id;
    }
}

TEST(Catalogue, UnknownBlockIsAnError) { EXPECT_THROW(Lone<Block>("residual", "grc2"), Error); }

TEST(Eau, StaysWithinOneOfItsInput) {
    const Lone<Adjuster> eau("adjuster", "eau");
    const at::Tensor x = sample("x", 100);
    EXPECT_LT((eau.block->adjust(x, x, kPlain) - x).abs().max().item<double>(), 1);
}

TEST(Eau, ShowsWhatItComputes) {
    const Lone<Adjuster> eau("adjuster", "eau");
    RecordingTaps taps;
    const Forward f{.taps = &taps};
    const at::Tensor x = sample("x"), y = eau.block->adjust(x, x, f);
    const auto& seen = taps.seen();
    EXPECT_TRUE(at::equal(seen.at("block.delta"), seen.at("block.evaluation") * seen.at("block.adjustment")));
    EXPECT_TRUE(at::equal(y, x + seen.at("block.delta")));
    EXPECT_EQ(seen.at("block.hidden").size(-1), kD / 2);
}

TEST(Eau, BeforeTheOutputProjectionHasTheWidthOfTheMergedHeads) {
    const Lone<Adjuster> eau("adjuster", "eau", {{"where", "before_wo"}});
    EXPECT_EQ(eau.find("w3.weight").size(0), 10);  // 2 heads of 5
    EXPECT_EQ(eau.store.count(), eau.formulaCount);
}

TEST(Grc, OpenGateIsThePlainResidualAndClosedGateCutsTheSublayer) {
    const at::Tensor r = sample("r"), s = sample("s");
    for (const double bias : {40.0, -40.0}) {
        Lone<Residual> grc("residual", "grc", {{"bias_init", bias}});
        grc.fill("gate.weight", 0);
        const at::Tensor want = bias > 0 ? r + s : r;
        EXPECT_LT((grc.block->join(r, r, s, kPlain) - want).abs().max().item<double>(), 1e-12);
    }
}

TEST(Grc, GateSeesWhatTheVariantSays) {
    const at::Tensor r = sample("r"), u = sample("u"), s = sample("s");
    const std::pair<const char*, at::Tensor> inputs[] = {{"r", r}, {"norm_r", u}, {"s", s}, {"concat", at::cat({r, s}, -1)}};
    for (const auto& [name, input] : inputs) {
        const Lone<Residual> grc("residual", "grc", {{"gate_input", name}});
        const at::Tensor g = at::sigmoid(at::linear(input, grc.find("gate.weight"), grc.find("gate.bias")));
        EXPECT_TRUE(at::equal(grc.block->join(r, u, s, kPlain), r + g * s)) << name;
        EXPECT_EQ(grc.store.count(), grc.formulaCount) << name;
    }
}

TEST(Highway, MixesWithTheComplement) {
    const at::Tensor r = sample("r"), s = sample("s");
    Lone<Residual> highway("residual", "highway");
    highway.fill("gate.weight", 0);
    highway.fill("gate.bias", std::log(3.0));  // g = 3/4
    EXPECT_LT((highway.block->join(r, r, s, kPlain) - (0.25 * r + 0.75 * s)).abs().max().item<double>(), 1e-12);
}

TEST(Alpha, ZeroIsTheIdentityAndOneThePlainSum) {
    const at::Tensor r = sample("r"), s = sample("s");
    for (const char* shape : {"scalar", "vector"}) {
        const Lone<Residual> zero("residual", "alpha", {{"init", 0}, {"shape", shape}}),
            one("residual", "alpha", {{"shape", shape}});
        EXPECT_TRUE(at::equal(zero.block->join(r, r, s, kPlain), r));
        EXPECT_TRUE(at::equal(one.block->join(r, r, s, kPlain), r + s));
        EXPECT_EQ(zero.store.count(), std::string(shape) == "vector" ? kD : 1);
    }
}

TEST(Residuals, AddAndNone) {
    const at::Tensor r = sample("r"), s = sample("s");
    EXPECT_TRUE(at::equal(Lone<Residual>("residual", "add").block->join(r, r, s, kPlain), r + s));
    EXPECT_TRUE(at::equal(Lone<Residual>("residual", "none").block->join(r, r, s, kPlain), s));
}

TEST(LayerNorm, NormalisesWithBiasedVariance) {
    const Lone<Norm> norm("norm", "layernorm", {{"eps", 1e-5}});
    const at::Tensor x = sample("x"), y = norm.block->normalise(x);
    const at::Tensor centred = x - x.mean(-1, true);
    EXPECT_TRUE(at::allclose(y, centred / (centred.square().mean(-1, true) + 1e-5).sqrt(), 1e-12, 1e-12));
    EXPECT_EQ(norm.block->place(), Norm::Place::Post);
    EXPECT_EQ((Lone<Norm>("norm", "layernorm", {{"place", "pre"}}).block->place()), Norm::Place::Pre);
}

TEST(Mlp, AppliesEachActivation) {
    const at::Tensor x = sample("x");
    for (const std::string act : {"relu", "gelu", "gelu_tanh", "tanh"}) {
        const Lone<FeedForward> mlp("ffn", "mlp", {{"act", act}});
        const at::Tensor z = at::linear(x, mlp.find("in.weight"), mlp.find("in.bias"));
        const at::Tensor cube = z + 0.044715 * z.pow(3);
        const at::Tensor h = act == "relu"   ? z.clamp_min(0)
                             : act == "gelu" ? 0.5 * z * (1 + at::erf(z / std::sqrt(2.0)))
                             : act == "tanh" ? at::tanh(z)
                                             : 0.5 * z * (1 + at::tanh(std::sqrt(2 / M_PI) * cube));
        const at::Tensor want = at::linear(h, mlp.find("out.weight"), mlp.find("out.bias"));
        EXPECT_TRUE(at::allclose(mlp.block->transform(x, kPlain), want, 1e-10, 1e-12)) << act;
    }
    const Lone<FeedForward> bare("ffn", "mlp", {{"bias", false}});
    EXPECT_EQ(bare.store.count(), bare.formulaCount);
}

TEST(Activations, AreTheirFunctions) {
    const auto normalShare = [](double x) { return 0.5 * (1 + std::erf(x / std::sqrt(2.0))); };
    const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
    for (const double x : {-1.5, -0.25, 0.5, 3.0}) {
        const std::pair<Activation, double> wanted[] = {
            {Activation::Sigmoid, sigmoid(x)},
            {Activation::Relu, std::max(x, 0.0)},
            {Activation::Gelu, x * normalShare(x)},
            {Activation::GeluTanh, 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)))},
            {Activation::Silu, x * sigmoid(x)},
            {Activation::Tanh, std::tanh(x)},
            {Activation::Hardtanh, std::clamp(x, -1.0, 1.0)},
            {Activation::Relu2, std::pow(std::max(x, 0.0), 2)},
            {Activation::None, x}};
        ASSERT_EQ(std::size(wanted), wordsOf<Activation>().size());
        for (const auto& [act, y] : wanted)
            EXPECT_NEAR(activated(act, at::tensor({x}, at::kDouble)).item<double>(), y, 1e-14) << wordOf(act) << " of " << x;
    }
}

TEST(DotScorer, ScalesAndSplitsHeads) {
    const at::Tensor q = sample("q"), k = sample("k");
    const std::pair<const char*, double> scales[] = {{"sqrt_dk", std::sqrt(3.0)}, {"sqrt_d", std::sqrt(8.0)}, {"one", 1}};
    for (const auto& [name, divisor] : scales) {
        const Lone<Scorer> dot("scorer", "dot", {{"scale", name}});
        const at::Tensor scores = dot.block->score(q, k, kPlain);
        ASSERT_EQ(scores.sizes(), (at::IntArrayRef{kB, 2, kS, kS}));
        const at::Tensor q1 = at::linear(q, dot.find("q.weight"), dot.find("q.bias")).narrow(-1, 3, 3);
        const at::Tensor k1 = at::linear(k, dot.find("k.weight"), dot.find("k.bias")).narrow(-1, 3, 3);
        EXPECT_TRUE(at::allclose(scores.select(1, 1), at::matmul(q1, k1.transpose(1, 2)) / divisor, 1e-12, 1e-12)) << name;
    }
}

TEST(HeadsProjectedValue, MixesHeadByHeadAndAdjustsBeforeProjecting) {
    const at::Tensor x = sample("x"), p = at::softmax(uniform(randomKey(9, "p"), {kB, 2, kS, kS}, -1, 1), -1);
    const Lone<Value> value("value", "heads_proj");
    const at::Tensor v = at::linear(x, value.find("v.weight"), value.find("v.bias"));
    const at::Tensor merged =
        at::cat({at::matmul(p.select(1, 0), v.narrow(-1, 0, 5)), at::matmul(p.select(1, 1), v.narrow(-1, 5, 5))}, -1);
    const auto project = [&](const at::Tensor& heads) {
        return at::linear(heads, value.find("out.weight"), value.find("out.bias"));
    };
    EXPECT_TRUE(at::allclose(value.block->aggregate(p, x, nullptr, kPlain), project(merged), 1e-12, 1e-12));
    const Lone<Adjuster> eau("adjuster", "eau", {{"where", "before_wo"}});
    const InnerAdjuster inner{*eau.block, x};
    EXPECT_TRUE(at::allclose(value.block->aggregate(p, x, &inner, kPlain), project(eau.block->adjust(merged, x, kPlain)), 1e-12,
                             1e-12));
}

TEST(Positions, SinusoidsGoOnBeyondTheTable) {
    for (const char* id : {"sinusoid", "sinusoid_concat", "sinusoid_double"}) {
        const Lone<Position> position("position", id);  // a table of 6
        const at::Tensor zero = at::zeros({1, 6, kD}, at::kDouble);
        const at::Tensor known = position.block->add(zero, 0), later = position.block->add(zero, 3);
        EXPECT_TRUE(at::allclose(later.narrow(1, 0, 3), known.narrow(1, 3, 3), 1e-12, 1e-12)) << id;
        EXPECT_NEAR(later[0][5][0].item<double>(), std::sin(8.0), 1e-12) << id;
    }
}

TEST(Positions, LearnedEndsAtItsTable) {
    const Lone<Position> position("position", "learned");
    EXPECT_NO_THROW(position.block->add(at::zeros({1, 6, kD}, at::kDouble), 0));
    EXPECT_THROW(position.block->add(at::zeros({1, 6, kD}, at::kDouble), 1), Error);
}

TEST(Embedding, ScalesAndTies) {
    const at::Tensor ids = at::arange(6).reshape({2, 3});
    const Lone<Embedding> plain("embed", "learned"), scaled("embed", "learned", {{"scale", "sqrt_d"}});
    EXPECT_TRUE(at::allclose(scaled.block->embed(Embedding::Side::Source, {ids}),
                             plain.block->embed(Embedding::Side::Source, {ids}) * std::sqrt(8.0), 1e-12, 0));
    EXPECT_FALSE(plain.block->tiesOutput());
    const Lone<Embedding> out("embed", "tied_out"), both("embed", "tied_all"), sides("embed", "tied_src_tgt");
    EXPECT_TRUE(out.block->tiesOutput() && both.block->tiesOutput() && !sides.block->tiesOutput());
    EXPECT_TRUE(both.block->table(Embedding::Side::Source).is_same(both.block->table(Embedding::Side::Target)));
    EXPECT_FALSE(out.block->table(Embedding::Side::Source).is_same(out.block->table(Embedding::Side::Target)));
}

TEST(Init, DrawsWhatItsFormulaSays) {
    const RandomKey key = randomKey(4, "init");
    const auto of = [](const std::string& id) { return makeInit({id, blockParameters("init", id)}); };
    const auto limit = [](const at::Tensor& t) { return t.abs().max().item<double>(); };
    const std::vector<std::int64_t> sizes{300, 200};
    EXPECT_NEAR(limit(of("torch_default")->matrix(key, sizes)), 1 / std::sqrt(200.0), 1e-5);
    EXPECT_NEAR(limit(of("torch_default")->vector(key, {9999}, 50)), 1 / std::sqrt(50.0), 1e-4);
    EXPECT_NEAR(of("torch_default")->table(key, sizes, 1).std().item<double>(), 1, 0.02);
    EXPECT_NEAR(limit(of("xavier_uniform")->matrix(key, sizes)), std::sqrt(6.0 / 500), 1e-4);
    EXPECT_NEAR(limit(of("xavier_uniform")->table(key, sizes, 1)), std::sqrt(6.0 / 500), 1e-4);
    EXPECT_NEAR(limit(of("kaiming_uniform")->matrix(key, sizes)), std::sqrt(6.0 / 200), 1e-4);
    EXPECT_NEAR(of("normal")->matrix(key, sizes).std().item<double>(), 0.02, 0.001);
    EXPECT_EQ(limit(of("normal")->vector(key, {9}, 50)), 0);
}

TEST(ParameterStore, StartsFromSeedAndPathAlone) {
    const auto draw = [](std::uint64_t seed, const std::vector<std::string>& before) {
        ParameterStore store(seed, makeInit({"torch_default", blockParameters("init", "torch_default")}));
        for (const auto& path : before) store.declare(path, {3}, {});
        return store.declare("a.weight", {4, 5}, {});
    };
    EXPECT_TRUE(at::equal(draw(1, {}), draw(1, {"z", "b"})));
    EXPECT_FALSE(at::equal(draw(1, {}), draw(2, {})));
    EXPECT_TRUE(draw(1, {}).is_leaf() && draw(1, {}).requires_grad());
}

}  // namespace
}  // namespace heddle
