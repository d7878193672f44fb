// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/sparsity_data.h"

#include "engine/spec/cost.h"
#include "engine/spec/run_spec.h"

namespace heddle::ui {
std::optional<Sparsity> readSparsity(storage::RunQuery& query, const RunDetail& detail, const std::string& threshold,
                                     Step step) {
    const std::string name = "near_zero@" + threshold, oldPath = "eps=" + threshold;
    Sparsity sparsity;
    for (const auto& key : detail.series) {
        // In old databases, without the shares of modules, the threshold is in the path.
        const bool isOld = key.name == "near_zero" && key.path == oldPath;
        if (key.name != name && !isOld) continue;
        const auto points = query.points(detail.record.id, key.name, key.path, 0, step);
        if (points.empty()) continue;
        sparsity.shares[isOld ? std::string() : key.path] = double(points.back().value);
        if (points.back().step < sparsity.step) continue;
        Series records;
        for (const auto& point : points)
            if (records.size() == 0 || point.step > records.range().last) records.append(point.step, double(point.value));
        sparsity.step = points.back().step;
        sparsity.spacing = records.spacing(records.size() - 1);
    }
    return sparsity.shares.empty() ? std::nullopt : std::optional(sparsity);
}

std::optional<Sparsity> readSparsityBeside(storage::RunQuery& query, const RunDetail& detail, const std::string& threshold,
                                           Step step) {
    if (detail.endedBefore(step)) return std::nullopt;
    const auto found = readSparsity(query, detail, threshold, step);
    return found && (found->step == step || step - found->step < found->spacing) ? found : std::nullopt;
}

std::map<std::string, std::int64_t> parametersOf(const RunDetail& detail) {
    std::map<std::string, std::int64_t> parameters;
    if (detail.vocabSource <= 0 || detail.vocabTarget <= 0) return parameters;
    try {
        const auto spec = RunSpec::parse(parseJson(detail.record.spec, detail.record.id), builtinCatalogue());
        const auto resolved = spec.variant.resolve(detail.vocabSource, detail.vocabTarget, detail.classes);
        for (const auto& module : countCost(resolved).modules) parameters[module.path] = module.parameters;
    } catch (const std::exception&) {
        parameters.clear();  // a spec of another version: the panel then shows unweighted means and says so
    }
    return parameters;
}

}  // namespace heddle::ui
