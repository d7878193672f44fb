// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/named_tensors.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"

namespace heddle {

NamedTensors namedParameters(const ParameterStore& parameters) {
    NamedTensors tensors;
    for (const auto& entry : parameters.entries()) tensors.emplace(entry.path, entry.tensor);
    return tensors;
}

std::vector<ParameterStore::Entry> tablesFromFile(const Model& model) {
    const Json& embed = model.variant().globals.at("embed").params;
    std::vector<ParameterStore::Entry> tables;
    if (!embed.contains("vectors") || embed.at("vectors") != "file") return tables;
    for (const auto& table : model.parameters().frozen())
        if (table.path.starts_with("embed.")) tables.push_back(table);
    return tables;
}

NamedTensors savedTensors(const Model& model) {
    NamedTensors tensors = namedParameters(model.parameters());
    for (const auto& table : model.parameters().frozen()) tensors.emplace(table.path, table.tensor);
    for (const auto& table : tablesFromFile(model)) tensors.erase(table.path);
    return tensors;
}

void loadWeights(const Model& model, const NamedTensors& weights, const std::string& where) {
    NamedTensors target = savedTensors(model);
    for (const auto& table : model.parameters().frozen())
        if (!weights.contains(table.path)) target.erase(table.path);
    copyInto(target, weights, where);
}

void requireSameForm(const NamedTensors& target, const NamedTensors& source, const std::string& where) {
    const std::string next = "use a checkpoint of the same variant and optimizer";
    for (const auto& [name, tensor] : target) {
        const auto found = source.find(name);
        if (found == source.end()) throwInvalid("tensor \"" + name + "\" is missing", where, next);
        const at::Tensor& other = found->second;
        if (other.sizes() != tensor.sizes())
            throwInvalid(c10::str("tensor \"", name, "\" has shape ", other.sizes(), ", expected ", tensor.sizes()), where,
                         next);
        if (other.scalar_type() != tensor.scalar_type())
            throwInvalid(c10::str("tensor \"", name, "\" is ", other.scalar_type(), ", expected ", tensor.scalar_type()), where,
                         next);
    }
    for (const auto& [name, tensor] : source)
        if (!target.contains(name)) throwInvalid("tensor \"" + name + "\" belongs to no parameter", where, next);
}

void copyInto(const NamedTensors& target, const NamedTensors& source, const std::string& where) {
    requireSameForm(target, source, where);
    const at::NoGradGuard noGrad;
    for (const auto& [name, tensor] : target) at::Tensor(tensor).copy_(source.at(name));
}

void requireFinite(const NamedTensors& tensors, const std::string& where) {
    for (const auto& [name, tensor] : tensors)
        if (tensor.is_floating_point() && !at::isfinite(tensor).all().item<bool>())
            throw Error(ErrorCode::Diverged, "tensor \"" + name + "\" contains NaN or infinite values", where,
                        "choose an earlier checkpoint with --checkpoint STEP, or train again with a smaller learning rate");
}

}  // namespace heddle
