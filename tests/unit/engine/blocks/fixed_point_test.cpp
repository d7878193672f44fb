// SPDX-License-Identifier: Apache-2.0
// The iterated layer: when it stops, what it reports, how it fails, and what its backward pass goes through.
#include "engine/base/error.h"
#include "engine/blocks/block.h"
#include "engine/blocks/share/jacobian.h"
#include "engine/device/torch_pch.h"
#include "engine/model/recording_taps.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::HasSubstr;
using testing_support::distance;
using verify::normalTensor;

constexpr std::int64_t kPointB = 2, kPointS = 3, kPointD = 4;

/// h ← scale · tanh(W h) + x, with ‖W‖ = 1: a contraction where scale < 1.
struct Iteration {
    explicit Iteration(Json params, double factor = 0.5) : scale(factor) {
        params["max_iter"] = params.value("max_iter", 200);
        share = verify::OneBlock{"share", "fixed_point", params, {}}.make<Share>(at::kDouble).block;
    }
    at::Tensor run() {
        evaluations = 0;
        const Share::Step step = [&](std::int64_t layer, const at::Tensor& h) {
            EXPECT_EQ(layer, 0);
            ++evaluations;
            return scale * at::tanh(at::linear(h, weight)) + x;
        };
        const Forward f{.taps = watch ? &taps : nullptr};
        return share->run(x, 1, step, f);
    }
    double seen(const char* exposure) const { return taps.seen().at(std::string("block.") + exposure).sum().item<double>(); }
    at::Tensor gradient() {
        weight.mutable_grad().reset();
        x.mutable_grad().reset();
        verify::backwardOfHalfSquares(run());
        return at::cat({weight.grad().flatten(), x.grad().flatten()});
    }

    std::unique_ptr<Share> share;
    at::Tensor weight = std::get<0>(at::linalg_qr(normalTensor({kPointD, kPointD}, 1))).set_requires_grad(true);
    at::Tensor x = normalTensor({kPointB, kPointS, kPointD}, 2).set_requires_grad(true);
    double scale;
    int evaluations = 0;
    bool watch = false;
    RecordingTaps taps;
};

std::string messageOf(Iteration& iteration) {
    try {
        iteration.run();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Diverged);
        EXPECT_EQ(error.where(), "block");
        return error.problem() + "; " + error.next();
    }
    return "no error";
}

TEST(FixedPoint, StandsStillWhereItStops) {
    Iteration iteration(Json{{"tol", 1e-10}});
    const at::Tensor h = iteration.run();
    EXPECT_LT(distance(h, iteration.scale * at::tanh(at::linear(h, iteration.weight)) + iteration.x), 1e-10);
    Iteration rough(Json{{"tol", 0.1}});
    rough.run();
    EXPECT_LT(rough.evaluations, iteration.evaluations / 3);
}

TEST(FixedPoint, ReportsIterationsResidualsAndTheJacobian) {
    Iteration iteration(Json{{"tol", 1e-8}}, 0.3);
    const at::Tensor unwatched = iteration.run();
    const int evaluations = iteration.evaluations;
    iteration.watch = true;
    EXPECT_TRUE(at::equal(iteration.run(), unwatched));
    EXPECT_EQ(iteration.seen("iterations"), evaluations);
    EXPECT_EQ(iteration.seen("converged"), 1);
    const at::Tensor residuals = iteration.taps.seen().at("block.residual");
    ASSERT_EQ(residuals.size(0), evaluations);
    EXPECT_LT(residuals[-1].item<double>(), 1e-8);
    EXPECT_GE(residuals[-2].item<double>(), 1e-8);
    EXPECT_EQ(iteration.taps.seen().at("block.change").size(0), evaluations);
    // J is block-diagonal: scale · diag(1 − tanh²(W h)) W at every position.
    const at::Tensor slope = 0.3 * (1 - at::tanh(at::linear(unwatched, iteration.weight)).square());
    const at::Tensor jacobians = slope.unsqueeze(-1) * iteration.weight;
    const double norm = at::linalg_svdvals(jacobians).max().item<double>();
    EXPECT_LE(iteration.seen("jacobian_norm"), norm * 1.001);
    EXPECT_GE(iteration.seen("jacobian_norm"), norm * 0.9);
}

TEST(FixedPoint, JacobianNormOfALinearMap) {
    const at::Tensor w = normalTensor({kPointD, kPointD}, 3), point = normalTensor({1, 1, kPointD}, 4);
    const TensorMap map = [&](const at::Tensor& h) { return at::linear(h, w); };
    const double norm = at::linalg_svdvals(w).max().item<double>();
    EXPECT_NEAR(jacobianNorm(map, point, 60), norm, 1e-6);
    EXPECT_EQ(jacobianNorm([](const at::Tensor& h) { return h * 0; }, point, 3), 0);
    const at::Tensor single = w.to(at::kFloat);
    EXPECT_NEAR(jacobianNorm([&](const at::Tensor& h) { return at::linear(h, single); }, point.to(at::kFloat), 60), norm, 1e-3);
}

TEST(FixedPoint, SaysThatItDidNotArrive) {
    Iteration slow(Json{{"tol", 1e-12}, {"max_iter", 3}});
    EXPECT_THAT(messageOf(slow),
                ::testing::AllOf(HasSubstr("no convergence"), HasSubstr("after 3 iterations"), HasSubstr("raise max_iter")));
    Iteration wild(Json{{"max_iter", 100}});
    {
        const at::NoGradGuard noGrad;
        wild.x.fill_(std::numeric_limits<double>::infinity());
    }
    EXPECT_THAT(messageOf(wild), HasSubstr("diverged"));
    EXPECT_EQ(wild.evaluations, 1) << "it does not go on with numbers that are none";
}

TEST(FixedPoint, GoesOnWithAReport) {
    Iteration slow(Json{{"tol", 1e-12}, {"max_iter", 3}, {"on_failure", "report"}});
    slow.watch = true;
    const at::Tensor h = slow.run();
    EXPECT_EQ(slow.seen("converged"), 0);
    EXPECT_EQ(slow.seen("iterations"), 3);
    at::Tensor expected = slow.x;
    for (int i = 0; i < 3; ++i) expected = slow.scale * at::tanh(at::linear(expected, slow.weight)) + slow.x;
    EXPECT_TRUE(at::equal(h, expected));
}

TEST(FixedPoint, ForwardIsTheSameWhateverTheBackwardPass) {
    Iteration all(Json{{"grad", "unroll"}});
    const at::Tensor h = all.run();
    for (const Json& params :
         {Json{{"grad", "unroll"}, {"m", 2}}, Json{{"grad", "implicit"}}, Json{{"grad", "phantom"}, {"m", 3}}})
        EXPECT_TRUE(at::equal(Iteration(params).run(), h)) << params;
    const at::NoGradGuard noGrad;
    EXPECT_TRUE(at::equal(Iteration(Json{{"grad", "implicit"}}).run(), h));
}

TEST(FixedPoint, BackwardPassesGoThroughWhatTheySay) {
    const at::Tensor all = Iteration(Json{{"grad", "unroll"}}).gradient();
    EXPECT_LT(distance(Iteration(Json{{"grad", "implicit"}}).gradient(), all), 1e-9);
    EXPECT_LT(distance(Iteration(Json{{"grad", "unroll"}, {"m", 500}}).gradient(), all), 1e-12) << "more than there are";
    // m evaluations err by the m-th power of the contraction, from before the point as from it.
    for (const char* grad : {"unroll", "phantom"}) {
        double last = std::numeric_limits<double>::infinity();
        for (const int m : {1, 4, 8}) {
            const double error = distance(Iteration(Json{{"grad", grad}, {"m", m}}).gradient(), all);
            EXPECT_GT(error, 1e-9) << grad << m;
            EXPECT_LT(error, last / (m > 1 ? 4 : 1)) << grad << m;
            last = error;
        }
    }
    EXPECT_LT(
        distance(Iteration(Json{{"grad", "phantom"}}).gradient(), Iteration(Json{{"grad", "phantom"}, {"m", 1}}).gradient()),
        1e-15);
}

TEST(FixedPoint, AnImplicitGradientThatDoesNotArriveIsAnError) {
    Iteration slow(Json{{"grad", "implicit"}, {"max_iter", 12}, {"tol", 1e-2}}, 0.5);
    EXPECT_NO_THROW(slow.gradient());
    // A tolerance that three evaluations of a flat map meet, and three backward steps do not.
    Iteration steep(Json{{"grad", "implicit"}, {"max_iter", 3}, {"tol", 1e-7}}, 0.9);
    {
        const at::NoGradGuard noGrad;
        steep.x.zero_();
    }
    EXPECT_THROW(verify::backwardOfHalfSquares(steep.run() + 1), Error);
    Iteration tolerant(Json{{"grad", "implicit"}, {"max_iter", 3}, {"tol", 1e-7}, {"on_failure", "report"}}, 0.9);
    {
        const at::NoGradGuard noGrad;
        tolerant.x.zero_();
    }
    verify::backwardOfHalfSquares(tolerant.run() + 1);
    EXPECT_TRUE(tolerant.weight.grad().isfinite().all().item<bool>());
}

TEST(FixedPoint, DefaultToleranceFollowsThePrecision) {
    Iteration iteration(Json::object());
    iteration.run();
    const int wide = iteration.evaluations;
    iteration.x = iteration.x.detach().to(at::kFloat);
    iteration.weight = iteration.weight.detach().to(at::kFloat);
    iteration.run();
    const int single = iteration.evaluations;
    EXPECT_LT(single, wide);
    iteration.x = iteration.x.to(at::kBFloat16);
    iteration.weight = iteration.weight.to(at::kBFloat16);
    iteration.run();
    EXPECT_LT(iteration.evaluations, single);
    EXPECT_GT(iteration.evaluations, 2);
}

TEST(FixedPoint, ThePresetArrivesWhereItStarts) {
    const auto variant = VariantSpec::parse({{"preset", "star-fixedpoint"}}, builtinCatalogue()).resolve(50, 50);
    const auto model = buildModel(variant, 1);
    const at::Tensor words = at::arange(4, 36).view({2, 16});
    RecordingTaps taps;
    const Forward f{.training = true, .taps = &taps};
    const at::Tensor logits = model->logits(model->pool(model->encode({words, {}}, f), words, f));
    EXPECT_TRUE(logits.isfinite().all().item<bool>());
    EXPECT_EQ(taps.seen().at("encoder.share.converged").item<double>(), 1);
    EXPECT_LT(taps.seen().at("encoder.share.iterations").item<double>(), 50);
    EXPECT_GT(taps.seen().at("encoder.share.jacobian_norm").item<double>(), 0);
    RecordProperty("iterations", static_cast<int>(taps.seen().at("encoder.share.iterations").item<double>()));
    RecordProperty("jacobian_norm", std::to_string(taps.seen().at("encoder.share.jacobian_norm").item<double>()));
    logits.square().sum().backward();
    for (const auto& entry : model->parameters().entries())
        EXPECT_TRUE(entry.tensor.grad().isfinite().all().item<bool>()) << entry.path;
}

}  // namespace
}  // namespace heddle
