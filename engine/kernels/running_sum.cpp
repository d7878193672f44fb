// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/running_sum.h"

#include "engine/device/torch_pch.h"

namespace heddle {

at::Tensor runningSum(const at::Tensor& x) { return x.is_cuda() ? runningSumByShifts(x) : x.detach().cumsum(-1); }

at::Tensor runningSumByShifts(const at::Tensor& x) {
    const std::int64_t length = x.size(-1);
    at::Tensor sums = x.detach();
    if (at::isIntegralType(sums.scalar_type(), true)) sums = sums.to(at::kLong);  // as cumsum does
    for (std::int64_t shift = 1; shift < length; shift *= 2) {
        const at::Tensor shifted = sums.narrow(-1, shift, length - shift) + sums.narrow(-1, 0, length - shift);
        sums = at::cat({sums.narrow(-1, 0, shift), shifted}, -1);
    }
    return sums;
}

}  // namespace heddle
