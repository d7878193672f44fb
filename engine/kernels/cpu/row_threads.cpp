// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cpu/row_threads.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace heddle {

void forRows(std::int64_t count, std::int64_t width, const std::function<void(std::int64_t first, std::int64_t end)>& work) {
    constexpr std::int64_t kElementsAtOnce = 1 << 14;  // for less work, starting a thread costs more than it saves
    at::parallel_for(0, count, std::max<std::int64_t>(1, kElementsAtOnce / width), work);
}

}  // namespace heddle
