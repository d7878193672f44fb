// SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/head_pieces.h"

#include "engine/device/torch_pch.h"

namespace heddle {

LossSums backwardInPieces(const at::Tensor& headInput_NW, std::int64_t rowsAtOnce, const HeadFunctions& head) {
    const std::int64_t count = headInput_NW.size(0);
    const at::Tensor given_NW = headInput_NW.detach();
    at::Tensor gradient_NW;
    LossSums sums;
    std::int64_t first = 0;
    do {  // an empty input is one piece
        const at::Tensor rows_RW = given_NW.narrow(0, first, std::min(rowsAtOnce, count - first)).requires_grad_();
        const at::Tensor logits_RV = head.logits(rows_RW);
        LossSums piece = head.loss(logits_RV, first);
        logits_RV.backward(piece.gradient);
        if (rows_RW.size(0) == count) {
            gradient_NW = rows_RW.grad();
        } else {
            if (first == 0) gradient_NW = at::empty_like(given_NW);
            gradient_NW.narrow(0, first, rows_RW.size(0)).copy_(rows_RW.grad());
        }
        piece.gradient.reset();
        sums = first == 0
                   ? piece
                   : LossSums{sums.objective + piece.objective, sums.nll + piece.nll, sums.correct + piece.correct, {}, {}, {}};
        first += rows_RW.size(0);
    } while (first < count);
    if (headInput_NW.requires_grad()) headInput_NW.backward(gradient_NW);
    return sums;
}

LossSums lossInPieces(const at::Tensor& headInput_NW, std::int64_t rowsAtOnce, const HeadFunctions& head) {
    std::vector<LossSums> pieces;
    for (const at::Tensor& rows_RW : headInput_NW.split(rowsAtOnce))
        pieces.push_back(head.loss(head.logits(rows_RW), static_cast<std::int64_t>(pieces.size()) * rowsAtOnce));
    const auto joined = [&](at::Tensor LossSums::*part, const auto& join) {
        std::vector<at::Tensor> parts;
        for (const LossSums& piece : pieces) parts.push_back(piece.*part);
        return join(parts);
    };
    const auto sum = [](const std::vector<at::Tensor>& parts) { return at::stack(parts).sum(); };
    const auto cat = [](const std::vector<at::Tensor>& parts) { return at::cat(parts); };
    return {joined(&LossSums::objective, sum), joined(&LossSums::nll, sum),   joined(&LossSums::correct, sum), {},
            joined(&LossSums::nll_N, cat),     joined(&LossSums::best_N, cat)};
}

DeviceBatch withLabels(const DeviceBatch& batch, std::int64_t first, std::int64_t count) {
    DeviceBatch piece = batch;
    piece.labels_N = batch.labels_N.narrow(0, first, count);
    return piece;
}

}  // namespace heddle
