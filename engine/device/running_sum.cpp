// SPDX-License-Identifier: Apache-2.0
#include "engine/device/running_sum.h"

#include "engine/device/torch_pch.h"

namespace heddle {

at::Tensor runningSum(const at::Tensor& x) {
    const at::NoGradGuard noGrad;
    if (!x.is_cuda()) return x.cumsum(-1);
    if (x.numel() == x.size(-1)) return x.to(at::kCPU).cumsum(-1).to(x.device());
    const bool isDeterministic = at::globalContext().deterministicAlgorithms();
    at::globalContext().setDeterministicAlgorithms(false, false);
    at::Tensor sums = x.cumsum(-1);
    at::globalContext().setDeterministicAlgorithms(isDeterministic, false);
    return sums;
}

}  // namespace heddle
