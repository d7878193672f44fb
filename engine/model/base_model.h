// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/parameters.h"
#include "engine/spec/variant_spec.h"

namespace heddle {

/// The base model of a variant with dims.base_d. Throws Error(InvalidInput) naming the block where the maximal update
/// parametrisation has no rule for its width.
BaseModel baseModelOf(const ResolvedVariant& variant);

}  // namespace heddle
