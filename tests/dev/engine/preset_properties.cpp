// SPDX-License-Identifier: Apache-2.0
// Properties of every preset (variants.md A7, A8), with small sizes and in its own topology.
#include "engine/device/torch_pch.h"
#include "engine/spec/variant_document.h"
#include "engine/train/checkpoint/safetensors.h"
#include "engine/verify/one_block.h"
#include "engine/verify/tiny_presets.h"
#include "tests/dev/engine/properties.h"

#include <algorithm>
#include <cmath>
#include <regex>

namespace heddle::verify {

namespace {

constexpr double kNothing = 1e-12;  ///< at most this large: rounding errors

std::string sublayerOf(const std::string& path) {
    static const std::regex kSublayer(R"((encoder|decoder)\.layers\.[0-9]+\.[a-z]+)");
    std::smatch found;
    return std::regex_search(path, found, kSublayer) ? found[0].str() : "";
}

const ResolvedSublayer* findSublayer(const ResolvedVariant& variant, const std::string& path) {
    for (const ResolvedSublayer* sublayer : sublayersOf(variant))
        if (sublayer->path == path) return sublayer;
    return nullptr;
}

std::int64_t layerOf(const std::string& path) { return std::stoll(path.substr(path.find(".layers.") + 8)); }

/// Returns the first layer where a score gate has an earlier layer to read. A gate with its own source reads that source only.
std::int64_t firstLayerOfGate(const BlockChoice& score, const std::string& path) {
    static const std::regex kOwnSource(R"(\.offset_([0-9]+)\.)");
    std::smatch found;
    if (std::regex_search(path, found, kOwnSource)) return std::stoll(found[1]);
    const auto offsets = score.params.at("offsets").get<std::vector<std::int64_t>>();
    return *std::min_element(offsets.begin(), offsets.end());
}

enum class Expected { Some, None, Anything };

/// Returns whether this parameter must get a gradient. All must, except those that A8 exempts and a forget gate before there is
/// anything to forget.
Expected expectedGradient(const ResolvedVariant& variant, const std::string& path) {
    const ResolvedSublayer* const sublayer = findSublayer(variant, sublayerOf(path));
    if (!sublayer) return Expected::Some;
    const auto slot = [&](const char* name) { return sublayer->slots.contains(name) ? &sublayer->slots.at(name) : nullptr; };
    const BlockChoice* const residual = slot("residual");
    const bool isInner = path.find(".residual.") == std::string::npos && path.find(".norm.") == std::string::npos;
    if (isInner && residual->id == "alpha" && residual->params.value("init", 1.0) == 0) return Expected::None;
    const BlockChoice* const score = slot("score");
    const bool carries = score && score->id != "none";
    if (carries && path.find(".score.") != std::string::npos && layerOf(path) < firstLayerOfGate(*score, path))
        return Expected::None;
    // The softmax ignores a term that all keys share. A gate may notice it, and carried weights are not sums of scores.
    const bool isNoticed = carries && (!score->params.at("gate").is_null() || score->params.at("source") == "probs");
    const bool isShared = path.ends_with(".scorer.k.bias") && slot("scorer")->id != "rotary";
    if (isShared) return isNoticed ? Expected::Anything : Expected::None;
    const BlockChoice* const combine = slot("combine");
    static const std::regex kForgetGate(R"(.*\.combine\.[wv]f\..*)");
    const bool forgets = combine && combine->id == "lstm" && std::regex_match(path, kForgetGate);
    return forgets && layerOf(path) == 0 ? Expected::None : Expected::Some;
}

/// Returns the same variant, read back from its stored description.
ResolvedVariant readBack(const ResolvedVariant& variant) {
    const std::string stored = canonicalJson(compactVariant(variant, builtinCatalogue()));
    return VariantSpec::parse(parseJson(stored, "a stored description"), builtinCatalogue()).resolve();
}

std::string bytesOf(const Model& model) {
    const SafetensorsImage image(namedParameters(model.parameters()));
    std::string bytes;
    for (const std::string_view part : image.parts()) bytes += part;
    return bytes;
}

void checkGradients(const std::string& name, CaseChecks& checks) {
    const auto model = buildModel(tinyPreset(name), 1, at::kDouble);
    // The model does not run as in training, because dropout of a whole gate would remove its gradient.
    const at::Tensor y = toyAnswer(*model);
    (y - normalTensor(y.sizes(), 8)).square().sum().backward();
    std::int64_t wrong = 0;
    for (const auto& [path, tensor] : model->parameters().entries()) {
        const double largest = tensor.grad().defined() ? tensor.grad().abs().max().item<double>() : 0;
        const Expected expected = expectedGradient(model->variant(), path);
        const bool isRight =
            std::isfinite(largest) && (expected == Expected::Anything || (expected == Expected::Some) == (largest > kNothing));
        if (isRight) continue;
        ++wrong;
        const std::string what = name + ": gradient of " + path;
        expected == Expected::None ? checks.bound(what, largest, kNothing) : checks.exceeds(what, largest, kNothing);
    }
    checks.compareCount(name + ": parameters with a gradient that is not finite, missing, or not expected", 0, wrong);
}

}  // namespace

void checkPresetsLearn(CaseChecks& checks) {
    for (const std::string& name : presetNames()) checkGradients(name, checks);
}

void checkSavingLosesNothing(CaseChecks& checks) {
    const at::NoGradGuard noGrad;
    for (const std::string& name : presetNames()) {
        const auto model = buildModel(tinyPreset(name), 1, at::kDouble);
        // Changes what the seed gives, so that a new model of the same seed cannot have equal weights.
        for (const auto& [path, tensor] : model->parameters().entries()) at::Tensor(tensor).mul_(1.25).add_(0.01);
        const auto loaded = buildModel(readBack(model->variant()), 1, at::kDouble);
        const bool differed = !at::equal(toyAnswer(*model), toyAnswer(*loaded));
        copyInto(namedParameters(loaded->parameters()), parseSafetensors(bytesOf(*model), name), name);
        const bool isEqual = at::equal(toyAnswer(*model), toyAnswer(*loaded));
        checks.compareCount(name + ": outputs that differ after saving and loading", 0, isEqual ? 0 : 1);
        checks.compareCount(name + ": outputs that differ before loading", 1, differed ? 1 : 0);
    }
}

}  // namespace heddle::verify
