// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/engine.h"
#include "engine/run/inspection.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace heddle::app {

/// A kept checkpoint of a run.
struct InspectedCheckpoint {
    std::string database, run;
    std::int64_t step = 0;
    std::string device = "auto";
    std::function<bool()> stopRequested = {};  ///< as InspectionRequest's
};

/// Opens the model of a checkpoint whose files verify, for inspection. Throws Error.
std::unique_ptr<InspectionSession> openInspection(Engine& engine, const InspectedCheckpoint& checkpoint);

}  // namespace heddle::app
