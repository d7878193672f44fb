// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

/// The rows of table [V,D] that the int64 ids [...] name, as [..., D], with the table's gradient. On CUDA the gradient is added
/// up by one kernel in a fixed order, up to cuda::kMostEmbeddedRows ids; otherwise this is at::embedding, whose gradient sorts
/// the ids on CUDA. An id outside of [0, V) is an error of at::embedding.
at::Tensor embeddedRows(const at::Tensor& table_VD, const at::Tensor& ids);

}  // namespace heddle
