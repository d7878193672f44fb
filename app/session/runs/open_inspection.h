// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/runs/chosen_checkpoint.h"
#include "engine/run/engine.h"
#include "engine/run/inspection.h"

#include <functional>
#include <memory>
#include <string>

namespace heddle::app {

/// Opens the model of a checkpoint for inspection; `stopRequested` as InspectionRequest's. Throws Error.
std::unique_ptr<InspectionSession> openInspection(Engine& engine, const ChosenCheckpoint& checkpoint, const std::string& device,
                                                  const std::function<bool()>& stopRequested);

}  // namespace heddle::app
