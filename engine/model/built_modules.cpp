// SPDX-License-Identifier: Apache-2.0
#include "engine/model/built_modules.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/variant_spec.h"

#include <map>

namespace heddle {

std::vector<BuiltModule> builtModules(const Model& model) {
    std::vector<BuiltModule> modules;
    std::map<std::string, std::size_t> places;
    forEachBlock(model.variant(), [&](const auto& path, const auto& slot, const BlockChoice& choice, const BlockContext&) {
        if (slot == "init") return;  // not a module
        places.emplace(path, modules.size());
        modules.push_back({path, choice.id});
    });
    for (const auto& [path, tensor] : model.parameters().entries()) {
        std::string owner = path;
        while (!owner.empty() && !places.contains(owner)) {
            const auto dot = owner.rfind('.');
            owner = dot == std::string::npos ? "" : owner.substr(0, dot);
        }
        if (owner.empty())
            modules.push_back({path, "", tensor.numel()});
        else
            modules[places.at(owner)].parameters += tensor.numel();
    }
    return modules;
}

}  // namespace heddle
