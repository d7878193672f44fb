// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/step_ring.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"

#include <algorithm>

namespace heddle {
namespace {
constexpr std::int64_t kColumns = cuda::StepRingArguments::kColumns;
}

StepRing::StepRing(const at::Device& device)
    : values_(at::zeros({kCapacity, kColumns}, at::TensorOptions(at::kFloat).device(device))),
      cursor_(at::zeros({1}, at::TensorOptions(at::kLong).device(device))) {}

void StepRing::write(const std::vector<at::Tensor>& scalars) {
    TORCH_CHECK(static_cast<std::int64_t>(scalars.size()) == kColumns, "a step has five values");
    if (writeInOneKernel(scalars)) return;
    const at::NoGradGuard noGrad;
    values_.index_copy_(0, cursor_, at::stack(scalars).unsqueeze(0));
    cursor_.add_(1);
}

/// Uses our kernel if available, because deterministic index_copy_ takes many kernels.
bool StepRing::writeInOneKernel(const std::vector<at::Tensor>& scalars) {
    const CudaKernels* const kernels = kernelsFor(OwnKernel::CudaRing, {values_});
    const auto isFloat = [](const at::Tensor& x) { return x.is_cuda() && x.scalar_type() == at::kFloat; };
    if (!kernels || !std::all_of(scalars.begin(), scalars.end(), isFloat)) return false;
    cuda::StepRingArguments in{};
    std::transform(scalars.begin(), scalars.end(), in.scalars, [](const at::Tensor& x) { return x.const_data_ptr<float>(); });
    in.values = values_.mutable_data_ptr<float>();
    in.cursor = cursor_.mutable_data_ptr<std::int64_t>();
    kernels->stepRing(in, values_.get_device());
    return true;
}

void StepRing::count() { ++pending_; }

std::vector<StepValues> StepRing::drain() {
    const auto host = values_.narrow(0, 0, pending_).to(at::kCPU).contiguous();
    const float* row = host.const_data_ptr<float>();
    std::vector<StepValues> steps;
    for (std::int64_t i = 0; i < pending_; ++i, row += kColumns) steps.push_back({row[0], row[1], row[2], row[3], row[4]});
    cursor_.zero_();
    pending_ = 0;
    return steps;
}

}  // namespace heddle
