// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_spec.h"

#include "engine/base/check.h"
#include "engine/base/sha256.h"
#include "engine/spec/variant_merge.h"
#include "engine/spec/variant_resolve.h"
#include "engine/spec/variant_rules.h"
#include "engine/spec/variant_schema.h"

#include <fmt/format.h>

#include <utility>

namespace heddle {
namespace {

constexpr std::int64_t kAssumedClasses = 2;

/// A size found in the data and the stated one; 0: unknown.
struct FoundSize {
    std::int64_t found;
    const char* path;
    const char* unit;
    const char* remedy;  ///< advice besides changing the stated size
};

void apply(std::int64_t& stated, const FoundSize& size, std::vector<Problem>& problems) {
    if (stated > 0 && size.found > 0 && stated != size.found)
        problems.push_back({size.path,
                            fmt::format("the data have {} {}, but the variant specifies {}", size.found, size.unit, stated),
                            fmt::format("set it to \"from_data\" or {}, or {}", size.found, size.remedy)});
    if (size.found > 0) stated = size.found;
}

}  // namespace

const std::vector<ResolvedLayer>& layersOf(const ResolvedVariant& variant, const std::string& stack) {
    return stack == "encoder" ? variant.encoder : variant.decoder;
}

std::vector<const ResolvedSublayer*> sublayersOf(const ResolvedVariant& variant) {
    std::vector<const ResolvedSublayer*> all;
    for (const auto* layers : {&variant.encoder, &variant.decoder})
        for (const ResolvedLayer& layer : *layers)
            for (const ResolvedSublayer& sublayer : layer.sublayers) all.push_back(&sublayer);
    return all;
}

std::optional<PatchForm> patchesOf(const ResolvedVariant& variant) {
    const BlockChoice& embed = variant.globals.at("embed");
    const BlockDescriptor& block = builtinCatalogue().at("embed", embed.id);
    return block.patches ? std::optional(block.patches(embed.params)) : std::nullopt;
}

VariantSpec VariantSpec::parse(const Json& document, const Catalogue& catalogue) {
    std::vector<Problem> problems;
    VariantSpec spec = parse(document, catalogue, problems);
    throwIfAny(problems, "variant");
    return spec;
}

VariantSpec VariantSpec::parse(const Json& document, const Catalogue& catalogue, std::vector<Problem>& problems) {
    const auto before = problems.size();
    ResolvedVariant resolved = resolveVariant(expandPreset(document, problems), catalogue, problems);
    if (problems.size() == before) {
        checkBlocks(resolved, catalogue, problems);
        checkComposition(resolved, problems);
    }
    VariantSpec spec;
    if (problems.size() > before) return spec;
    spec.resolved_ = std::make_shared<const ResolvedVariant>(std::move(resolved));
    spec.catalogue_ = &catalogue;
    return spec;
}

Json VariantSpec::compact() const { return isEmpty() ? Json() : compactVariant(*resolved_, *catalogue_); }

std::string VariantSpec::hash() const { return sha256Hex(canonicalJson(compact())); }

std::optional<std::int64_t> VariantSpec::statedClasses() const {
    return !isEmpty() && resolved_->dims.classes > 0 ? std::optional(resolved_->dims.classes) : std::nullopt;
}

ResolvedVariant VariantSpec::resolve(std::int64_t vocabSrc, std::int64_t vocabTgt, std::int64_t classes) const {
    HEDDLE_CHECK(!isEmpty());
    std::vector<Problem> problems;
    ResolvedVariant variant = *resolved_;
    apply(variant.dims.vocabSrc, {vocabSrc, "dims.vocab_src", "words", "change the tokenizer"}, problems);
    apply(variant.dims.vocabTgt, {vocabTgt, "dims.vocab_tgt", "words", "change the tokenizer"}, problems);
    apply(variant.dims.classes, {classes, "dims.classes", "classes", "use other files"}, problems);
    if (variant.dims.classes == 0) variant.dims.classes = kAssumedClasses;
    if (problems.empty()) {
        checkBlocks(variant, *catalogue_, problems);
        checkComposition(variant, problems);
    }
    throwIfAny(problems, "variant");
    return variant;
}

Json VariantSpec::resolvedTree() const {
    HEDDLE_CHECK(!isEmpty());
    const ResolvedVariant& variant = *resolved_;
    Json tree{{"topology", variant.topology}, {"dims", dimsJson(variant.dims)}};
    for (const auto& [stack, layers] : {std::pair("encoder", &variant.encoder), std::pair("decoder", &variant.decoder)}) {
        if (layers->empty()) continue;
        Json& order = tree[std::string(stack) + ".sublayers"] = Json::array();
        for (const auto& sublayer : layers->front().sublayers) order.push_back(sublayer.name);
    }
    forEachBlock(variant, [&](const auto& path, const auto& slot, const BlockChoice& choice, const BlockContext&) {
        Json entry = choice.params;
        entry[kindKey(slot)] = choice.id;
        tree[path] = std::move(entry);
    });
    return tree;
}

}  // namespace heddle
