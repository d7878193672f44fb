// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/column_sums.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"

namespace heddle {
namespace {

/// Of more than kMostRows rows, parts of kRowsOfPart rows are added up first, enough parts to fill a large device.
constexpr std::int64_t kMostRows = 256, kRowsOfPart = 128;

}  // namespace

at::Tensor columnSums(const at::Tensor& x) {
    const std::int64_t rows = x.size(-2), columns = x.size(-1);
    const CudaKernels* const kernels =
        columns % 4 == 0 && !at::GradMode::is_enabled() ? kernelsFor(OwnKernel::CudaSums, {x}) : nullptr;
    if (!kernels) return x.sum(-2, /*keepdim=*/false, x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
    const std::int64_t rowsOfPart = rows > kMostRows ? kRowsOfPart : rows, batches = x.numel() / (rows * columns);
    const at::Tensor sums_BPC =
        at::empty({batches, (rows + rowsOfPart - 1) / rowsOfPart, columns}, x.options().dtype(at::kFloat));
    kernels->columnSums({batches, rows, columns, rowsOfPart, readFrom(x), sums_BPC.mutable_data_ptr<float>(), elementTypeOf(x)},
                        x.get_device());
    if (sums_BPC.size(1) > 1) return columnSums(x.dim() > 2 ? sums_BPC : sums_BPC[0]);
    return x.dim() > 2 ? sums_BPC.squeeze(1) : sums_BPC.view({columns});
}

}  // namespace heddle
