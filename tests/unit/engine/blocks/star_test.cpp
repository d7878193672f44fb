// SPDX-License-Identifier: Apache-2.0
// The StarSaber blocks where the golden cases say nothing: switches, cells, constraints, residual weights, starts.
#include "engine/device/torch_pch.h"
#include "engine/kernels/reduced.h"
#include "engine/verify/one_block.h"
#include "engine/verify/stack_under_test.h"
#include "tests/unit/engine/tiny_model.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing_support::distance;
using verify::normalTensor;
using verify::StackUnderTest;

constexpr std::int64_t kStarD = 6, kStarS = 4;

/// An encoder of `layers` star layers with these slots and drawn weights.
struct Star {
    explicit Star(const Json& slots, std::int64_t layers = 1, const Json& encoderSlots = Json::object())
        : encoder(documentOf(slots, layers, encoderSlots), at::kDouble) {
        verify::fillNormal(encoder.store(), 0.4, 5);
    }
    static Json documentOf(const Json& slots, std::int64_t layers, const Json& encoderSlots) {
        Json sublayer{{"name", "star"}, {"residual", "none"}, {"norm", "none"}};
        sublayer.update(slots);
        Json document{{"topology", "encoder"},
                      {"dims", {{"d", kStarD}, {"heads", 1}, {"layers_enc", layers}}},
                      {"encoder", {{"sublayers", {sublayer}}}}};
        document["encoder"].update(encoderSlots);
        return document;
    }
    at::Tensor run(const at::Tensor& x) { return encoder.run(x, &taps); }
    at::Tensor seen(const std::string& tap) const { return taps.seen().at(encoder.path(0, "star") + "." + tap); }
    at::Tensor find(const std::string& name) const { return encoder.store().find(encoder.path(0, "star") + "." + name); }

    StackUnderTest encoder;
    RecordingTaps taps;
};

at::Tensor input(std::uint64_t seed = 3) { return normalTensor({2, kStarS, kStarD}, seed); }

TEST(Star, SidesOfTheBilinearFormDifferByTheBiasAlone) {
    Star query(Json{{"scorer", {{"side", "query"}, {"bias", false}}}}),
        key(Json{{"scorer", {{"side", "key"}, {"bias", false}}}});
    {
        const at::NoGradGuard noGrad;
        key.find("scorer.m.weight").copy_(query.find("scorer.m.weight").t());
    }
    EXPECT_LT(distance(query.run(input()), key.run(input())), 1e-12);
    Star biased(Json{{"scorer", {{"side", "key"}}}});
    const at::Tensor before = biased.run(input());
    const at::NoGradGuard noGrad;
    biased.find("scorer.m.bias").add_(1);
    EXPECT_LT(distance(before, biased.run(input())), 1e-12) << "the softmax does not see a key's bias";
}

TEST(Star, DoubleExpGivesTheSoftmaxTheExponential) {
    Star plain(Json::object()), twice(Json{{"scorer", {{"double_exp", true}}}});
    const at::Tensor x = input();
    plain.run(x);
    twice.run(x);
    EXPECT_LT(distance(twice.seen("scorer.score"), plain.seen("scorer.score").exp()), 1e-12);
    EXPECT_LT(distance(twice.seen("weight"), at::softmax(plain.seen("scorer.score").exp(), -1)), 1e-12);
}

TEST(Star, SplitSaysWhereAPositionItselfBelongs) {
    const auto halves = [](const char* split) {
        Star star(Json{{"value", {{"split", split}}}});
        star.run(input());
        const at::Tensor left = star.seen("value.left_weight"), right = star.seen("value.right_weight");
        EXPECT_EQ(at::triu(left, 1).abs().max().item<double>(), 0);
        EXPECT_EQ(at::tril(right, -1).abs().max().item<double>(), 0);
        const at::Tensor own = star.seen("weight").diagonal(0, -2, -1);
        return std::pair(distance(left.diagonal(0, -2, -1), own), distance(right.diagonal(0, -2, -1), own));
    };
    EXPECT_EQ(halves("self_right").second, 0);
    EXPECT_GT(halves("self_right").first, 0.01);
    EXPECT_EQ(halves("self_left").first, 0);
    EXPECT_GT(halves("self_left").second, 0.01);
    EXPECT_EQ(halves("self_both"), std::pair(0.0, 0.0));
}

TEST(Star, DirectionalValuesStandUnderManyHeads) {
    const auto aggregated = [](std::int64_t heads, const at::Tensor& weights) {
        verify::OneBlock choice{"value", "directional", Json::object(), {}};
        choice.dims.d = kStarD;
        choice.dims.heads = heads;
        choice.dims.valueDim = kStarD / heads;
        const auto value = choice.make<Value>(at::kDouble);
        verify::fillNormal(value.store, 0.4, 5);
        return value->aggregate(weights, input(), nullptr, {});
    };
    const at::Tensor one = at::softmax(normalTensor({2, 1, kStarS, kStarS}, 7), -1);
    EXPECT_LT(distance(aggregated(3, one.expand({2, 3, kStarS, kStarS})), aggregated(1, one)), 1e-12);
    const at::Tensor three = at::softmax(normalTensor({2, 3, kStarS, kStarS}, 8), -1);
    const at::Tensor mixed = aggregated(3, three), second = aggregated(1, three.narrow(1, 1, 1));
    EXPECT_LT(distance(mixed.narrow(2, 2, 2), second.narrow(2, 2, 2)), 1e-12)
        << "rows 2 and 3 of U and Q are the second head's";
    // The last query alone, as a step of decoding has it.
    EXPECT_LT(distance(aggregated(3, three.narrow(2, kStarS - 1, 1)), mixed.narrow(1, kStarS - 1, 1)), 1e-12);
}

TEST(Star, PaddingIsNotSeen) {
    const Star star(Json::object(), 2);
    const at::Tensor x = input(), longer = at::cat({x, normalTensor({2, 3, kStarD}, 9)}, 1);
    const at::Tensor padding = at::arange(kStarS + 3).ge(kStarS).expand({2, kStarS + 3});
    const at::Tensor padded = star.encoder.runFrom(longer, longer, padding);
    EXPECT_LT(distance(padded.narrow(1, 0, kStarS), star.encoder.run(x)), 1e-12);
}

TEST(Star, GruIsTheCellOfTheSpecification) {
    Star star(Json{{"combine", "gru"}});
    const at::Tensor x = input(), y = star.run(x);
    const at::Tensor z = star.seen("combine.update_gate"), r = star.seen("combine.reset_gate"), a = star.seen("value.mixed");
    const auto map = [&](const std::string& name, const at::Tensor& of) {
        return at::linear(of, star.find(name + ".weight"), star.find(name + ".bias"));
    };
    EXPECT_LT(distance(z, at::sigmoid(map("combine.wz", a) + map("combine.vz", x))), 1e-12);
    EXPECT_LT(distance(r, at::sigmoid(map("combine.wr", a) + map("combine.vr", x))), 1e-12);
    EXPECT_LT(distance(y, (1 - z) * x + z * at::tanh(r * a + map("direct.v", x))), 1e-12);
}

TEST(Star, LstmHandsItsCellToTheNextLayer) {
    Star one(Json{{"combine", "lstm"}}), two(Json{{"combine", "lstm"}}, 2);
    const at::Tensor x = input();
    two.run(x);
    const auto later = [&](const std::string& tap) { return two.taps.seen().at(two.encoder.path(1, "star") + "." + tap); };
    const at::Tensor v = two.encoder.store().find(two.encoder.path(1, "star") + ".direct.v.weight");
    const at::Tensor bias = two.encoder.store().find(two.encoder.path(1, "star") + ".direct.v.bias");
    const at::Tensor fresh = at::tanh(later("value.mixed") + at::linear(x, v, bias));
    const at::Tensor expected = later("combine.forget_gate") * two.seen("combine.cell") + later("combine.input_gate") * fresh;
    EXPECT_LT(distance(later("combine.cell"), expected), 1e-12);
    const at::Tensor y = one.run(x);
    EXPECT_LT(distance(y, one.seen("combine.output_gate") * at::tanh(one.seen("combine.cell"))), 1e-12);
    EXPECT_LT(distance(one.run(x), y), 1e-15) << "a pass starts from an empty cell";
}

TEST(Star, ConstraintsHoldTheirMatrices) {
    const auto weightOf = [](const Json& constraint) {
        verify::OneBlock choice{"direct", "vx", constraint, {}};
        choice.dims.d = kStarD;
        const auto direct = choice.make<DirectPath>(at::kDouble);
        verify::fillNormal(direct.store, 0.7, 5);
        const at::Tensor zero = direct->path(at::zeros({1, 1, kStarD}, at::kDouble));
        const at::Tensor w = (direct->path(at::eye(kStarD, at::kDouble).unsqueeze(0)) - zero).squeeze(0).t();
        w.square().sum().backward();
        EXPECT_TRUE(direct.store.find("block.v.weight").grad().isfinite().all().item<bool>());
        return w.detach();
    };
    const at::Tensor free = weightOf(Json::object()), orthogonal = weightOf({{"constraint", "orthogonal"}});
    EXPECT_LT(distance(at::mm(orthogonal, orthogonal.t()), at::eye(kStarD, at::kDouble)), 1e-12);
    const auto normOf = [](const at::Tensor& w) { return at::linalg_svdvals(w).max().item<double>(); };
    ASSERT_GT(normOf(free), 1);
    const at::Tensor bounded = weightOf({{"constraint", "spectral"}, {"norm_bound", 0.8}});
    EXPECT_NEAR(normOf(bounded), 0.8, 1e-12);
    EXPECT_LT(distance(bounded * (normOf(free) / 0.8), free), 1e-12) << "scaled, not bent";
}

/// On a GPU they are one product.
TEST(Star, DirectPathsOfAllLayersAreStoredSideBySide) {
    Json document = Star::documentOf(Json::object(), 3, Json::object());
    document["dims"]["d"] = 8;  // so that every parameter is aligned
    const StackUnderTest encoder(document, at::kDouble);
    for (const char* name : {"star.direct.v.weight", "star.direct.v.bias"}) {
        std::vector<at::Tensor> ofLayers;
        for (std::int64_t layer = 0; layer < 3; ++layer) ofLayers.push_back(encoder.store().find(encoder.path(layer, name)));
        EXPECT_TRUE(joined(ofLayers).defined()) << name;
    }
}

TEST(Star, StartsFromWhatItsSlotSays) {
    const at::Tensor x = input();
    for (const char* start : {"input", "zeros", "learned", "linear"}) {
        const Star from(Json::object(), 1, {{"h0", start}});
        const ParameterStore& store = from.encoder.store();
        at::Tensor h = at::zeros_like(x);
        if (start == std::string("input")) h = x;
        if (start == std::string("learned")) h = store.find("encoder.h0.v").expand_as(x);
        if (start == std::string("linear"))
            h = at::linear(x, store.find("encoder.h0.w.weight"), store.find("encoder.h0.w.bias"));
        EXPECT_LT(distance(from.encoder.run(x), from.encoder.runFrom(h, x, {})), 1e-15) << start;
    }
}

TEST(Star, TellsHowMuchTheStreamChanges) {
    Star star(Json{{"residual", "alpha"}}, 3);
    const at::Tensor x = input(), y = star.run(x), change = star.taps.seen().at("encoder.share.change");
    ASSERT_EQ(change.sizes(), at::IntArrayRef{3});
    const Star one(Json{{"residual", "alpha"}});
    EXPECT_NEAR(change[0].item<double>(), ((one.encoder.run(x) - x).norm() / x.norm()).item<double>(), 1e-12);
    EXPECT_TRUE(at::equal(y, star.encoder.run(x))) << "watching changes no bit";
}

TEST(Alpha, IsAFunctionOfTheStream) {
    Star star(Json{{"residual", {{"kind", "alpha"}, {"form", "function"}}}});
    const at::Tensor x = input(), y = star.run(x), alpha = star.seen("residual.alpha_of_stream");
    EXPECT_EQ(alpha.sizes(), (at::IntArrayRef{2, kStarS, 1}));
    const at::Tensor w = star.find("residual.gate.weight"), b = star.find("residual.gate.bias");
    EXPECT_LT(distance(alpha, at::sigmoid(at::linear(x, w, b))), 1e-12);
    EXPECT_LT(distance(y, x + alpha * star.seen("combine.update")), 1e-12);
}

TEST(Alpha, OfALayerIsOneParameter) {
    const auto encoderOf = [](const char* scope) {
        Json document = Star::documentOf(Json::object(), 2, Json::object());
        document["encoder"]["sublayers"] = Json::array({{{"name", "star"}}, {{"name", "ffn"}}});
        document["defaults"] = {{"residual", {{"kind", "alpha"}, {"scope", scope}, {"shape", "vector"}}}, {"norm", "none"}};
        return StackUnderTest(document, at::kDouble);
    };
    const StackUnderTest own = encoderOf("sublayer"), shared = encoderOf("layer");
    EXPECT_EQ(own.store().count() - shared.store().count(), 2 * kStarD);
    EXPECT_EQ(shared.store().count(), shared.counts().formula);
    EXPECT_FALSE(shared.store().find(shared.path(0, "ffn") + ".residual.alpha").defined());
    const at::NoGradGuard noGrad;
    for (const std::int64_t layer : {0, 1}) shared.store().find(shared.path(layer, "star") + ".residual.alpha").zero_();
    EXPECT_EQ(distance(shared.run(input()), input()), 0) << "both sublayers are weighted by it";
}

TEST(Init, OrthogonalMatricesKeepLengths) {
    const auto init = makeInit({"orthogonal", verify::blockParameters("init", "orthogonal")});
    for (const auto& [rows, columns] : {std::pair{8, 8}, {5, 9}, {9, 5}}) {
        const at::Tensor w = init->matrix(randomKey(3, "w"), {rows, columns});
        const at::Tensor gram = rows <= columns ? at::mm(w, w.t()) : at::mm(w.t(), w);
        EXPECT_EQ(w.sizes(), (at::IntArrayRef{rows, columns}));
        EXPECT_LT(distance(gram, at::eye(gram.size(0), at::kDouble)), 1e-12);
    }
}

}  // namespace
}  // namespace heddle
