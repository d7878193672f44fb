// SPDX-License-Identifier: Apache-2.0
#include "engine/train/head_pieces.h"

#include "engine/device/torch_pch.h"

namespace heddle {

LossSums backwardInPieces(const at::Tensor& asked_NW, std::int64_t rowsAtOnce, const HeadWork& head) {
    const std::int64_t count = asked_NW.size(0);
    const at::Tensor given_NW = asked_NW.detach();
    at::Tensor gradient_NW;
    LossSums sums;
    std::int64_t first = 0;
    do {  // no rows at all are a piece, too
        const at::Tensor rows_RW = given_NW.narrow(0, first, std::min(rowsAtOnce, count - first)).requires_grad_();
        const at::Tensor answers = head.answers(rows_RW);
        LossSums piece = head.loss(answers, first);
        answers.backward(piece.gradient);
        if (rows_RW.size(0) == count) {
            gradient_NW = rows_RW.grad();
        } else {
            if (first == 0) gradient_NW = at::empty_like(given_NW);
            gradient_NW.narrow(0, first, rows_RW.size(0)).copy_(rows_RW.grad());
        }
        piece.gradient.reset();
        sums = first == 0
                   ? piece
                   : LossSums{sums.objective + piece.objective, sums.nll + piece.nll, sums.correct + piece.correct, {}, {}};
        first += rows_RW.size(0);
    } while (first < count);
    if (asked_NW.requires_grad()) asked_NW.backward(gradient_NW);
    return sums;
}

}  // namespace heddle
