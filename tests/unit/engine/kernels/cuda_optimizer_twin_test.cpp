// SPDX-License-Identifier: Apache-2.0
// The packed update of an optimizer and the ring of a step's values, run on the host by teams of several sizes, against
// PyTorch's fused operators.
#include "engine/device/random.h"
#include "engine/kernels/cuda/optimizer_bodies.h"
#include "engine/kernels/packed_adam.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"
#include "tests/unit/engine/kernels/cuda_teams.h"

#include <gtest/gtest.h>

#include <limits>

namespace heddle {
namespace {

using testing_support::drawnFloats;
using testing_support::relative;
using testing_support::runRows;

/// Parameters of many sizes; the second begins in the middle of a quad, as a part of joint weights may.
std::vector<PackedOperand> operandsOf(const std::string& name) {
    std::vector<PackedOperand> made;
    for (const std::int64_t n : {1, 7, 4096, 4097, 9001}) {
        const std::string own = name + std::to_string(n);
        const at::Tensor value = drawnFloats(5, own, {n + 3}).narrow(0, n == 7 ? 3 : 0, n);
        made.push_back({value, drawnFloats(5, own + "g", {n}), drawnFloats(5, own + "m", {n}) * 0.1,
                        drawnFloats(5, own + "s", {n}).square(), n % 2 == 1 ? at::zeros({n}, at::kBFloat16) : at::Tensor(),
                        n % 2});
    }
    return made;
}

struct Pass {
    at::Tensor rates = at::tensor({0.02F, 0.05F}), step = at::full({}, 6.0F), objective = at::zeros({});
    at::Tensor norm = at::full({}, -1.0F), notFinite = norm.clone(), divisor = norm.clone(), norms, squares;

    void run(const std::vector<PackedOperand>& operands, const PackedAdam::Settings& settings, int lanes) {
        const PackedTable table(operands);
        const cuda::PackedParameters all = table.at(table.bytes.data());
        norms = at::full({table.parameterCount}, -1.0F);
        squares = at::full({table.partCount}, -1.0, at::kDouble);
        runRows(cuda::GradientSquaresPass{{all, squares.data_ptr<double>()}}, table.partCount, lanes);
        runRows(cuda::GradientNormPass{{all, squares.data_ptr<double>(), objective.data_ptr<float>(), settings.clip,
                                        norms.data_ptr<float>(), norm.data_ptr<float>(), notFinite.data_ptr<float>(),
                                        divisor.data_ptr<float>(), step.data_ptr<float>()}},
                table.parameterCount + 1, lanes);
        runRows(cuda::AdamPass{{all, rates.data_ptr<float>(), notFinite.data_ptr<float>(), divisor.data_ptr<float>(),
                                step.data_ptr<float>(), static_cast<float>(settings.beta1), static_cast<float>(settings.beta2),
                                static_cast<float>(settings.weightDecay), static_cast<float>(settings.epsilon),
                                settings.decouples}},
                table.partCount, lanes);
    }
};

using Member = at::Tensor PackedOperand::*;
std::vector<at::Tensor> all(const std::vector<PackedOperand>& operands, Member part, std::int64_t group) {
    std::vector<at::Tensor> tensors;
    for (const PackedOperand& one : operands)
        if (one.group == group) tensors.push_back(one.*part);
    return tensors;
}

/// The update by PyTorch's operators.
void updateByTorch(const std::vector<PackedOperand>& operands, const PackedAdam::Settings& settings, const Pass& at) {
    for (const std::int64_t group : {0, 1}) {
        const auto values = all(operands, &PackedOperand::value, group);
        const std::vector<at::Tensor> steps(values.size(), at.step);
        const auto with = [&](const auto& fused) {
            fused(values, all(operands, &PackedOperand::gradient, group), all(operands, &PackedOperand::mean, group),
                  all(operands, &PackedOperand::square, group), at::TensorList(), steps, at.rates[group], settings.beta1,
                  settings.beta2, settings.weightDecay, settings.epsilon, false, false, at.divisor, at.notFinite);
        };
        if (settings.decouples)
            with([](const auto&... given) { at::_fused_adamw_(given...); });
        else
            with([](const auto&... given) { at::_fused_adam_(given...); });
    }
}

TEST(CudaTwinOptimizer, UpdatesLikeTorchsFusedOperators) {
    for (const int lanes : {1, 3})
        for (const bool decouples : {false, true})
            for (const double clip : {0.0, 1.0, 1e6})
                for (const double weightDecay : {0.0, 0.1}) {
                    SCOPED_TRACE(testing::Message() << lanes << " lanes, clip " << clip << ", decay " << weightDecay
                                                    << (decouples ? ", decoupled" : ""));
                    const PackedAdam::Settings settings{0.9, 0.98, 1e-9, weightDecay, clip, decouples};
                    const auto made = operandsOf("p"), expected = operandsOf("p");
                    Pass pass;
                    pass.run(made, settings, lanes);
                    EXPECT_EQ(pass.step.item<float>(), 7);
                    std::vector<at::Tensor> gradients;
                    for (const PackedOperand& one : expected) gradients.push_back(one.gradient);
                    const at::Tensor norms = at::stack(at::_foreach_norm(gradients));
                    EXPECT_LT(relative(pass.norms, norms), 1e-6);
                    EXPECT_LT(relative(pass.norm, norms.norm()), 1e-6);
                    EXPECT_EQ(pass.notFinite.item<float>(), 0);
                    const double factor = clip > 0 ? std::max(1.0, (norms.norm().item<double>() + 1e-6) / clip) : 1;
                    EXPECT_NEAR(pass.divisor.item<double>(), factor, 1e-5 * factor);
                    updateByTorch(expected, settings, pass);
                    for (std::size_t i = 0; i < made.size(); ++i) {
                        EXPECT_LT(relative(made[i].value, expected[i].value), 2e-7) << i;
                        EXPECT_LT(relative(made[i].mean, expected[i].mean), 2e-7) << i;
                        EXPECT_LT(relative(made[i].square, expected[i].square), 1e-6) << i;  // 1 - β₂ itself is rounded
                        if (made[i].reduced.defined()) {
                            EXPECT_TRUE(at::equal(made[i].reduced, made[i].value.to(at::kBFloat16))) << i;
                        }
                    }
                }
}

TEST(CudaTwinOptimizer, DoesNothingWhereTheNormOrTheObjectiveIsNoNumber) {
    for (const float broken : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN()})
        for (const bool inObjective : {false, true}) {
            const auto made = operandsOf("p"), before = operandsOf("p");
            Pass pass;
            if (inObjective)
                pass.objective.fill_(broken);
            else
                made[3].gradient[4096] = broken;
            pass.run(made, {0.9, 0.98, 1e-9, 0.1, 1, true}, 3);
            EXPECT_EQ(pass.notFinite.item<float>(), 1);
            EXPECT_EQ(pass.step.item<float>(), 7);
            for (std::size_t i = 0; i < made.size(); ++i) {
                EXPECT_TRUE(at::equal(made[i].value, before[i].value));
                EXPECT_TRUE(at::equal(made[i].mean, before[i].mean));
                EXPECT_TRUE(at::equal(made[i].square, before[i].square));
                if (made[i].reduced.defined()) {
                    EXPECT_TRUE(at::equal(made[i].reduced, before[i].reduced));
                }
            }
        }
}

TEST(CudaTwinOptimizer, SumsDoNotDependOnTheAddressesOfTheTable) {
    Pass one, other;
    const auto a = operandsOf("p"), b = operandsOf("p");
    one.run(a, {0.9, 0.98, 1e-9, 0.1, 1, true}, 4);
    other.run(b, {0.9, 0.98, 1e-9, 0.1, 1, true}, 4);
    EXPECT_TRUE(at::equal(one.squares, other.squares));
    EXPECT_TRUE(at::equal(one.norms, other.norms));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::equal(a[i].value, b[i].value));
}

TEST(CudaTwinStep, RingTakesOneRowAStep) {
    const at::Tensor values = at::zeros({3, cuda::StepRingArguments::kColumns}), cursor = at::zeros({1}, at::kLong);
    for (std::int64_t step = 0; step < 3; ++step) {
        const at::Tensor scalars = drawnFloats(5, std::to_string(step), {cuda::StepRingArguments::kColumns});
        cuda::StepRingArguments in{};
        for (int i = 0; i < cuda::StepRingArguments::kColumns; ++i) in.scalars[i] = scalars.data_ptr<float>() + i;
        in.values = values.data_ptr<float>();
        in.cursor = cursor.data_ptr<std::int64_t>();
        runRows(cuda::StepRingPass{in}, 1, 3);
        EXPECT_TRUE(at::equal(values[step], scalars));
    }
    EXPECT_EQ(cursor.item<std::int64_t>(), 3);
}

}  // namespace
}  // namespace heddle
