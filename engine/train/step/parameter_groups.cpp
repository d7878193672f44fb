// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/parameter_groups.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace heddle {
namespace {

bool isBelowStacks(const std::string& path) { return path.starts_with("embed") || path.starts_with("position"); }

/// The layer of a parameter: 1 for the lowest layer of a stack, 0 below the layers, `layers` + 1 above them and for the head.
std::int64_t layerOf(const std::string& path, std::int64_t layers) {
    constexpr std::string_view kLayers = ".layers.";
    if (const auto at = path.find(kLayers); at != std::string::npos) return std::stoll(path.substr(at + kLayers.size())) + 1;
    return isBelowStacks(path) ? 0 : layers + 1;
}

std::int64_t countLayers(const ParameterStore& parameters) {
    std::int64_t layers = 0;
    for (const auto& [path, tensor] : parameters.entries())
        if (path.find(".layers.") != std::string::npos) layers = std::max(layers, layerOf(path, 0));
    return layers;
}

/// The parameters that are factors of matrix products, by identity.
std::set<const void*> factorsOf(const ParameterStore& parameters) {
    std::set<const void*> factors;
    for (const at::Tensor& factor : parameters.factors()) factors.insert(factor.unsafeGetTensorImpl());
    return factors;
}

ParameterKind kindOf(const ParameterStore::Entry& entry, const std::set<const void*>& factors) {
    if (isBelowStacks(entry.path)) return ParameterKind::Embeddings;
    if (entry.path.starts_with("head")) return ParameterKind::Head;
    const at::Tensor& tensor = entry.tensor;
    const bool isMatrix = tensor.dim() == 2 && tensor.size(0) > 1 && tensor.size(1) > 1;
    return isMatrix && factors.count(tensor.unsafeGetTensorImpl()) > 0 ? ParameterKind::Matrices : ParameterKind::Vectors;
}

bool fits(const GroupSpec& group, const ParameterSettings& parameter) {
    if (const auto kind = choiceNamed<ParameterKind>(group.parameters)) return *kind == parameter.kind;
    return fnmatch(group.parameters.c_str(), parameter.path.c_str(), 0) == 0;
}

/// Throws if an entry of train.groups fits no parameter. That earlier entries take all its parameters is no error.
void requireFit(const std::vector<ParameterSettings>& parameters, const TrainSpec& spec) {
    for (std::size_t i = 0; i < spec.groups.size(); ++i)
        if (std::none_of(parameters.begin(), parameters.end(), [&](const auto& one) { return fits(spec.groups[i], one); }))
            throwInvalid(
                "no trained parameter fits \"" + spec.groups[i].parameters + "\"",
                "train.groups." + std::to_string(i) + ".parameters",
                "use embeddings, matrices, vectors, head, or a pattern of the paths that heddle variants count prints, "
                "such as *.ffn.*");
}

}  // namespace

std::vector<ParameterSettings> parameterSettings(const ParameterStore& parameters, const TrainSpec& spec) {
    const std::int64_t layers = countLayers(parameters);
    const std::set<const void*> factors = factorsOf(parameters);
    std::vector<ParameterSettings> made;
    for (const ParameterStore::Entry& entry : parameters.entries()) {
        if (!entry.tensor.requires_grad()) continue;
        ParameterSettings one{entry.path, entry.tensor, kindOf(entry, factors)};
        const auto below = static_cast<double>(layers + 1 - layerOf(entry.path, layers));
        one.rate = std::pow(spec.start.layerDecay, below);
        one.weightDecay = spec.weightDecay;
        // Yang et al. 2022, table 8. Weight decay keeps its product with the rate, as in the authors' package (mup.MuAdamW).
        const double wider = parameters.inputRatio(entry.path);
        one.rate /= wider;
        one.weightDecay *= wider;
        const auto group = std::find_if(spec.groups.begin(), spec.groups.end(),
                                        [&](const GroupSpec& candidate) { return fits(candidate, one); });
        if (group != spec.groups.end()) {
            one.rate *= group->rate;
            one.weightDecay *= group->decay;
        }
        one.isMuons = spec.optimizer == OptimizerKind::Muon && one.kind == ParameterKind::Matrices;
        made.push_back(std::move(one));
    }
    requireFit(made, spec);
    return made;
}

}  // namespace heddle
