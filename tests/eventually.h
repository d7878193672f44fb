// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace heddle {

/// A program with a sanitizer is up to ten times as slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kSlowness = 10;
#else
inline constexpr int kSlowness = 1;
#endif

/// Looks every 10 ms until it holds; false when the patience is at its end, which kSlowness multiplies.
inline bool eventually(const std::function<bool()>& holds, std::chrono::seconds patience = std::chrono::seconds(10)) {
    const auto end = std::chrono::steady_clock::now() + kSlowness * patience;
    while (!holds()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

}  // namespace heddle
