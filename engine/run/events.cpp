// SPDX-License-Identifier: Apache-2.0
#include "engine/run/events.h"

#include <sys/resource.h>

namespace heddle {

MemoryMeasured measureMemory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return {static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};  // Linux reports KiB
}

}  // namespace heddle
