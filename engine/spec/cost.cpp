// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/cost.h"

#include "engine/base/error.h"
#include "engine/spec/training_walk.h"
#include "engine/spec/variant_resolve.h"

#include <algorithm>
#include <map>

namespace heddle {
namespace {

/// Of every module; `placed` sets what the formulas read besides the module's own place.
template <class Place>
Cost countModules(const ResolvedVariant& variant, const Catalogue& catalogue, const Place& placed) {
    throwIfVocabularyIsMissing(variant, catalogue);
    Cost cost;
    forEachBlock(variant, [&](const auto& path, const auto& slot, const BlockChoice& choice, const BlockContext& place) {
        if (slot == "init") return;  // not a module
        const auto& block = catalogue.at(slot, choice.id);
        const BlockContext where = placed(place);
        const auto parameters = block.parameterCount(where, choice.params);
        cost.modules.push_back(
            {path, parameters, static_cast<double>(where.passes) * block.flopsPerToken(where, choice.params)});
        cost.parameters += parameters;
    });
    return cost;
}

/// Bytes of the tables that do not learn.
double constantBytes(const ResolvedVariant& variant, const Catalogue& catalogue, const BatchShape& shape) {
    std::int64_t numbers = 0;
    forEachBlock(variant, [&](const auto&, const auto& slot, const BlockChoice& choice, const BlockContext& where) {
        const auto& block = catalogue.at(slot, choice.id);
        if (block.constantCount) numbers += block.constantCount(where, choice.params);
    });
    return static_cast<double>(numbers * shape.elementBytes);
}

/// Gradients that the backward pass has made when it comes by a module first: of its parameters, and of a table that it has
/// from the embedding.
std::map<std::string, double> gradientBytes(const ResolvedVariant& variant, const Cost& cost, const BatchShape& shape) {
    std::map<std::string, double> bytes;
    for (const ModuleCost& module : cost.modules)
        bytes[module.path] = static_cast<double>(module.parameters * shape.elementBytes);
    if (variant.globals.at("head").params.value("tied", false))
        bytes["head"] += static_cast<double>(variant.dims.vocabTgt * variant.dims.d * shape.elementBytes);
    return bytes;
}

/// The most that activations, gradients and what is on its way take together.
double peakOfStep(const TrainingPass& pass, std::map<std::string, double> gradients) {
    double peak = 0, held = 0, made = 0;
    for (const TrainingVisit& visit : pass.visits) {
        held += visit.held;
        peak = std::max(peak, held + visit.waiting + 2 * visit.widest);
    }
    double head = pass.headBytes;  // gone before the backward pass goes on
    const std::vector<TrainingVisit> backwards(pass.visits.rbegin(), pass.visits.rend());
    for (const TrainingVisit& visit : backwards) {
        if (const auto gradient = gradients.find(visit.path); gradient != gradients.end()) {
            made += gradient->second;
            gradients.erase(gradient);
        }
        peak = std::max(peak, head + held + made + 2 * visit.widest);
        head = 0;
        held -= visit.held;
    }
    return std::max(peak, made);
}

}  // namespace

std::int64_t answersAtOnce(const ResolvedVariant& variant, std::int64_t logitsAtOnce) {
    return std::max<std::int64_t>(1, logitsAtOnce / std::max<std::int64_t>(1, variant.dims.vocabTgt));
}

bool hasVocabulary(const ResolvedVariant& variant, const Catalogue& catalogue) {
    if (variant.dims.vocabSrc > 0 && variant.dims.vocabTgt > 0) return true;
    bool isUsed = false;
    forEachBlock(variant, [&](const auto&, const auto& slot, const BlockChoice& choice, const BlockContext&) {
        isUsed = isUsed || catalogue.at(slot, choice.id).usesVocabulary;
    });
    return !isUsed;
}

void throwIfVocabularyIsMissing(const ResolvedVariant& variant, const Catalogue& catalogue) {
    if (hasVocabulary(variant, catalogue)) return;
    if (variant.topology == "encdec")
        throwInvalid("the vocabulary sizes are not known", "dims.vocab_src, dims.vocab_tgt",
                     "state them: --set dims.vocab_src=N --set dims.vocab_tgt=N; or train with data to find them in");
    const std::string own = variant.decoder.empty() ? "dims.vocab_src" : "dims.vocab_tgt";  // one stack has one vocabulary
    throwInvalid("the vocabulary size is not known", own, "state it: --set " + own + "=N; or train with data to find it in");
}

std::int64_t longestSequence(const ResolvedVariant& variant, const Catalogue& catalogue) {
    std::int64_t longest = variant.dims.maxLen;
    forEachBlock(variant, [&](const auto&, const auto& slot, const BlockChoice& choice, const BlockContext& where) {
        const auto& block = catalogue.at(slot, choice.id);
        if (block.longestSequence) longest = std::min(longest, block.longestSequence(where, choice.params));
    });
    return longest;
}

Cost countCost(const ResolvedVariant& variant, const Catalogue& catalogue) {
    return countModules(variant, catalogue, [](const BlockContext& where) { return where; });
}

Cost countTrainingCost(const ResolvedVariant& variant, const Catalogue& catalogue, const BatchShape& shape) {
    const bool decodes = !variant.decoder.empty();
    Cost cost = countModules(variant, catalogue, [&](BlockContext where) {
        where.sequence = where.stack == "encoder" || !decodes ? shape.source : shape.target;
        return where;
    });
    const TrainingPass pass = walkTraining(variant, catalogue, shape);
    std::map<std::string, ModuleCost*> modules;
    for (ModuleCost& module : cost.modules) modules[module.path] = &module;
    for (const TrainingVisit& visit : pass.visits) {
        modules.at(visit.path)->activationBytes += visit.held;
        modules.at(visit.path)->flopsBackwardPerToken += visit.flopsBackward;
        cost.activationBytes += visit.held;
    }
    // Adam has two moments of every parameter.
    const double resting =
        static_cast<double>(3 * cost.parameters * shape.elementBytes) + constantBytes(variant, catalogue, shape);
    cost.peakBytes = resting + peakOfStep(pass, gradientBytes(variant, cost, shape));
    return cost;
}

}  // namespace heddle
