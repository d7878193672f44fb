// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/diff.h"

#include "engine/spec/field_schema.h"

#include <algorithm>
#include <map>
#include <string_view>

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

/// The contents of a setting's files, one a document; nothing unless they are known of all.
std::vector<std::string> contentsAt(const std::string& path, const std::vector<FileContents>& contents) {
    std::vector<std::string> row;
    for (const FileContents& one : contents) {
        const auto found = one.find(path);
        if (found == one.end()) return {};
        row.push_back(found->second);
    }
    return row;
}

template <class T>
bool areDifferent(const std::vector<T>& row) {
    return std::adjacent_find(row.begin(), row.end(), std::not_equal_to<>()) != row.end();
}

/// "encoder.layers.0.self.residual.kind" in three parts; `layers` is empty where there is no number.
struct LayerPath {
    std::string before, layers, after;
};

LayerPath splitAtLayer(const std::string& path) {
    constexpr std::string_view kLayers = ".layers.";
    const auto at = path.find(kLayers);
    if (at == std::string::npos) return {path, "", ""};
    const auto number = at + kLayers.size(), end = path.find('.', number);
    if (end == std::string::npos) return {path, "", ""};
    return {path.substr(0, number), path.substr(number, end - number), path.substr(end)};
}

}  // namespace

std::vector<SpecDifference> diffDocuments(const std::vector<Json>& documents) { return diffDocuments(documents, {}); }

std::vector<SpecDifference> diffDocuments(const std::vector<Json>& documents, const std::vector<FileContents>& contents) {
    std::map<std::string, std::vector<Json>> values;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        std::map<std::string, Json> leaves;
        collectLeaves(documents[i], "", leaves);
        for (auto& [path, leaf] : leaves) {
            auto& row = values[path];
            row.resize(documents.size());  // null: absent
            row[i] = std::move(leaf);
        }
    }
    std::vector<SpecDifference> differences;
    for (auto& [path, row] : values) {
        std::vector<std::string> known = contentsAt(path, contents);
        if (known.empty() ? areDifferent(row) : areDifferent(known))
            differences.push_back({path, std::move(row), std::move(known)});
    }
    return differences;
}

std::vector<SpecDifference> joinLayers(const std::vector<SpecDifference>& differences) {
    struct Line {
        LayerPath path;
        const SpecDifference* first;
    };
    std::vector<Line> lines;
    for (const auto& difference : differences) {
        LayerPath one = splitAtLayer(difference.path);
        const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
            return !one.layers.empty() && line.path.before == one.before && line.path.after == one.after &&
                   line.first->values == difference.values;
        });
        if (same == lines.end())
            lines.push_back({std::move(one), &difference});
        else
            same->path.layers += "," + one.layers;
    }
    std::vector<SpecDifference> result;
    for (const auto& line : lines)
        result.push_back({line.path.before + line.path.layers + line.path.after, line.first->values, line.first->contents});
    return result;
}

}  // namespace heddle
