// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace heddle {

/// [B,S,H·E] → [B,H,S,E]
at::Tensor splitHeads(const at::Tensor& x_BSD, std::int64_t heads);
/// [B,H,S,E] → [B,S,H·E]
at::Tensor joinHeads(const at::Tensor& x_BHSE);

}  // namespace heddle
