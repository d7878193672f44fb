// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_spec.h"

#include "engine/spec/variant_merge.h"
#include "engine/spec/variant_resolve.h"
#include "engine/spec/variant_rules.h"
#include "engine/spec/variant_schema.h"

#include <fmt/format.h>

namespace heddle {
namespace {

/// A vocabulary size found in the data against the one the variant states; 0 is "not known" on either side.
void applyVocabulary(std::int64_t& stated, std::int64_t found, const std::string& path, std::vector<Problem>& problems) {
    if (stated > 0 && found > 0 && stated != found)
        problems.push_back({path, fmt::format("the data has {} words, the variant says {}", found, stated),
                            fmt::format("set it to \"from_data\" or {}, or change the tokenizer", found)});
    if (found > 0) stated = found;
}

}  // namespace

VariantSpec VariantSpec::parse(const Json& document, const Catalogue& catalogue) {
    std::vector<Problem> problems;
    VariantSpec spec = parse(document, catalogue, problems);
    throwIfAny(problems, "variant");
    return spec;
}

VariantSpec VariantSpec::parse(const Json& document, const Catalogue& catalogue, std::vector<Problem>& problems) {
    VariantSpec spec;
    spec.document_ = document;
    spec.catalogue_ = &catalogue;
    const auto before = problems.size();
    const ResolvedVariant resolved = resolveVariant(expandPreset(document, problems), catalogue, problems);
    if (problems.size() == before) {
        checkBlocks(resolved, catalogue, problems);
        checkComposition(resolved, problems);
    }
    if (problems.size() == before) spec.compact_ = compactVariant(resolved, catalogue);
    return spec;
}

std::string VariantSpec::hash() const { return sha256Hex(canonicalJson(compact_)); }

ResolvedVariant VariantSpec::resolve(std::int64_t vocabSrc, std::int64_t vocabTgt) const {
    std::vector<Problem> problems;
    ResolvedVariant variant = resolveVariant(compact_, *catalogue_, problems);
    applyVocabulary(variant.dims.vocabSrc, vocabSrc, "dims.vocab_src", problems);
    applyVocabulary(variant.dims.vocabTgt, vocabTgt, "dims.vocab_tgt", problems);
    if (problems.empty()) {
        checkBlocks(variant, *catalogue_, problems);
        checkComposition(variant, problems);
    }
    throwIfAny(problems, "variant");
    return variant;
}

Json VariantSpec::resolvedTree() const {
    const ResolvedVariant variant = resolve();
    Json tree{{"topology", variant.topology}, {"dims", dimsJson(variant.dims)}};
    forEachBlock(variant, [&](const auto& path, const auto& slot, const BlockChoice& choice, const BlockContext&) {
        Json entry = choice.params;
        entry[kindKey(slot)] = choice.id;
        tree[path] = std::move(entry);
    });
    return tree;
}

}  // namespace heddle
