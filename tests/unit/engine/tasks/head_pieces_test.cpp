// SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/head_pieces.h"

#include "engine/device/torch_pch.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::int64_t kPieceRows = 10, kPieceWidth = 6, kClasses = 9;

/// x w → rows → a head of one matrix, as a training step has it.
struct Case {
    at::Tensor x_NW = at::linspace(-1, 1, kPieceRows* kPieceWidth, at::kDouble).view({kPieceRows, kPieceWidth}).sin();
    at::Tensor w_WW =
        at::linspace(-2, 1, kPieceWidth* kPieceWidth, at::kDouble).view({kPieceWidth, kPieceWidth}).cos().requires_grad_();
    at::Tensor head_VW =
        at::linspace(1, 3, kClasses* kPieceWidth, at::kDouble).view({kClasses, kPieceWidth}).sin().requires_grad_();
    std::vector<std::int64_t> pieces;  // rows of each

    LossSums run(std::int64_t rowsAtOnce, std::int64_t rows = kPieceRows) {
        const at::Tensor labels_N = at::arange(rows).remainder(kClasses);
        const auto logits = [&](const at::Tensor& rows_RW) { return at::linear(rows_RW, head_VW); };
        const auto lossOf = [&](const at::Tensor& logits_RV, std::int64_t first) {
            pieces.push_back(logits_RV.size(0));
            LossOptions options{0.1, 0.25};
            options.gradient = LossOptions::Gradient::OverLogits;
            return crossEntropyWithGradient(logits_RV, labels_N.narrow(0, first, logits_RV.size(0)), options);
        };
        return backwardInPieces(at::matmul(x_NW.narrow(0, 0, rows), w_WW), rowsAtOnce, {logits, lossOf});
    }
};

double error(const at::Tensor& one, const at::Tensor& other) { return (one - other).abs().max().item<double>(); }

TEST(HeadPieces, GiveTheSumsAndGradientsOfTheWhole) {
    Case whole, cut;
    const LossSums all = whole.run(kPieceRows), parts = cut.run(4);
    EXPECT_EQ(whole.pieces, (std::vector<std::int64_t>{10}));
    EXPECT_EQ(cut.pieces, (std::vector<std::int64_t>{4, 4, 2}));
    EXPECT_NEAR(parts.objective.item<double>(), all.objective.item<double>(), 1e-12);
    EXPECT_NEAR(parts.nll.item<double>(), all.nll.item<double>(), 1e-12);
    EXPECT_EQ(parts.correct.item<double>(), all.correct.item<double>());
    EXPECT_FALSE(parts.gradient.defined());
    EXPECT_LT(error(cut.head_VW.grad(), whole.head_VW.grad()), 1e-12);
    EXPECT_LT(error(cut.w_WW.grad(), whole.w_WW.grad()), 1e-12);

    Case direct;  // the whole by automatic differentiation alone
    const at::Tensor log_NV = at::log_softmax(at::linear(at::matmul(direct.x_NW, direct.w_WW), direct.head_VW), -1);
    const at::Tensor nll = -log_NV.gather(1, at::arange(kPieceRows).remainder(kClasses).unsqueeze(1)).sum();
    (0.25 * (0.9 * nll - 0.1 * log_NV.mean(-1).sum())).backward();
    EXPECT_LT(error(cut.head_VW.grad(), direct.head_VW.grad()), 1e-12);
    EXPECT_LT(error(cut.w_WW.grad(), direct.w_WW.grad()), 1e-12);
}

TEST(HeadPieces, ScoreAsTheWhole) {
    const Case of;
    const at::Tensor labels_N = at::arange(kPieceRows).remainder(kClasses);
    std::vector<std::int64_t> pieces;
    const auto logits = [&](const at::Tensor& rows_RW) { return at::linear(rows_RW, of.head_VW.detach()); };
    const auto lossOf = [&](const at::Tensor& logits_RV, std::int64_t first) {
        pieces.push_back(logits_RV.size(0));
        return crossEntropy(logits_RV, labels_N.narrow(0, first, logits_RV.size(0)), {});
    };
    const LossSums parts = lossInPieces(of.x_NW, 4, {logits, lossOf});
    const at::Tensor logits_NV = logits(of.x_NW);
    const LossSums whole = crossEntropy(logits_NV, labels_N, {});
    EXPECT_EQ(pieces, (std::vector<std::int64_t>{4, 4, 2}));
    EXPECT_NEAR(parts.nll.item<double>(), whole.nll.item<double>(), 1e-12);
    EXPECT_EQ(parts.correct.item<double>(), whole.correct.item<double>());
    EXPECT_LT(error(parts.nll_N, whole.nll_N), 1e-12);
    EXPECT_TRUE(at::equal(parts.best_N, logits_NV.argmax(-1)));
    EXPECT_EQ(lossInPieces(of.x_NW.narrow(0, 0, 0), 4, {logits, lossOf}).nll_N.size(0), 0);
}

TEST(HeadPieces, TakeNoRowsAtAll) {
    Case none;
    EXPECT_EQ(none.run(4, 0).objective.item<double>(), 0);
    EXPECT_EQ(none.pieces, (std::vector<std::int64_t>{0}));
    EXPECT_EQ(none.w_WW.grad().abs().max().item<double>(), 0);
}

TEST(HeadPieces, TrainAHeadWhoseInputDoesNotLearn) {
    Case frozen;
    frozen.w_WW.requires_grad_(false);
    frozen.run(3);
    EXPECT_GT(frozen.head_VW.grad().abs().max().item<double>(), 0);
}

}  // namespace
}  // namespace heddle
