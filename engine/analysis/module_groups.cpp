// SPDX-License-Identifier: Apache-2.0
#include "engine/analysis/module_groups.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr const char* kWholeModel = "whole model";

/// Encoder, decoder, then what stands around them.
int groupRankOf(const std::string& group) {
    if (group.starts_with("encoder")) return 0;
    if (group.starts_with("decoder")) return 1;
    return group == "embedding" ? 2 : 3;
}

}  // namespace

std::string moduleGroup(const std::string& path) {
    std::string first = path.substr(0, path.find('.'));
    if (first == "embed") return "embedding";
    if (first != "encoder" && first != "decoder") return first;
    const std::size_t layers = path.find(".layers.");
    if (layers == std::string::npos) return first + ".norm";  // after the last layer
    return first + path.substr(path.rfind('.'));
}

GroupedShares groupedShares(const std::map<std::string, double>& shares,
                            const std::map<std::string, std::int64_t>& parameters) {
    struct Sum {
        double share = 0, weight = 0, plain = 0, modules = 0;
    };
    GroupedShares result;
    std::map<std::string, Sum> sums;
    std::vector<std::string> order;
    for (const auto& [path, share] : shares) {
        if (path.empty()) continue;
        const std::string name = moduleGroup(path);
        if (!sums.contains(name)) order.push_back(name);
        Sum& sum = sums[name];
        const auto found = parameters.find(path);
        if (found == parameters.end()) result.weighted = false;
        const double weight = found == parameters.end() ? 0 : static_cast<double>(found->second);
        sum.share += weight * share;
        sum.weight += weight;
        sum.plain += share;
        sum.modules += 1;
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const std::string& a, const std::string& b) { return groupRankOf(a) < groupRankOf(b); });
    for (const std::string& name : order) {
        const Sum& sum = sums[name];
        const bool weighted = result.weighted && sum.weight > 0;
        result.groups.push_back({name, weighted ? sum.share / sum.weight : sum.plain / sum.modules});
    }
    if (const auto whole = shares.find(""); result.groups.empty() && whole != shares.end())
        result.groups.push_back({kWholeModel, whole->second});
    return result;
}

}  // namespace heddle
