// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_spec.h"

#include "engine/base/check.h"
#include "engine/base/contains.h"
#include "engine/base/sha256.h"
#include "engine/spec/variant_document.h"
#include "engine/spec/variant_rules.h"
#include "engine/spec/variant_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
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

/// The weights of an attention; a normaliser whose weights are no shares describes them itself.
Exposure weightOf(const ResolvedSublayer& attention) {
    for (const Exposure& own : builtinCatalogue().at("normaliser", attention.slots.at("normaliser").id).exposures)
        if (own.id == kAttentionWeight) return own;
    return {kAttentionWeight, "attention weight", Exposure::Quantity::Weight, "BHQK", 0, 1, false, true, true};
}

}  // namespace

std::int64_t passesOf(const ResolvedVariant& variant, const std::string& stack) {
    const BlockChoice& choice = variant.stackSlots.at(childPath(stack, "share"));
    const BlockDescriptor& share = builtinCatalogue().at("share", choice.id);
    if (!share.sharesWeights) return 1;
    if (share.iterates) return share.iterates(choice.params).most;
    return stack == "encoder" ? variant.dims.layersEnc : variant.dims.layersDec;
}

std::string earlierTwin(const ResolvedLayer& layer, const ResolvedSublayer& sublayer, const std::string& slot) {
    const auto own = sublayer.slots.find(slot);
    for (const ResolvedSublayer& earlier : layer.sublayers) {
        if (earlier.path == sublayer.path) break;
        const auto other = earlier.slots.find(slot);
        if (own != sublayer.slots.end() && other != earlier.slots.end() && own->second == other->second)
            return childPath(earlier.path, slot);
    }
    return "";
}

std::string firstInStack(const std::vector<ResolvedLayer>& layers, const ResolvedSublayer& sublayer, const std::string& slot) {
    const auto own = sublayer.slots.find(slot);
    for (const ResolvedLayer& layer : layers)
        for (const ResolvedSublayer& other : layer.sublayers) {
            if (other.path == sublayer.path) return "";
            const auto found = other.name == sublayer.name ? other.slots.find(slot) : other.slots.end();
            if (own != sublayer.slots.end() && found != other.slots.end() && own->second == found->second)
                return childPath(other.path, slot);
        }
    return "";
}

std::int64_t sublayerCount(const std::vector<ResolvedLayer>& layers) {
    return std::accumulate(layers.begin(), layers.end(), std::int64_t{0}, [](std::int64_t count, const ResolvedLayer& layer) {
        return count + static_cast<std::int64_t>(layer.sublayers.size());
    });
}

void forEachBlock(const ResolvedVariant& variant, const BlockVisitor& visit) {
    BlockContext where;
    where.dims = variant.dims;
    where.topology = variant.topology;
    const BlockContext outside = where;
    const auto global = [&](const std::string& slot) { visit(slot, slot, variant.globals.at(slot), where); };
    const auto stack = [&](const std::string& name) {
        const std::vector<ResolvedLayer>& layers = layersOf(variant, name);
        where.stack = choiceNamed<StackName>(name);
        if (!layers.empty())
            for (const auto& slot : stackSlots())
                visit(childPath(name, slot), slot, variant.stackSlots.at(childPath(name, slot)), where);
        if (!layers.empty()) where.passes = passesOf(variant, name);
        std::map<std::string, std::int64_t> residuals;
        where.sublayers = sublayerCount(layers);
        for (std::size_t i = 0; i < layers.size(); ++i) {
            where.layer = static_cast<std::int64_t>(i);
            for (const auto& sublayer : layers[i].sublayers) {
                where.sublayer = choiceNamed<SublayerName>(sublayer.name);
                where.before = residuals[sublayer.slots.at("residual").id]++;
                for (const auto& slot : sublayerSlots(sublayer.name)) {
                    where.twin = earlierTwin(layers[i], sublayer, slot);
                    where.firstOfStack = firstInStack(layers, sublayer, slot);
                    visit(childPath(sublayer.path, slot), slot, sublayer.slots.at(slot), where);
                }
            }
        }
        where = outside;
        where.stack = choiceNamed<StackName>(name);
        if (variant.hasFinalNorm && !layers.empty()) visit(name + ".norm", "norm", variant.finalNorm, where);
        where = outside;
    };
    global("embed");
    global("position");
    stack("encoder");
    stack("decoder");
    if (variant.topology == Topology::BiLstm) where.width = 2 * variant.dims.d;  // both directions concatenated
    global("head");
    where = outside;
    global("init");
}

std::optional<NormPlace> normPlaceOf(const ResolvedSublayer& sublayer) {
    const auto norm = sublayer.slots.find("norm");
    return norm == sublayer.slots.end() ? std::nullopt : choiceNamed<NormPlace>(norm->second.params.value("place", ""));
}

EvaluationOrder evaluationOrder(const ResolvedSublayer& sublayer) {
    EvaluationOrder order;
    const auto says = [&](const char* slot, const char* key, const char* value) {
        const auto found = sublayer.slots.find(slot);
        return found != sublayer.slots.end() && found->second.params.value(key, Json()) == value;
    };
    const NormPlace norm = normPlaceOf(sublayer).value_or(NormPlace::Post);
    if (normsInput(norm)) order.before.emplace_back("norm");
    const auto adjuster = sublayer.slots.find("adjuster");
    const AdjusterPlace place = adjuster == sublayer.slots.end()
                                    ? AdjusterPlace::AttentionOutput
                                    : builtinCatalogue().at("adjuster", adjuster->second.id).adjustsAt(adjuster->second.params);
    const bool dropFirst = says("dropout", "order", "before_adjuster");
    if (dropFirst) order.after.emplace_back("dropout");
    if (place == AdjusterPlace::AttentionOutput) order.after.emplace_back("adjuster");
    if (!dropFirst) order.after.emplace_back("dropout");
    if (sublayer.slots.contains("parallel")) order.after.emplace_back("parallel");
    if (normsOutput(norm)) order.after.emplace_back("norm");
    order.after.emplace_back("residual");
    if (normsSum(norm)) order.after.emplace_back("norm");
    if (place == AdjusterPlace::BeforeFeedForward) order.after.emplace_back("adjuster");
    const auto placed = [&](const std::string& slot) {
        return slot == "adjuster" || contains(order.after, slot) || contains(order.before, slot);
    };
    for (const auto& slot : sublayerSlots(sublayer.name)) {
        if (!placed(slot)) order.mixer.push_back(slot);
        if (slot == "value" && place == AdjusterPlace::BeforeOutputProjection) order.mixer.emplace_back("adjuster");
    }
    return order;
}

bool sameLayer(const ResolvedLayer& a, const ResolvedLayer& b) {
    return std::equal(a.sublayers.begin(), a.sublayers.end(), b.sublayers.begin(), b.sublayers.end(),
                      [](const auto& x, const auto& y) { return x.name == y.name && x.slots == y.slots; });
}

std::vector<ModuleExposure> exposuresOf(const ResolvedVariant& variant) {
    std::vector<ModuleExposure> all;
    for (const auto& [path, choice] : variant.stackSlots)
        for (const Exposure& exposure : builtinCatalogue().at(path.substr(path.find('.') + 1), choice.id).exposures)
            all.push_back({path, "", exposure});
    for (const ResolvedSublayer* sublayer : sublayersOf(variant)) {
        if (sublayer->slots.contains("scorer")) all.push_back({sublayer->path, sublayer->path, weightOf(*sublayer)});
        for (const auto& [slot, choice] : sublayer->slots) {
            if (slot == "normaliser") continue;
            for (const Exposure& exposure : builtinCatalogue().at(slot, choice.id).exposures)
                all.push_back({sublayer->path + "." + slot, sublayer->path, exposure});
        }
    }
    return all;
}

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
    Json tree{{"topology", wordOf(variant.topology)}, {"dims", dimsJson(variant.dims)}};
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
