// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/check.h"
#include "engine/device/host_memory.h"

#include <string>

namespace heddle {

/// Returns cached memory to the system after training, since the studio keeps running.
struct MemoryRelease {
    MemoryRelease() = default;
    MemoryRelease(const MemoryRelease&) = delete;
    MemoryRelease& operator=(const MemoryRelease&) = delete;
    ~MemoryRelease() { releaseCachedHostMemory(); }
};

/// Throws the exception that is being handled as an Error of the right code, whether LibTorch or the standard library threw it.
[[noreturn]] void throwTranslated(const std::string& where, const char* next);

/// Runs `action`; what LibTorch or the standard library throws becomes an Error of the right code. `next`: what to do after an
/// error that nobody foresaw.
template <typename Action>
auto translatingErrors(const std::string& where, const Action& action, const char* next = kReportBug) {
    const MemoryRelease release;
    try {
        return action();
    } catch (...) {
        throwTranslated(where, next);
    }
}

}  // namespace heddle
