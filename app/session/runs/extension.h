// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"
#include "storage/records.h"

#include <cstdint>
#include <optional>

namespace heddle::app {

/// New limits for continuing a run beyond its spec.
struct Extension {
    std::optional<std::int64_t> epochs, steps;  ///< new limits; giving only one removes the other
    std::optional<std::int64_t> patience;       ///< of early stopping; 0: none

    bool isEmpty() const { return !epochs && !steps && !patience; }
};

/// The run's spec with the new limits. Throws Error(Usage) when the run has already reached them, or when early stopping ended
/// it and would end it again.
RunSpec extended(RunSpec spec, const storage::RunRecord& run, const Extension& extension);

}  // namespace heddle::app
