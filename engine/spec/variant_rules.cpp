// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/variant_rules.h"

#include "engine/base/contains.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/variant_schema.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace heddle {
namespace {

/// One sublayer and the stack around it.
struct Place {
    const ResolvedVariant& variant;
    const std::string& stack;
    const ResolvedSublayer& sublayer;

    bool has(const std::string& slot) const { return sublayer.slots.contains(slot); }
    const BlockChoice& at(const std::string& slot) const { return sublayer.slots.at(slot); }
    /// True where the sublayer has the slot and the block there is this one.
    bool is(const std::string& slot, const std::string& id) const { return has(slot) && at(slot).id == id; }
    bool hidesFuture() const {
        const BlockDescriptor* const mask = has("mask") ? builtinCatalogue().find("mask", at("mask").id) : nullptr;
        return mask && mask->showsFuture && !mask->showsFuture(at("mask").params);
    }
    const BlockChoice& ofStack(const std::string& slot) const { return variant.stackSlots.at(childPath(stack, slot)); }
};

/// A check of one sublayer; problem paths are relative to it.
using Rule = std::optional<Problem> (*)(const Place& place);

bool carriesScores(const Place& place) { return place.has("score") && place.at("score").id != "none"; }

bool isFixedPoint(const Place& place) { return place.ofStack("share").id == "fixed_point"; }

std::optional<Problem> fixedPointNeedsScoresOfItsOwn(const Place& place) {
    if (!isFixedPoint(place) || !carriesScores(place)) return std::nullopt;
    return Problem{"score", "a fixed point forgets the way it came, and carried scores are those of earlier layers",
                   "set score to none, or share to shared or distinct"};
}

std::optional<Problem> fixedPointNeedsNoMemory(const Place& place) {
    if (!isFixedPoint(place) || !place.is("combine", "lstm")) return std::nullopt;
    return Problem{"combine", "the cell of an LSTM would go on from evaluation to evaluation, so that no fixed point exists",
                   "use gru, tanh_gated or tanh, or share shared or distinct"};
}

std::optional<Problem> adjusterNeedsProjection(const Place& place) {
    static const std::set<std::string> unprojected{"heads_noproj", "directional", "single"};
    const bool asks = place.is("adjuster", "eau") && place.at("adjuster").params.at("where") == "before_wo";
    if (!asks || !place.has("value") || !unprojected.contains(place.at("value").id)) return std::nullopt;
    return Problem{"adjuster.where", "value \"" + place.at("value").id + "\" has no output projection to stand before",
                   "use attn_out or before_ffn, or value heads_proj"};
}

std::optional<Problem> chainScoresNothing(const Place& place) {
    if (!place.is("scorer", "chain")) return std::nullopt;
    if (carriesScores(place))
        return Problem{"score", "scorer \"chain\" gives the weights themselves, so there are no scores to carry",
                       "set score to none, or use scorer bilinear or dot"};
    if (!place.is("normaliser", "softmax"))
        return Problem{"normaliser", "scorer \"chain\" gives the weights themselves, and nothing normalises them",
                       "leave normaliser out, or use scorer bilinear or dot"};
    return std::nullopt;
}

/// If all visible keys are on one side of the query, the other side's matrix is never used.
std::optional<Problem> directionalNeedsBothSides(const Place& place) {
    if (!place.is("value", "directional")) return std::nullopt;
    if (place.is("scorer", "chain"))
        return Problem{"value", "scorer \"chain\" sees the position before alone, so that the matrix Q would never be used",
                       "use value single"};
    const bool hidesFuture = place.hidesFuture();
    if (!hidesFuture || place.at("value").params.at("split") != "self_left") return std::nullopt;
    return Problem{"value.split", "under a causal mask no key comes after the query, so that the matrix Q would never be used",
                   "use self_right or self_both, or value single"};
}

std::optional<Problem> gateNeedsItsInput(const Place& place) {
    if (!place.is("combine", "tanh_gated") || !place.is("direct", "none")) return std::nullopt;
    return Problem{"combine", "the gate i of \"tanh_gated\" is that of the direct path, and there is none",
                   "set direct to vx, or use combine tanh or gru"};
}

bool selects(const Place& place) { return place.has("selector") && place.at("selector").id != "none"; }

/// A selector needs queries, keys and values per head, and masks shared by all heads.
std::optional<Problem> selectorNeedsHeads(const Place& place) {
    if (!selects(place)) return std::nullopt;
    static const std::set<std::string> products{"dot", "grouped", "rotary"}, values{"heads_proj", "grouped"};
    const std::string name = "selector \"" + place.at("selector").id + "\" ";
    if (!products.contains(place.at("scorer").id))
        return Problem{"scorer",
                       name + "reads queries and keys of every head, and scorer \"" + place.at("scorer").id +
                           "\" does not compare such alone",
                       "use scorer dot, rotary or grouped"};
    if (!values.contains(place.at("value").id))
        return Problem{"value", name + "reads projected values of every head", "use value heads_proj or grouped"};
    if (place.is("normaliser", "talking_heads"))
        return Problem{"normaliser", name + "chooses keys for every head by itself, and talking heads mix them",
                       "use another normaliser"};
    return std::nullopt;
}

/// In a group over several queries, a later query could displace an entry of an earlier one.
std::optional<Problem> groupsOfQueriesSeeTheFuture(const Place& place) {
    if (!place.is("selector", "sea")) return std::nullopt;
    const std::string group = place.at("selector").params.at("group");
    const bool hidesFuture = place.hidesFuture();
    if (!hidesFuture || (group != "head" && group != "batch")) return std::nullopt;
    return Problem{"selector.group", "under a causal mask the choice of a query must not depend on later ones",
                   "use causal_batch or query"};
}

std::optional<Problem> fixedPointNeedsAllKeys(const Place& place) {
    if (!isFixedPoint(place) || !selects(place)) return std::nullopt;
    return Problem{"selector", "which keys are chosen changes in jumps, so that an iteration may never stand still",
                   "set selector to none, or share to shared or distinct"};
}

/// The output of a recurrent sublayer is twice as wide as its input, so it excludes blocks of the model's width.
std::optional<Problem> recurrenceStandsAlone(const Place& place) {
    if (!place.has("recurrence")) return std::nullopt;
    for (const char* slot : {"adjuster", "parallel", "residual", "norm"})
        if (place.at(slot).id != "none")
            return Problem{slot, "both directions side by side are 2·d wide, and \"" + place.at(slot).id + "\" takes d",
                           std::string("set ") + slot + " to none"};
    return std::nullopt;
}

/// The same, for what belongs to the whole stack.
void checkRecurrentStack(const ResolvedVariant& variant, std::vector<Problem>& problems) {
    if (variant.topology != "bilstm") return;
    const std::string& share = variant.stackSlots.at("encoder.share").id;
    if (share == "fixed_point")
        problems.push_back({"encoder.share", "both directions side by side are 2·d wide, and a fixed point reads what it gives",
                            "use share distinct"});
    else if (variant.dims.layersEnc > 1 && share != "distinct")
        problems.push_back({"encoder.share", "the first layer reads vectors of width d and the others of width 2·d",
                            "use share distinct, or one layer (dims.layers_enc)"});
    const BlockChoice& position = variant.globals.at("position");
    if (variant.dims.layersEnc > 1 && position.params.value("where", "") == "every_layer")
        problems.push_back({"position.where", "after the first layer the stream is 2·d wide", "use input"});
    if (variant.hasFinalNorm)
        problems.push_back(
            {"defaults.norm.final", "both directions side by side are 2·d wide, and the norm takes d", "set final to 0"});
}

/// Whether the sublayer itself reads the stack's input.
bool readsInput(const ResolvedSublayer& sublayer) {
    const auto id = [&](const char* slot) { return sublayer.slots.contains(slot) ? sublayer.slots.at(slot).id : "none"; };
    return id("direct") != "none" || id("combine") == "gru" || id("combine") == "lstm";
}

/// A stack that starts from a constant must read its input elsewhere.
void checkStart(const ResolvedVariant& variant, const std::string& stack, std::vector<Problem>& problems) {
    const std::string path = childPath(stack, "h0"), start = variant.stackSlots.at(path).id;
    if (start != "zeros" && start != "learned") return;
    for (const ResolvedLayer& layer : layersOf(variant, stack))
        if (std::any_of(layer.sublayers.begin(), layer.sublayers.end(), readsInput)) return;
    problems.push_back(
        {path, "the " + stack + " starts from \"" + start + "\" and no sublayer has a direct path: nothing would see the input",
         "set direct to vx on an attention sublayer, or h0 to input or linear"});
}

/// With position "directional", every stack needs a directional value block.
void checkDirection(const ResolvedVariant& variant, const std::string& stack, std::vector<Problem>& problems) {
    if (variant.globals.at("position").id != "directional") return;
    const auto isDirectional = [](const ResolvedSublayer& sublayer) {
        return sublayer.slots.contains("value") && sublayer.slots.at("value").id == "directional";
    };
    for (const ResolvedLayer& layer : layersOf(variant, stack))
        if (std::any_of(layer.sublayers.begin(), layer.sublayers.end(), isDirectional)) return;
    problems.push_back({"position", "no attention of the " + stack + " has directional values, so that order would be lost",
                        "set value to directional there, or position to sinusoid or none"});
}

constexpr Rule kRules[] = {fixedPointNeedsScoresOfItsOwn, fixedPointNeedsNoMemory, adjusterNeedsProjection, chainScoresNothing,
                           directionalNeedsBothSides,     gateNeedsItsInput,       recurrenceStandsAlone,   selectorNeedsHeads,
                           groupsOfQueriesSeeTheFuture,   fixedPointNeedsAllKeys};

}  // namespace

void checkComposition(const ResolvedVariant& variant, std::vector<Problem>& problems) {
    checkRecurrentStack(variant, problems);
    std::set<std::string> seen;  // stack, sublayer and text of problems reported so far
    for (const std::string& stack : stacksOf(variant.topology)) {
        checkStart(variant, stack, problems);
        checkDirection(variant, stack, problems);
        for (const ResolvedLayer& layer : layersOf(variant, stack)) {
            for (const ResolvedSublayer& sublayer : layer.sublayers) {
                for (const Rule rule : kRules) {
                    const auto problem = rule({variant, stack, sublayer});
                    if (!problem || !seen.insert(stack + sublayer.name + problem->path + problem->what).second) continue;
                    problems.push_back({childPath(sublayer.path, problem->path), problem->what, problem->next});
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
            if (sublayer.name == "cross" || Place{variant, kDecoder, sublayer}.is("scorer", "chain"))
                continue;  // sees the past
            for (const auto& [slot, choice] : sublayer.slots) {
                const BlockDescriptor* const block = builtinCatalogue().find(slot, choice.id);
                if (!block || !block->showsFuture || !block->showsFuture(choice.params)) continue;
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
                if (!place.is("residual", "grc") || place.at("residual").params.at("gate_input") != "norm_r") continue;
                const bool isPreNorm = place.has("norm") && place.at("norm").params.value("place", "") == "pre";
                if (isPreNorm || !seen.insert(stack + sublayer.name).second) continue;
                notes.push_back(childPath(sublayer.path, "residual.gate_input") +
                                ": norm_r is r here, because the sublayer has no pre-norm (defaults.norm.place)");
            }
    return notes;
}

}  // namespace heddle
