// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/device_batch.h"
#include "engine/tasks/loss.h"

#include <functional>

namespace heddle {

/// A head and its loss.
struct HeadFunctions {
    std::function<at::Tensor(const at::Tensor& rows_RW)> logits;
    /// Loss of rows first…; for backwardInPieces() with the gradient, which may be stored over the logits.
    std::function<LossSums(const at::Tensor& logits_RV, std::int64_t first)> loss;
};

/// Runs head and loss forward and backward, at most `rowsAtOnce` rows at a time, so that no more logits are ever in memory, and
/// then the backward pass of all that precedes the head's input. Returns the sums over all rows, without a gradient; parameter
/// gradients equal those of a single piece up to rounding.
LossSums backwardInPieces(const at::Tensor& headInput_NW, std::int64_t rowsAtOnce, const HeadFunctions& head);

/// Runs head and loss alone in such pieces. Returns the sums, and nll_N and best_N of all rows.
LossSums lossInPieces(const at::Tensor& headInput_NW, std::int64_t rowsAtOnce, const HeadFunctions& head);

/// Returns the batch with only the labels of rows first … first+count-1.
DeviceBatch withLabels(const DeviceBatch& batch, std::int64_t first, std::int64_t count);

}  // namespace heddle
