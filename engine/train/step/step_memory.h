// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/cost.h"

#include <c10/core/Device.h>

namespace heddle {

/// Measures the memory of one training step of the variant in float32 with the optimizer, on a batch of that shape without
/// padding. If the head outputs a vocabulary, every position has a label. On the meta device (the default) the step takes
/// neither memory nor arithmetic and the result is the CPU's; on the CPU it is a real step. Vocabulary sizes must be known.
/// Throws Error(InvalidInput) when a vocabulary is missing or the shape does not fit the variant.
StepMemory measureStepMemory(const ResolvedVariant& variant, const BatchShape& shape, c10::DeviceType device = c10::kMeta);

}  // namespace heddle
