// SPDX-License-Identifier: Apache-2.0
// What the tests of blocks check of every block: the golden case of an oracle, and properties of small language models with
// the block.
#pragma once

#include "engine/device/torch_pch.h"
#include "engine/verify/one_block.h"
#include "tests/unit/engine/spec/refusals.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::testing_support {

/// Checks an output y [1,S,D] of x, and the gradients of ½ Σ y², against a golden case, whose "dloss" has those of x and of
/// each of `parameters` (pairs of name and tensor). `slopeTolerance` is that of the gradients; y must agree to 1e-12.
template <class Parameters>
void expectGolden(const at::Tensor& x, const at::Tensor& y, const Parameters& parameters, const Json& golden,
                  double slopeTolerance) {
    const auto expected = [](const Json& values) { return verify::tensorFromJson(values, at::kDouble); };
    EXPECT_LT(distance(y[0], expected(golden.at("y"))), 1e-12);
    (y.square().sum() / 2).backward();
    const Json& slopes = golden.at("dloss");
    ASSERT_EQ(slopes.size(), parameters.size() + 1);
    EXPECT_LT(distance(x.grad()[0], expected(slopes.at("x"))), slopeTolerance);
    for (const auto& [name, parameter] : parameters)
        EXPECT_LT(distance(parameter.grad(), expected(slopes.at(name))), slopeTolerance) << name;
}

/// One sentence of eight words for a language model.
inline at::Tensor words() { return ids({2, 7, 8, 9, 10, 5, 4, 6}); }

/// The stream that a language model gives for these words, [B,S,D].
inline at::Tensor streamOf(const Model& model, const at::Tensor& read, const Forward& f = {}) {
    return model.decode({read, {}}, Memory{}, f);
}

/// Pre-norm with a norm at the end of the stack.
inline const Json kFinalPreNorm{{"kind", "layernorm"}, {"place", "pre"}, {"final", 1}};

/// A language model of three layers with this residual in every sublayer.
inline Json withResidual(const Json& residual, const Json& norm = kFinalPreNorm) {
    return {{"topology", "decoder"}, {"dims", {{"layers_dec", 3}}}, {"defaults", {{"residual", residual}, {"norm", norm}}}};
}

/// The problems of a small variant with this laid over it (tinyVariant()); empty: it has none.
inline std::string refusalOf(const Json& over) { return problemsOf(tinyVariant(over)); }

/// Checks that a language model gives the same stream on its fused and reference paths, and word by word, also where the steps
/// read their position from memory. `stepTolerance` is that of the steps; the paths must agree to 1e-12.
inline void expectSameOnEveryPathAndByStep(const Model& model, double stepTolerance) {
    const at::NoGradGuard noGrad;
    const at::Tensor read = words(), whole = streamOf(model, read);
    EXPECT_LT(distance(whole, streamOf(model, read, {.path = Forward::Path::Reference})), 1e-12);
    ASSERT_THAT(model.stepObstacle(), ::testing::IsEmpty());
    const auto state = model.startDecoding(Memory{});
    std::vector<at::Tensor> steps;
    for (std::int64_t i = 0; i < read.size(1); ++i) steps.push_back(state->step(read.narrow(1, i, 1), {}));
    EXPECT_LT(distance(at::cat(steps, 1), whole), stepTolerance);
    const auto replayable = model.makeReplayableState(12);
    at::Tensor position = at::zeros({1}, at::kLong);
    steps = {replayable->begin(Memory{}, read.narrow(1, 0, 2), {})};
    for (std::int64_t i = 2; i < read.size(1); ++i)
        steps.push_back(replayable->step(read.narrow(1, i, 1), position.fill_(i), {}));
    EXPECT_LT(distance(at::cat(steps, 1), whole), stepTolerance) << "steps that read their position from memory";
}

/// Checks that another last word leaves the stream of the words before it as it is.
inline void expectFutureHidden(const Model& model) {
    const at::Tensor y = streamOf(model, words()), changed = streamOf(model, ids({2, 7, 8, 9, 10, 5, 4, 11}));
    EXPECT_EQ(distance(y.narrow(1, 0, 7), changed.narrow(1, 0, 7)), 0);
}

}  // namespace heddle::testing_support
