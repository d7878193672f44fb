// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_spec.h"

namespace heddle {

/// Training reads pairs of sentences and writes the second: it needs an encoder–decoder with a language-model head and tables
/// that are there. Throws Error(InvalidInput) for any other variant.
void throwIfNotTrainable(const VariantSpec& variant);

}  // namespace heddle
