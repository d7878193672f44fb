// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/engine.h"

namespace heddle {

/// See Engine::evaluate.
EvaluationReport evaluateRun(const EvaluationRequest& request);

}  // namespace heddle
