// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/sparsity_data.h"

#include "engine/spec/cost.h"
#include "engine/spec/run_spec.h"

#include <algorithm>

namespace heddle::ui {
namespace {

constexpr const char* kWholeModel = "whole model";

/// Encoder, decoder, then what stands around them.
int rankOf(const std::string& group) {
    if (group.starts_with("encoder")) return 0;
    if (group.starts_with("decoder")) return 1;
    return group == "embedding" ? 2 : 3;
}

}  // namespace

std::optional<Sparsity> readSparsity(storage::RunQuery& query, const RunDetail& detail, const std::string& threshold,
                                     Step step) {
    const std::string name = "near_zero@" + threshold, oldPath = "eps=" + threshold;
    Sparsity sparsity;
    for (const auto& key : detail.series) {
        // Databases made before the shares of modules were recorded: the threshold stands in the path.
        const bool isOld = key.name == "near_zero" && key.path == oldPath;
        if (key.name != name && !isOld) continue;
        const auto points = query.points(detail.record.id, key.name, key.path, 0, step);
        if (points.empty()) continue;
        sparsity.shares[isOld ? std::string() : key.path] = double(points.back().value);
        if (points.back().step < sparsity.step) continue;
        Series looks;
        for (const auto& point : points)
            if (looks.size() == 0 || point.step > looks.range().last) looks.append(point.step, double(point.value));
        sparsity.step = points.back().step;
        sparsity.spacing = looks.spacing(looks.size() - 1);
    }
    return sparsity.shares.empty() ? std::nullopt : std::optional(sparsity);
}

std::optional<Sparsity> readSparsityBeside(storage::RunQuery& query, const RunDetail& detail, const std::string& threshold,
                                           Step step) {
    if (detail.endedBefore(step)) return std::nullopt;
    const auto found = readSparsity(query, detail, threshold, step);
    return found && (found->step == step || step - found->step < found->spacing) ? found : std::nullopt;
}

std::string groupOf(const std::string& path) {
    std::string first = path.substr(0, path.find('.'));
    if (first == "embed") return "embedding";
    if (first != "encoder" && first != "decoder") return first;
    const std::size_t layers = path.find(".layers.");
    if (layers == std::string::npos) return first + ".norm";  // after the last layer
    return first + path.substr(path.rfind('.'));
}

std::map<std::string, std::int64_t> parametersOf(const RunDetail& detail) {
    std::map<std::string, std::int64_t> parameters;
    if (detail.vocabSource <= 0 || detail.vocabTarget <= 0) return parameters;
    try {
        const auto spec = RunSpec::parse(parseJson(detail.record.spec, detail.record.id), builtinCatalogue());
        const auto resolved = spec.variant.resolve(detail.vocabSource, detail.vocabTarget, detail.classes);
        for (const auto& module : countCost(resolved).modules) parameters[module.path] = module.parameters;
    } catch (const std::exception&) {
        parameters.clear();  // a spec of another version: plain means are shown, and said
    }
    return parameters;
}

Grouped grouped(const Sparsity& sparsity, const std::map<std::string, std::int64_t>& parameters) {
    struct Sum {
        double share = 0, weight = 0, plain = 0, modules = 0;
    };
    Grouped result;
    std::map<std::string, Sum> sums;
    std::vector<std::string> order;
    for (const auto& [path, share] : sparsity.shares) {
        if (path.empty()) continue;
        const std::string name = groupOf(path);
        if (!sums.contains(name)) order.push_back(name);
        Sum& sum = sums[name];
        const auto found = parameters.find(path);
        if (found == parameters.end()) result.weighted = false;
        const double weight = found == parameters.end() ? 0 : double(found->second);
        sum.share += weight * share;
        sum.weight += weight;
        sum.plain += share;
        sum.modules += 1;
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const std::string& a, const std::string& b) { return rankOf(a) < rankOf(b); });
    for (const std::string& name : order) {
        const Sum& sum = sums[name];
        const bool weighted = result.weighted && sum.weight > 0;
        result.groups.push_back({name, weighted ? sum.share / sum.weight : sum.plain / sum.modules});
    }
    if (const auto whole = sparsity.shares.find(""); result.groups.empty() && whole != sparsity.shares.end())
        result.groups.push_back({kWholeModel, whole->second});
    return result;
}

}  // namespace heddle::ui
