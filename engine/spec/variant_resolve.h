// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_spec.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// Resolves a document with expanded preset. Precedence: defaults < stack's sublayer < layer. Appends problems with the path
/// where the value is written; the result is usable only if there are none.
ResolvedVariant resolveVariant(const Json& document, const Catalogue& catalogue, std::vector<Problem>& problems);

/// Runs the blocks' own checks with the variant's sizes; reports a problem of several layers once.
void checkBlocks(const ResolvedVariant& variant, const Catalogue& catalogue, std::vector<Problem>& problems);

/// Path of the slot's block in an earlier sublayer of the layer with the same choice; empty: none.
std::string earlierTwin(const ResolvedLayer& layer, const ResolvedSublayer& sublayer, const std::string& slot);

/// The schema of a block's parameters as one object.
FieldSchema parameterSchema(const BlockDescriptor& block);

using BlockVisitor =
    std::function<void(const std::string& path, const std::string& slot, const BlockChoice& choice, const BlockContext& where)>;

/// Visits every block in model order: embedding, position, each layer's sublayers, the final norms, head, init.
void forEachBlock(const ResolvedVariant& variant, const BlockVisitor& visit);

/// How often a forward pass applies each layer of this stack: more than once if the layers share their weights.
std::int64_t passesOf(const ResolvedVariant& variant, const std::string& stack);

/// The final norm of a resolved variant as a document states it. Its `place`, which has no meaning at the end of a stack, is
/// the one that `defaults.norm` has.
BlockChoice statedFinalNorm(const ResolvedVariant& variant, const Catalogue& catalogue);

/// The compact form of a resolved variant, equal for all documents of the same meaning.
Json compactVariant(const ResolvedVariant& variant, const Catalogue& catalogue);

}  // namespace heddle
