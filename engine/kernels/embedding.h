// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

/// The rows of table [V,D] that the int64 ids [...] name, as [..., D], with the table's gradient. order_N (int64, on the ids'
/// device) has the positions of the flattened ids, ascending by id (withOrders() in engine/data/batching/batch.h); undefined:
/// not known. On CUDA one kernel adds up the gradient in a fixed order, without an order up to cuda::kMostEmbeddedRows ids;
/// otherwise this is at::embedding, whose gradient sorts the ids on CUDA. Where backward() runs on all inputs, the kernel adds
/// to the grad() of a leaf table at once, so that the gradients of several uses are one tensor. An id outside of [0, V) is an
/// error of at::embedding.
at::Tensor embeddedRows(const at::Tensor& table_VD, const at::Tensor& ids, const at::Tensor& order_N = {});

}  // namespace heddle
