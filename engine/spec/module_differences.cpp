// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/module_differences.h"

#include "engine/spec/variant_resolve.h"

#include <map>

namespace heddle {

std::vector<ModuleDifference> moduleDifferences(const std::vector<BuiltModule>& built, const DraftFacts& now) {
    std::map<std::string, BuiltModule> left;
    for (const BuiltModule& module : built) left[module.path] = module;
    std::vector<ModuleDifference> differences;
    forEachBlock(now.variant, [&](const auto& path, const auto&, const BlockChoice& choice, const BlockContext&) {
        const auto counted = now.modules.find(path);
        if (counted == now.modules.end()) return;  // not a module
        const BuiltModule module{path, choice.id, counted->second.parameters};
        const auto found = left.find(path);
        if (found == left.end())
            differences.push_back({path, std::nullopt, module});
        else if (found->second != module)
            differences.push_back({path, found->second, module});
        if (found != left.end()) left.erase(found);
    });
    for (const BuiltModule& module : built)
        if (left.contains(module.path)) differences.push_back({module.path, module, std::nullopt});
    return differences;
}

}  // namespace heddle
