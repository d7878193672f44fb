// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/device_batch.h"
#include "engine/tasks/loss.h"

#include <functional>

namespace heddle {

/// What a head says to rows of its input, and how wrong that is.
struct HeadWork {
    std::function<at::Tensor(const at::Tensor& rows_RW)> answers;
    /// Of rows first…: on the way back LossSums with the gradient, which may lie over the answers.
    std::function<LossSums(const at::Tensor& answers, std::int64_t first)> loss;
};

/// Head, loss and the backward pass of all that lies before them, from the head's input asked_NW: at most `rowsAtOnce` rows at
/// a time, so that no more answers than that are ever in memory. The sums are those of all rows, without a gradient; the
/// gradients of the parameters are those of one piece to rounding.
LossSums backwardInPieces(const at::Tensor& asked_NW, std::int64_t rowsAtOnce, const HeadWork& head);

/// Head and loss alone, likewise; the sums, and nll_N and best_N of all rows.
LossSums scoreInPieces(const at::Tensor& asked_NW, std::int64_t rowsAtOnce, const HeadWork& head);

/// The batch with the targets of rows first … first+count-1 alone.
DeviceBatch withTargets(const DeviceBatch& batch, std::int64_t first, std::int64_t count);

}  // namespace heddle
