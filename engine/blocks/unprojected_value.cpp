// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/unprojected_value.h"

namespace heddle {

#ifndef HEDDLE_MODULES

std::optional<Problem> headsFillTheWidth(const BlockContext& where) {
    const auto& [d, heads, width] = std::tuple(where.dims.d, where.dims.heads, where.dims.valueDim);
    if (heads * width == d) return std::nullopt;
    return Problem{"",
                   "without an output projection the heads side by side are the stream, and " + std::to_string(heads) + " · " +
                       std::to_string(width) + " is not d = " + std::to_string(d),
                   d % heads == 0 ? "set dims.value_dim to " + std::to_string(d / heads) + ", or use heads_proj"
                                  : "choose dims.heads that divide d, or use heads_proj"};
}

#else

at::Tensor splitHeads(const at::Tensor& x_BSD, std::int64_t heads) {
    return x_BSD.view({x_BSD.size(0), x_BSD.size(1), heads, x_BSD.size(2) / heads}).transpose(1, 2);
}

at::Tensor joinHeads(const at::Tensor& x_BHSE) {
    return x_BHSE.transpose(1, 2).reshape({x_BHSE.size(0), x_BHSE.size(2), x_BHSE.size(1) * x_BHSE.size(3)});
}

#endif

}  // namespace heddle
