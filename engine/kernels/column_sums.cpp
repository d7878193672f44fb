// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/column_sums.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"

namespace heddle {
namespace {

/// Of more than kMostRows rows, parts of kRowsOfPart rows are added up first, enough parts to fill a large device.
constexpr std::int64_t kMostRows = 256, kRowsOfPart = 128;

/// The kernels where they take x; null: the operator of ATen.
const CudaKernels* sumKernelsFor(const at::Tensor& x) {
    return x.size(-1) % 4 == 0 && !at::GradMode::is_enabled() ? kernelsFor(OwnKernel::CudaSums, {x}) : nullptr;
}

/// The sums over parts of the rows of x [N,C] or [B,N,C]: [B,P,C].
at::Tensor sumsOfParts(const CudaKernels& kernels, const at::Tensor& x) {
    const std::int64_t rows = x.size(-2), columns = x.size(-1), batches = x.numel() / (rows * columns);
    const std::int64_t rowsOfPart = rows > kMostRows ? kRowsOfPart : rows;
    at::Tensor sums_BPC = at::empty({batches, (rows + rowsOfPart - 1) / rowsOfPart, columns}, x.options().dtype(at::kFloat));
    kernels.columnSums({batches, rows, columns, rowsOfPart, readFrom(x), sums_BPC.mutable_data_ptr<float>(), elementTypeOf(x)},
                       x.get_device());
    return sums_BPC;
}

}  // namespace

at::Tensor columnSums(const at::Tensor& x) {
    const CudaKernels* const kernels = sumKernelsFor(x);
    if (!kernels) return x.sum(-2, /*keepdim=*/false, x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
    const at::Tensor sums_BPC = sumsOfParts(*kernels, x);
    if (sums_BPC.size(1) > 1) return columnSums(x.dim() > 2 ? sums_BPC : sums_BPC[0]);
    return x.dim() > 2 ? sums_BPC.squeeze(1) : sums_BPC.view({x.size(-1)});
}

at::Tensor columnSumsFor(const std::vector<SummedInput>& inputs, const at::Tensor& x_NC) {
    const CudaKernels* const kernels = sumKernelsFor(x_NC);
    if (!kernels || x_NC.size(0) <= kMostRows) return columnSums(x_NC);
    const at::Tensor parts_PC = sumsOfParts(*kernels, x_NC)[0];
    return areSummedLater({{parts_PC, inputs}}) ? at::Tensor() : columnSums(parts_PC);
}

}  // namespace heddle
