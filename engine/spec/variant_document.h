// SPDX-License-Identifier: Apache-2.0
// Converts between a variant document (JSON, design section 3) and the variant that it states: preset, reading, writing.
#pragma once

#include "engine/spec/variant_spec.h"

#include <vector>

namespace heddle {

/// Expands the document's preset: merges the document into it (dims and slots member by member; the document's list of
/// sublayers, each merged into the preset's sublayer of the same name; layers likewise). Reports an unknown preset.
Json expandPreset(const Json& document, std::vector<Problem>& problems);

/// Resolves a document with expanded preset. Precedence: defaults < stack's sublayer < layer. Appends problems with the path
/// where the value is written; the result is usable only if there are none.
ResolvedVariant resolveVariant(const Json& document, const Catalogue& catalogue, std::vector<Problem>& problems);

/// The final norm of a resolved variant as a document states it. Its `place`, which has no meaning at the end of a stack, is
/// the one that `defaults.norm` has.
BlockChoice statedFinalNorm(const ResolvedVariant& variant, const Catalogue& catalogue);

/// The compact form of a resolved variant, equal for all documents of the same meaning.
Json compactVariant(const ResolvedVariant& variant, const Catalogue& catalogue);

}  // namespace heddle
