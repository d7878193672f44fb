// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cuda_kernels.h"

#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"

namespace heddle {

const CudaKernels* kernelsFor(std::initializer_list<at::Tensor> tensors) {
    const at::Tensor& first = *tensors.begin();
    if (!first.is_cuda()) return nullptr;
    for (const at::Tensor& x : tensors) {
        if (!x.defined()) continue;
        const bool isOfType = x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16;
        if (!isOfType || x.device() != first.device() || !x.is_contiguous() || x.numel() == 0) return nullptr;
    }
    return cudaKernelsOn(first.get_device());
}

const CudaKernels* kernelsFor(OwnKernel kernel, std::initializer_list<at::Tensor> tensors) {
    const CudaKernels* const kernels = kernelsFor(tensors);
    return kernels && isUsed(kernel) ? kernels : nullptr;
}

cuda::ElementType elementTypeOf(const at::Tensor& x) { return elementTypeOf(x.scalar_type()); }

cuda::ElementType elementTypeOf(at::ScalarType type) {
    return type == at::kBFloat16 ? cuda::ElementType::BFloat16 : cuda::ElementType::Float32;
}

cuda::ScoreShape scoreShapeOf(const at::Tensor& x_BHQK) {
    return {x_BHQK.size(0), x_BHQK.size(1), x_BHQK.size(2), x_BHQK.size(3)};
}

cuda::HiddenKeys hiddenKeysOf(const at::Tensor& hidden_BHQK) {
    cuda::HiddenKeys hidden;
    if (!hidden_BHQK.defined()) return hidden;
    hidden.at = hidden_BHQK.const_data_ptr<bool>();
    for (int axis = 0; axis < 4; ++axis) hidden.strides[axis] = hidden_BHQK.stride(axis);
    return hidden;
}

bool typesFit(const at::Tensor& sum, const at::Tensor& product) {
    return sum.scalar_type() == product.scalar_type() || sum.scalar_type() == at::kFloat;
}

}  // namespace heddle
