// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace heddle {

/// Shares `count` rows of `width` elements among the threads: work(first, end) for pieces of them, in any order.
void forRows(std::int64_t count, std::int64_t width, const std::function<void(std::int64_t first, std::int64_t end)>& work);

}  // namespace heddle
