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
    cuda::ColumnSumsArguments of{batches, rows, columns, rowsOfPart(rows), readFrom(x), nullptr, elementTypeOf(x)};
    at::Tensor sums_BPC = at::empty({batches, cuda::partsOfRows(of), columns}, x.options().dtype(at::kFloat));
    of.sums = sums_BPC.mutable_data_ptr<float>();
    kernels.columnSums(of, x.get_device());
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
    return sumsOfPartsFor(inputs, sumsOfParts(*kernels, x_NC)[0]);
}

at::Tensor sumsOfPartsFor(const std::vector<SummedInput>& inputs, const at::Tensor& parts_PC) {
    if (parts_PC.size(0) == 1) return parts_PC[0];
    const bool isLate = kernelsFor(OwnKernel::CudaSums, {parts_PC}) && areSummedLater({{parts_PC, inputs}});
    return isLate ? at::Tensor() : columnSums(parts_PC);
}

std::int64_t rowsOfPart(std::int64_t rows) { return rows > kMostRows ? kRowsOfPart : rows; }

}  // namespace heddle
