// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/model/model.h"
#include "engine/run/interventions.h"

#include <c10/core/Device.h>

namespace heddle {

/// Removes exposures that a pass over a few tokens or one empty patch does not show.
void dropUnshown(InterventionTargets& targets, const Model& model, const at::Device& device);

}  // namespace heddle
