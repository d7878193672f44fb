// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/inspection.h"

#include <memory>

namespace heddle {

/// See Engine::openInspection.
std::unique_ptr<InspectionSession> openInspectionSession(const InspectionRequest& request);

}  // namespace heddle
