// SPDX-License-Identifier: Apache-2.0
#include "engine/run/run_state.h"

namespace heddle {

std::optional<RunState> runStateFromName(std::string_view text) {
    for (int i = 0; i < kRunStateCount; ++i)
        if (const auto state = static_cast<RunState>(i); name(state) == text) return state;
    return std::nullopt;
}

}  // namespace heddle
