// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/library/model_on_examples.h"
#include "engine/run/lens.h"

#include <string>

namespace heddle {

/// The stack whose states the head reads: "decoder", or "encoder" where there is no decoder. Throws Error(Usage) unless the
/// task predicts tokens and every pass goes through the same layers, of the width that the head reads.
std::string lensStack(const RunSpec& spec, const ResolvedVariant& variant);

/// LensReport::layers and positions; the other members are left as they are. False when it was interrupted.
bool readLayers(const ModelOnExamples& on, const std::string& stack, LensReport& report);

}  // namespace heddle
