// SPDX-License-Identifier: Apache-2.0
// Properties of score carries and score gates.
#include "engine/device/torch_pch.h"
#include "engine/verify/one_block.h"
#include "engine/verify/score_stack.h"
#include "tests/dev/engine/properties.h"
#include "tests/dev/engine/tiny_models.h"

namespace heddle::verify {

namespace {

const at::Tensor& source() {
    static const at::Tensor ids = sentence({4, 5, 6, 7, 3});
    return ids;
}

const at::Tensor& target() {
    static const at::Tensor ids = sentence({2, 7, 8, 9, 10, 5});
    return ids;
}

std::vector<at::Tensor> randomScores(std::int64_t layers, std::int64_t length) {
    std::vector<at::Tensor> scores;
    for (std::int64_t i = 0; i < layers; ++i)
        scores.push_back(normalTensor({2, 3, length, length}, 40 + static_cast<std::uint64_t>(i)));
    return scores;
}

}  // namespace

void checkZeroGate(CaseChecks& checks) {
    const auto plain = tinyModel("thesis-T");
    const at::Tensor expected = outputsOf(*plain, source(), target());
    for (const char* preset : {"thesis-G1", "thesis-G2", "thesis-G3", "thesis-G2-separate"}) {
        const auto zero = tinyModel(preset, {{"defaults", {{"score", {{"gate", {{"init", "zeros"}}}}}}}});
        checks.bound(std::string(preset) + " with W = B = 0 against thesis-T",
                     distance(outputsOf(*zero, source(), target()), expected), 1e-12);
        checks.exceeds(std::string(preset) + " as it starts against thesis-T",
                       distance(outputsOf(*tinyModel(preset), source(), target()), expected), 1e-6);
    }
}

void checkSlicedGate(CaseChecks& checks) {
    constexpr std::int64_t kShort = 5, kLong = 9;
    for (const char* bias : {"vector", "full", "scalar", "none"}) {
        ScoreStack::Choice choice;
        choice.score = {{"rule", "add"}, {"gate", {{"bias", bias}}}};
        choice.maxLen = kLong;
        const auto gated = [&](std::int64_t length) {
            choice.scores = randomScores(2, kShort);
            for (at::Tensor& scores : choice.scores)
                scores = at::constant_pad_nd(scores, {0, length - kShort, 0, length - kShort});
            const ScoreStack stack(choice);
            fillNormal(stack.store(), 1, 50);
            stack.run(at::zeros({2, 3, length, 1}, at::kDouble));
            return stack.seen(stack.path(-1) + ".gated").narrow(2, 0, kShort).narrow(3, 0, kShort);
        };
        const at::Tensor sliced = gated(kShort);
        checks.bound(c10::str("bias ", bias, ": W[:, :K, :K] against zeros up to S"), distance(sliced, gated(kLong)), 1e-12);
        checks.exceeds(c10::str("bias ", bias, ": there is something to compare"), sliced.abs().max().item<double>(), 0.1);
    }
}

void checkAccumulatedScores(CaseChecks& checks) {
    ScoreStack::Choice choice;
    choice.score = {{"rule", "add"}, {"source", "accumulated"}};
    choice.scores = randomScores(6, 4);
    const ScoreStack stack(choice);
    stack.run(at::zeros({2, 3, 4, 1}, at::kDouble));
    at::Tensor sum = at::zeros_like(choice.scores.front());
    for (std::size_t layer = 0; layer < choice.scores.size(); ++layer) {
        sum = sum + choice.scores[layer];
        const at::Tensor& logits = stack.seen(stack.path(static_cast<std::int64_t>(layer)) + ".logits");
        checks.bound(c10::str("layer ", layer, " against the sum of raw scores"), distance(logits, sum), 1e-12);
    }
}

void checkFirstGateLearnsNothing(CaseChecks& checks) {
    for (const char* preset : {"thesis-G1", "thesis-G3-separate", "thesis-Gskip2"}) {
        const auto model = tinyModel(preset);
        const at::Tensor hidden = model->decode({target(), {}}, memoryOf(*model, source()), {});
        backwardOfHalfSquares(model->logits(hidden));
        double first = 0, last = std::numeric_limits<double>::infinity();
        for (const auto& [path, tensor] : model->parameters().entries()) {
            if (path.find(".score.gate") == std::string::npos) continue;
            const double gradient = tensor.grad().defined() ? tensor.grad().abs().max().item<double>() : 0;
            if (path.find(".layers.0.") != std::string::npos) first = std::max(first, gradient);
            if (path.find(".layers.3.") != std::string::npos) last = std::min(last, gradient);
        }
        checks.bound(std::string(preset) + ": gradient of the gates of layer 0", first, 0);
        checks.exceeds(std::string(preset) + ": gradient of the gates of layer 3", last, 0);
    }
}

}  // namespace heddle::verify
