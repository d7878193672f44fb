// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/random.h"

#include <ATen/core/Tensor.h>

namespace heddle {

/// The rows of table [V,D] that the int64 ids [...] name, as [..., D], with the table's gradient. order_N (int64, on the ids'
/// device) has the positions of the flattened ids, ascending by id (withOrders() in engine/data/batching/batch.h); undefined:
/// not known. On CUDA one kernel adds up the gradient in a fixed order, without an order up to cuda::kMostEmbeddedRows ids;
/// otherwise this is at::embedding, whose gradient sorts the ids on CUDA. Where backward() runs on all inputs, the kernel adds
/// to the grad() of a leaf table at once, so that the gradients of several uses are one tensor. An id outside of [0, V) is an
/// error of at::embedding.
at::Tensor embeddedRows(const at::Tensor& table_VD, const at::Tensor& ids, const at::Tensor& order_N = {});

/// Operands of a stack's input, dropout(key, p, scale · table[ids] + position).
struct EmbeddingParts {
    const at::Tensor &table_VD, &ids_BS, &order_N;  ///< as in embeddedRows()
    const at::Tensor& position_SD;                  ///< float32; undefined: none
    double scale = 1;
    RandomKey key;
    double p = 0;
};

/// Whether embeddedInput() takes these: on CUDA, a float32 table whose width is a multiple of 4.
bool embedsInOnePass(const at::Tensor& table_VD, const at::Tensor& ids_BS, const at::Tensor& order_N);

/// The input [B,S,D] by one kernel, if embedsInOnePass(): the same numbers as embeddedRows(), a sum and dropoutWithCopy() give.
/// It computes the bfloat16 copy for three products in a ReducedScope (engine/kernels/reduced.h). Where the order is known and
/// positions are not trained, one kernel also drops, adds up and scales the gradients. An id outside of [0, V) makes its row
/// NaN.
at::Tensor embeddedInput(const EmbeddingParts& of);

}  // namespace heddle
