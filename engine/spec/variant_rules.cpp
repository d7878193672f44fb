// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_rules.h"

#include "engine/base/contains.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/variant_schema.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle {
namespace {

/// One sublayer and the stack around it.
struct Place {
    const ResolvedVariant& variant;
    const std::string& stack;
    const ResolvedSublayer& sublayer;

    bool has(const std::string& slot) const { return sublayer.slots.contains(slot); }
    const BlockChoice& at(const std::string& slot) const { return sublayer.slots.at(slot); }
    const BlockDescriptor& block(const std::string& slot) const { return builtinCatalogue().at(slot, at(slot).id); }
    /// Returns whether the sublayer has the slot and the slot holds a block other than kNoBlock.
    bool uses(const std::string& slot) const { return has(slot) && !holdsNothing(at(slot)); }
    /// The slot and its block, as messages name them.
    std::string nameOf(const std::string& slot) const { return slot + " \"" + at(slot).id + "\""; }
    const BlockDescriptor& share() const {
        return builtinCatalogue().at("share", variant.stackSlots.at(childPath(stack, "share")).id);
    }
    bool isFixedPoint() const { return static_cast<bool>(share().iterates); }
};

VisibleKeys visibleBy(const std::string& slot, const BlockChoice& choice) {
    return builtinCatalogue().at(slot, choice.id).seesWith(choice.params);
}

Neighbours neighboursOf(const Place& place) {
    Neighbours beside;
    for (const char* slot : {"mask", "scorer"}) {
        if (!place.has(slot)) continue;
        const VisibleKeys sees = visibleBy(slot, place.at(slot));
        if (sees <= beside.sees) continue;
        beside.sees = sees;
        beside.seesBy = place.nameOf(slot);
    }
    if (place.has("value") && !place.block("value").hasProjection) beside.unprojected = place.at("value").id;
    beside.hasDirect = place.uses("direct");
    if (const auto norm = normPlaceOf(place.sublayer)) {
        beside.isPreNorm = normsInput(*norm);
        beside.isPostNorm = normsSum(*norm);
    }
    return beside;
}

/// A check of one sublayer; problem paths are relative to it.
using Rule = std::optional<Problem> (*)(const Place& place);

std::optional<Problem> fixedPointNeedsScoresOfItsOwn(const Place& place) {
    if (!place.isFixedPoint() || !place.uses("score")) return std::nullopt;
    return Problem{"score",
                   "a fixed point does not depend on earlier iterations, so it cannot carry scores from earlier layers",
                   "set score to none, or share to shared or distinct"};
}

std::optional<Problem> carriedValuesNeedHeads(const Place& place) {
    if (!place.uses("value_carry")) return std::nullopt;
    if (place.isFixedPoint())
        return Problem{"value_carry",
                       "a fixed point does not depend on earlier iterations, so it cannot carry values from earlier layers",
                       "set value_carry to none, or share to shared or distinct"};
    if (place.block("value").isPerHead) return std::nullopt;
    return Problem{
        "value",
        place.nameOf("value_carry") + " needs values of every head, which " + place.nameOf("value") + " does not provide",
        "use value heads_proj"};
}

std::optional<Problem> fixedPointNeedsNoMemory(const Place& place) {
    if (!place.isFixedPoint() || !place.has("combine") || !place.block("combine").hasMemory) return std::nullopt;
    return Problem{"combine",
                   "the memory of " + place.nameOf("combine") + " would change with every iteration, so no fixed point exists",
                   "use combine gru, tanh_gated or tanh, or share shared or distinct"};
}

std::optional<Problem> givenWeightsAreFinal(const Place& place) {
    if (!place.has("scorer") || !place.block("scorer").givesWeights) return std::nullopt;
    const std::string gives = place.nameOf("scorer") + " gives attention weights directly, ";
    if (place.uses("score"))
        return Problem{"score", gives + "so there are no scores to carry", "set score to none, or use scorer bilinear or dot"};
    if (place.uses("cap"))
        return Problem{"cap", gives + "so there are no logits to bound", "set cap to none, or use scorer bilinear or dot"};
    if (place.at("normaliser").id != standardBlock({place.stack, place.sublayer.name}, "normaliser"))
        return Problem{"normaliser", gives + "so the normaliser would have no effect",
                       "remove normaliser, or use scorer bilinear or dot"};
    return std::nullopt;
}

std::optional<Problem> relativeNeedsAScorerThatAppliesIt(const Place& place) {
    if (!place.uses("relative") || place.block("scorer").takesRelative) return std::nullopt;
    return Problem{"relative", place.nameOf("scorer") + " does not apply positions of queries and keys",
                   "use scorer dot or qk_norm, or set relative to none"};
}

std::optional<Problem> keyHeadsNeedBlocksWithAsMany(const Place& place) {
    if (place.variant.dims.kvHeads == 0) return std::nullopt;
    for (const auto& [slot, remedy] :
         {std::pair("scorer", "use scorer dot or qk_norm"), std::pair("value", "use value heads_proj")})
        if (place.has(slot) && !place.block(slot).takesKeyHeads)
            return Problem{slot, place.nameOf(slot) + " does not group its heads as dims.kv_heads says",
                           std::string(remedy) + ", or set dims.kv_heads to null"};
    return std::nullopt;
}

/// A selector needs queries, keys and values per head, and masks shared by all heads.
std::optional<Problem> selectorNeedsHeads(const Place& place) {
    if (!place.uses("selector")) return std::nullopt;
    const std::string name = place.nameOf("selector") + " ";
    if (!place.block("scorer").isPerHead)
        return Problem{"scorer",
                       name + "needs queries and keys of every head, which " + place.nameOf("scorer") + " does not provide",
                       "use scorer dot, rotary or grouped"};
    if (place.block("relative").changesScores)
        return Problem{
            "relative",
            name + "needs scores that are products of queries and keys, to which " + place.nameOf("relative") + " adds",
            "use relative rotary, or set it to none"};
    if (!place.block("value").isPerHead || !place.block("value").hasProjection)
        return Problem{"value", name + "needs projected values of every head", "use value heads_proj or grouped"};
    if (place.block("normaliser").mixesHeads)
        return Problem{"normaliser",
                       name + "chooses keys for each head separately, but " + place.nameOf("normaliser") + " mixes them",
                       "use another normaliser"};
    return std::nullopt;
}

std::optional<Problem> fixedPointNeedsAllKeys(const Place& place) {
    if (!place.isFixedPoint() || !place.uses("selector")) return std::nullopt;
    return Problem{"selector", "the selection of keys is discontinuous, so the iteration may not converge",
                   "set selector to none, or share to shared or distinct"};
}

/// Several streams, or states of earlier layers in place of a sum, leave no single vector after the sublayer; what an earlier
/// layer left depends on how often the layers are evaluated.
std::optional<Problem> residualStandsInABranch(const Place& place) {
    if (!place.has("residual")) return std::nullopt;
    const BlockDescriptor& residual = place.block("residual");
    const DepthReading reads = residual.reads;
    const bool isDeep = reads != DepthReading::None, givesSum = reads == DepthReading::Input || reads == DepthReading::Entries;
    if (!residual.streams && !isDeep) return std::nullopt;
    const std::string name = place.nameOf("residual") + " ";
    if (place.share().iterates)
        return Problem{"residual",
                       name + (givesSum ? "reads states of the pass, on which a fixed point does not depend"
                                        : "joins more than one stream, which a fixed point iterates"),
                       "use share distinct"};
    if (isDeep && reads != DepthReading::Input && passesOf(place.variant, place.stack) > 1)
        return Problem{"residual", name + "weighs every earlier layer by itself, so the layers cannot share weights",
                       "use share distinct"};
    if (!givesSum && neighboursOf(place).isPostNorm)
        return Problem{"norm.place", name + "gives no residual sum for a post-norm", "set norm.place to pre"};
    const BlockChoice& adjuster = place.at("adjuster");
    if (residual.streams && place.block("adjuster").adjustsAt(adjuster.params) == AdjusterPlace::BeforeFeedForward)
        return Problem{"adjuster.where", name + "leaves several streams after the sublayer, which the adjuster does not read",
                       "use where attn_out or before_wo"};
    return std::nullopt;
}

/// The output of a recurrent sublayer is twice as wide as its input, so it excludes blocks of the model's width.
std::optional<Problem> recurrenceStandsAlone(const Place& place) {
    if (!place.has("recurrence")) return std::nullopt;
    for (const char* slot : {"adjuster", "parallel", "residual", "norm"})
        if (place.uses(slot))
            return Problem{slot,
                           "the concatenated directions have width 2·d, but \"" + place.at(slot).id + "\" expects width d",
                           std::string("set ") + slot + " to none"};
    return std::nullopt;
}

/// The same, for what belongs to the whole stack.
void checkRecurrentStack(const ResolvedVariant& variant, std::vector<Problem>& problems) {
    if (variant.topology != Topology::BiLstm) return;
    const BlockDescriptor& share = builtinCatalogue().at("share", variant.stackSlots.at("encoder.share").id);
    if (share.iterates)
        problems.push_back({"encoder.share",
                            "the concatenated directions have width 2·d, but a fixed point needs equal input and output widths",
                            "use share distinct"});
    else if (variant.dims.layersEnc > 1 && share.sharesWeights)
        problems.push_back({"encoder.share",
                            "the first layer has input width d and the others 2·d, so they cannot share weights",
                            "use share distinct, or one layer (dims.layers_enc)"});
    const BlockChoice& position = variant.globals.at("position");
    if (variant.dims.layersEnc > 1 && position.params.value("where", "") == "every_layer")
        problems.push_back({"position.where", "after the first layer the hidden state has width 2·d", "use input"});
    if (variant.hasFinalNorm)
        problems.push_back({"defaults.norm.final", "the concatenated directions have width 2·d, but the norm expects width d",
                            "set final to 0"});
}

/// Whether a block of a sublayer of the stack has this property.
template <class Property>
bool hasBlock(const ResolvedVariant& variant, const std::string& stack, const Property& property) {
    for (const ResolvedLayer& layer : layersOf(variant, stack))
        for (const ResolvedSublayer& sublayer : layer.sublayers)
            for (const auto& [slot, choice] : sublayer.slots)
                if (property(builtinCatalogue().at(slot, choice.id))) return true;
    return false;
}

/// A stack that starts from a constant must read its input elsewhere.
void checkStart(const ResolvedVariant& variant, const std::string& stack, std::vector<Problem>& problems) {
    const std::string path = childPath(stack, "h0"), start = variant.stackSlots.at(path).id;
    if (builtinCatalogue().at("h0", start).readsInput) return;
    if (hasBlock(variant, stack, [](const BlockDescriptor& block) { return block.readsInput; })) return;
    problems.push_back(
        {path,
         "the " + stack + " starts from \"" + start + "\" and no sublayer has a direct path, so the input would have no effect",
         "set direct to vx on an attention sublayer, or h0 to input or linear"});
}

/// A position that leaves the order to the values needs, in every stack, values that tell it.
void checkOrder(const ResolvedVariant& variant, const std::string& stack, std::vector<Problem>& problems) {
    if (!builtinCatalogue().at("position", variant.globals.at("position").id).leavesOrderToValues) return;
    if (hasBlock(variant, stack, [](const BlockDescriptor& block) { return block.tellsOrder; })) return;
    problems.push_back({"position",
                        "no attention of the " + stack + " has directional values, so the order of positions would be lost",
                        "set value to directional there, or position to sinusoid or none"});
}

void checkKeyHeads(const Dims& dims, std::vector<Problem>& problems) {
    if (dims.heads % dims.keyHeads() == 0) return;
    problems.push_back({"dims.kv_heads",
                        std::to_string(dims.kvHeads) + " heads of keys do not divide " + std::to_string(dims.heads) + " heads",
                        "choose a number that divides dims.heads, or null"});
}

/// What the sublayers of a stack must have in common: 0 residual streams for a single one.
struct StreamForm {
    std::int64_t streams = 0;
    std::string reads;     ///< id of a block that reads states of earlier layers
    bool isOfAll = false;  ///< all sublayers must have it; others would add to a stream that these do not read
    bool operator==(const StreamForm&) const = default;
};

StreamForm streamFormOf(const BlockChoice& residual) {
    const BlockDescriptor& block = builtinCatalogue().at("residual", residual.id);
    if (block.streams) return {block.streams(residual.params), "", true};
    if (block.reads == DepthReading::None) return {};
    return {0, residual.id, block.reads == DepthReading::Outputs};
}

/// Sublayers hand each other one stream, N streams or states of one kind.
void checkStreams(const ResolvedVariant& variant, const std::string& stack, std::vector<Problem>& problems) {
    std::vector<const ResolvedSublayer*> sublayers = sublayersOf(variant);
    std::erase_if(sublayers, [&](const ResolvedSublayer* sublayer) { return !sublayer->path.starts_with(stack + "."); });
    const auto first = std::find_if(sublayers.begin(), sublayers.end(), [](const ResolvedSublayer* sublayer) {
        return streamFormOf(sublayer->slots.at("residual")) != StreamForm{};
    });
    if (first == sublayers.end()) return;
    const BlockChoice& own = (*first)->slots.at("residual");
    const StreamForm form = streamFormOf(own);
    if (form.streams > 0 && variant.globals.at("position").params.value("where", "") == "every_layer")
        problems.push_back({"position.where",
                            "residual \"" + own.id + "\" has several streams, to which a position is added once", "use input"});
    for (const ResolvedSublayer* sublayer : sublayers) {
        const BlockChoice& other = sublayer->slots.at("residual");
        const StreamForm otherForm = streamFormOf(other);
        if (otherForm == form || (otherForm == StreamForm{} && !form.isOfAll)) continue;
        problems.push_back({childPath(sublayer->path, "residual"),
                            "residual \"" + own.id + "\" of " + (*first)->path +
                                " hands on what all sublayers of a stack must read alike, but here is \"" + other.id + "\"" +
                                (other.id == own.id ? " with another number of streams" : ""),
                            "set defaults.residual, the same for all sublayers"});
        return;
    }
}

/// The problems of one sublayer: of the rules, then of its blocks with each other; paths are relative to it.
std::vector<Problem> problemsOf(const Place& place) {
    static constexpr Rule kRules[] = {
        fixedPointNeedsScoresOfItsOwn, fixedPointNeedsNoMemory, givenWeightsAreFinal, relativeNeedsAScorerThatAppliesIt,
        keyHeadsNeedBlocksWithAsMany,  recurrenceStandsAlone,   selectorNeedsHeads,   fixedPointNeedsAllKeys,
        carriedValuesNeedHeads,        residualStandsInABranch};
    std::vector<Problem> found;
    for (const Rule rule : kRules)
        if (auto problem = rule(place)) found.push_back(*std::move(problem));
    const Neighbours beside = neighboursOf(place);
    for (const auto& [slot, choice] : place.sublayer.slots) {
        const BlockDescriptor& block = place.block(slot);
        const auto problem = block.fits ? block.fits(beside, choice.params) : std::nullopt;
        if (!problem) continue;
        found.push_back({problem->path.empty() ? slot : childPath(slot, problem->path), problem->what, problem->next});
    }
    return found;
}

}  // namespace

void checkBlocks(const ResolvedVariant& variant, const Catalogue& catalogue, std::vector<Problem>& problems) {
    std::set<std::string> seen;  // `what` and `next` of problems reported so far
    forEachBlock(variant, [&](const auto& path, const auto& slot, const BlockChoice& choice, const BlockContext& where) {
        const auto& block = catalogue.at(slot, choice.id);
        if (!block.check) return;
        const auto problem = block.check(where, choice.params);
        if (!problem || !seen.insert(slot + problem->what + problem->next).second) return;
        problems.push_back({problem->path.empty() ? path : childPath(path, problem->path), problem->what, problem->next});
    });
}

void checkComposition(const ResolvedVariant& variant, std::vector<Problem>& problems) {
    checkRecurrentStack(variant, problems);
    checkKeyHeads(variant.dims, problems);
    std::set<std::string> seen;  // stack, sublayer and text of problems reported so far
    for (const std::string& stack : stacksOf(variant.topology)) {
        checkStart(variant, stack, problems);
        checkOrder(variant, stack, problems);
        checkStreams(variant, stack, problems);
        for (const ResolvedLayer& layer : layersOf(variant, stack)) {
            for (const ResolvedSublayer& sublayer : layer.sublayers) {
                for (const Problem& problem : problemsOf({variant, stack, sublayer})) {
                    if (!seen.insert(stack + sublayer.name + problem.path + problem.what).second) continue;
                    problems.push_back({childPath(sublayer.path, problem.path), problem.what, problem.next});
                }
            }
        }
    }
}

std::vector<FutureView> futureViews(const ResolvedVariant& variant) {
    static const std::string kDecoder = "decoder";
    std::vector<FutureView> views;
    std::set<std::string> seen;
    if (!contains(stacksOf(variant.topology), kDecoder)) return views;
    for (const ResolvedLayer& layer : layersOf(variant, kDecoder))
        for (const ResolvedSublayer& sublayer : layer.sublayers) {
            const auto scorer = sublayer.slots.find("scorer");
            const bool seesPast = scorer != sublayer.slots.end() && visibleBy("scorer", scorer->second) != VisibleKeys::All;
            if (sublayer.name == "cross" || seesPast) continue;
            for (const auto& [slot, choice] : sublayer.slots) {
                const BlockDescriptor& block = builtinCatalogue().at(slot, choice.id);
                const bool shows = slot == "mask" ? visibleBy(slot, choice) == VisibleKeys::All
                                                  : block.showsFuture && block.showsFuture(choice.params);
                if (!shows) continue;
                if (!seen.insert(sublayer.name + "." + slot + "." + choice.id).second) continue;
                views.push_back({childPath(sublayer.path, slot), sublayer.name, slot, choice.id});
            }
        }
    return views;
}

std::vector<std::string> compositionNotes(const ResolvedVariant& variant) {
    std::vector<std::string> notes;
    std::set<std::string> seen;
    for (const std::string& stack : stacksOf(variant.topology))
        for (const ResolvedLayer& layer : layersOf(variant, stack))
            for (const ResolvedSublayer& sublayer : layer.sublayers) {
                const Place place{variant, stack, sublayer};
                const Neighbours beside = neighboursOf(place);
                for (const auto& [slot, choice] : sublayer.slots) {
                    const BlockDescriptor& block = place.block(slot);
                    const auto note = block.note ? block.note(beside, choice.params) : std::nullopt;
                    if (!note || !seen.insert(stack + sublayer.name + slot).second) continue;
                    notes.push_back(childPath(childPath(sublayer.path, slot), note->path) + ": " + note->what);
                }
            }
    return notes;
}

}  // namespace heddle
