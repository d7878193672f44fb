// SPDX-License-Identifier: Apache-2.0
#include "engine/model/parameters_by_module.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/cost.h"

#include <algorithm>

namespace heddle {

std::vector<std::pair<std::string, std::int64_t>> parametersByModule(const Model& model) {
    std::vector<std::pair<std::string, std::int64_t>> modules;
    for (const ModuleCost& module : countCost(model.variant(), builtinCatalogue()).modules)
        modules.emplace_back(module.path, 0);
    for (const auto& [path, tensor] : model.parameters().entries()) {
        const auto owns = [&parameter = path](const auto& module) { return parameter.starts_with(module.first + "."); };
        auto owner = std::find_if(modules.begin(), modules.end(), owns);
        if (owner == modules.end()) owner = modules.insert(owner, {path, 0});
        owner->second += tensor.numel();
    }
    return modules;
}

}  // namespace heddle
