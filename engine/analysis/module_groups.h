// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle {

/// "encoder.adjuster" for "encoder.layers.0.self.adjuster", "embedding" for "embed.source", "head" for "head".
std::string moduleGroup(const std::string& path);

struct GroupedShares {
    struct Group {
        std::string name;
        double share = 0;
    };
    std::vector<Group> groups;  ///< in model order; "whole model" alone when modules were not recorded
    bool weighted = true;       ///< by parameters; false: plain means of the modules
};

/// Shares of modules, by their paths ("" is the whole model), as means of their groups, weighted by the modules' parameters
/// where these are known.
GroupedShares groupedShares(const std::map<std::string, double>& shares, const std::map<std::string, std::int64_t>& parameters);

}  // namespace heddle
