// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/heads.h"

#include "engine/device/torch_pch.h"

namespace heddle {

at::Tensor splitHeads(const at::Tensor& x_BSD, std::int64_t heads) {
    return x_BSD.view({x_BSD.size(0), x_BSD.size(1), heads, x_BSD.size(2) / heads}).transpose(1, 2);
}

at::Tensor joinHeads(const at::Tensor& x_BHSE) {
    return x_BHSE.transpose(1, 2).reshape({x_BHSE.size(0), x_BHSE.size(2), x_BHSE.size(1) * x_BHSE.size(3)});
}

}  // namespace heddle

#endif
