// SPDX-License-Identifier: Apache-2.0
#include "app/session/host/company.h"

#include <cstdint>
#include <utility>

namespace heddle::app {

void Company::passed(std::size_t runs) {
    const auto now = std::chrono::steady_clock::now();
    seconds_[runs] += std::chrono::duration<double>(now - std::exchange(countedTo_, now)).count();
}

RunsAtOnce Company::told() const {
    RunsAtOnce told;
    if (seconds_.empty()) return told;
    double all = 0, longest = 0;
    for (const auto& [runs, seconds] : seconds_) {
        all += seconds;
        if (seconds < longest) continue;
        longest = seconds;
        told.runs = static_cast<std::int64_t>(runs);
    }
    told.least = static_cast<std::int64_t>(seconds_.begin()->first);
    told.most = static_cast<std::int64_t>(seconds_.rbegin()->first);
    told.share = all > 0 ? longest / all : 1;
    return told;
}

}  // namespace heddle::app
