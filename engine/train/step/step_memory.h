// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/cost.h"

#include <c10/core/Device.h>

namespace heddle {

/// Trains one step of the variant in float32 by Adam on a batch of that shape, without padding, every position of a head that
/// outputs a vocabulary reaching the loss, and measures its memory. On the meta device (the default) it takes neither memory
/// nor arithmetic, and gives what the CPU would take; on the CPU it is a real step. Vocabulary sizes must be known. Throws
/// Error(InvalidInput) where a vocabulary is missing or the shape is not the variant's.
StepMemory measureStepMemory(const ResolvedVariant& variant, const BatchShape& shape, c10::DeviceType device = c10::kMeta);

}  // namespace heddle
