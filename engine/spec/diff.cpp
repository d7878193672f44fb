// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/diff.h"

#include "engine/spec/field_schema.h"

#include <algorithm>
#include <map>

namespace heddle {
namespace {

/// Everything that is not an object with members is a leaf: scalars, lists, {}.
void collectLeaves(const Json& value, const std::string& path, std::map<std::string, Json>& leaves) {
    if (!value.is_object() || (value.empty() && !path.empty())) {
        leaves[path] = value;
        return;
    }
    for (const auto& [key, member] : value.items()) collectLeaves(member, childPath(path, key), leaves);
}

}  // namespace

std::vector<SpecDifference> diffDocuments(const std::vector<Json>& documents) {
    std::map<std::string, std::vector<Json>> values;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        std::map<std::string, Json> leaves;
        collectLeaves(documents[i], "", leaves);
        for (auto& [path, leaf] : leaves) {
            auto& row = values[path];
            row.resize(documents.size());  // null where absent
            row[i] = std::move(leaf);
        }
    }
    std::vector<SpecDifference> differences;
    for (auto& [path, row] : values)
        if (std::adjacent_find(row.begin(), row.end(), std::not_equal_to<>()) != row.end())
            differences.push_back({path, std::move(row)});
    return differences;
}

}  // namespace heddle
