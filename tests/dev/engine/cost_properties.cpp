// SPDX-License-Identifier: Apache-2.0
// Counts equal the real numbers: the parameters by the descriptors and in the built tree, and the memory of a training step on
// the meta device and on the CPU.
#include "engine/model/built_modules.h"
#include "engine/train/step/step_memory.h"
#include "engine/verify/checks.h"
#include "engine/verify/tiny_presets.h"
#include "tests/dev/engine/properties.h"

#include <cmath>
#include <map>

namespace heddle::verify {

namespace {

constexpr double kTolerance = 0.03;  // temporaries of oneDNN's LSTM are estimated

/// A preset at its own sizes, with a small vocabulary if its data decide the number of words.
ResolvedVariant wholePreset(const std::string& name) {
    const VariantSpec spec = VariantSpec::parse(presetDocument(name), builtinCatalogue());
    ResolvedVariant stated = spec.resolve();
    if (hasVocabulary(stated)) return stated;
    constexpr std::int64_t kWords = 1000;
    const auto wordsOr = [](std::int64_t words) { return words > 0 ? words : kWords; };
    return spec.resolve(wordsOr(stated.dims.vocabSrc), wordsOr(stated.dims.vocabTgt));
}

/// A preset whose fixed point, if it has one, takes the maximum number of iterations; only that number is known beforehand.
ResolvedVariant everyIteration(const std::string& name, Json sizes) {
    ResolvedVariant variant = tinyPreset(name, sizes);
    const auto share = variant.stackSlots.find("encoder.share");
    if (share == variant.stackSlots.end() || !builtinCatalogue().at("share", share->second.id).iterates) return variant;
    sizes["encoder"]["share"] = {{"kind", "fixed_point"}, {"on_failure", "report"}, {"max_iter", 5}, {"tol", 1e-15}};
    return tinyPreset(name, sizes);
}

}  // namespace

void checkTrees(CaseChecks& checks) {
    for (const std::string& name : presetNames()) {
        const ResolvedVariant variant = wholePreset(name);
        std::map<std::string, std::int64_t> formula;
        for (const ModuleCost& module : countCost(variant).modules) formula[module.path] = module.parameters;
        const auto built = builtModules(*outlineModel(variant));
        std::int64_t different = static_cast<std::int64_t>(formula.size()) - static_cast<std::int64_t>(built.size());
        std::int64_t parameters = 0;
        for (const auto& [path, block, count] : built) {
            parameters += count;
            if (formula.contains(path) && formula.at(path) == count) continue;
            checks.compareCount(name + ": parameters of " + path, formula.contains(path) ? formula.at(path) : 0, count);
            ++different;
        }
        checks.compareCount(
            name + ": modules whose formula and tree differ, of a model with " + std::to_string(parameters) + " parameters", 0,
            different);
    }
}

void checkMemory(CaseChecks& checks) {
    // Large enough that activations, and not single numbers, make the sum.
    const Json sizes{{"dims", {{"d", 64}, {"f", 256}, {"max_len", 32}, {"vocab_src", 300}, {"vocab_tgt", 300}}}};
    constexpr BatchShape kShape{8, 24, 28};
    for (const std::string& name : presetNames()) {
        const ResolvedVariant variant = everyIteration(name, sizes);
        const StepMemory predicted = measureStepMemory(variant, kShape);
        const StepMemory measured = measureStepMemory(variant, kShape, c10::kCPU);
        const auto error = [](double guess, double truth) { return std::abs(guess / truth - 1); };
        checks.bound(name + ": activations", error(predicted.activationBytes, measured.activationBytes), kTolerance);
        checks.bound(name + ": peak", error(predicted.peakBytes, measured.peakBytes), kTolerance);
    }
}

}  // namespace heddle::verify
