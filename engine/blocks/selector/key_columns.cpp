// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/selector/key_columns.h"

#include "engine/kernels/running_sum.h"

namespace heddle {
namespace {

at::Tensor quotient(const at::Tensor& a, const at::Tensor& b) { return at::div(a, b, "floor"); }

/// The rank of every marked key among the marked keys of its row.
at::Tensor ranksOf(const at::Tensor& marks_b11K) {
    const at::Tensor place_K = at::arange(marks_b11K.size(-1), marks_b11K.options().dtype(at::kLong));
    const at::Tensor upTo_KK = place_K.le(place_K.unsqueeze(1));
    return marks_b11K.logical_and(upTo_KK).sum(-1).unsqueeze(-2) - 1;
}

}  // namespace

KeyColumns::KeyColumns(const at::Tensor& hidden, std::int64_t keys, std::int64_t columns, const at::Device& device) {
    const at::NoGradGuard noGrad;
    const at::TensorOptions numbers = at::TensorOptions(at::kLong).device(device);
    visible_b1qK = hidden.defined() ? hidden.logical_not() : at::ones({1, keys}, numbers.dtype(at::kBool));
    while (visible_b1qK.dim() < 4) visible_b1qK = visible_b1qK.unsqueeze(0);
    const at::Tensor seen_b1q1 = visible_b1qK.sum(-1, true);
    keys_b1q1 = seen_b1q1.clamp_min(1);
    const auto columnOf = [&](const at::Tensor& rank) { return quotient((2 * rank + 1) * columns, 2 * keys_b1q1); };
    real_b11K = visible_b1qK.any(-2, true);
    rank_b11K = ranksOf(real_b11K);
    const bool isOneRow = visible_b1qK.size(2) == 1;
    column_b1qK = columnOf(isOneRow ? rank_b11K : runningSum(visible_b1qK.to(at::kLong)) - 1).clamp(0, columns - 1);
    // The first rank whose range begins in the column or after it.
    const at::Tensor column_W = at::arange(columns, numbers);
    const at::Tensor first_b1qW = quotient(2 * column_W * keys_b1q1 + (columns - 1), at::full({1}, 2 * columns, numbers));
    used_b1qW = first_b1qW.lt(seen_b1q1).logical_and(columnOf(first_b1qW).eq(column_W));
}

at::Tensor KeyColumns::toKeys(const at::Tensor& x_BHqW, std::int64_t queries) const {
    const std::int64_t batch = x_BHqW.size(0), heads = x_BHqW.size(1);
    const at::Tensor x_BHQW = x_BHqW.expand({-1, -1, queries, -1});
    return x_BHQW.gather(-1, column_b1qK.expand({batch, heads, queries, -1}));
}

}  // namespace heddle

#endif
