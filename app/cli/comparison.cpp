// SPDX-License-Identifier: Apache-2.0
#include "app/cli/comparison.h"

#include "app/cli/documents.h"
#include "app/cli/terminal.h"
#include "app/session/runs/find_run.h"
#include "engine/base/printable.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace heddle::app {
namespace {

std::vector<MetricRow> metricRows(storage::RunQuery& query, const std::vector<storage::RunRecord>& runs) {
    using Key = std::tuple<int, std::string, int, std::string>;
    std::map<Key, std::vector<std::vector<storage::EvaluationRecord>>> found;
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (const auto& e : query.evaluations(runs[i].id)) {
            auto& perRun = found[{metricRank(e.split), e.split, metricRank(e.metric), e.metric}];
            perRun.resize(runs.size());
            perRun[i].push_back(e);
        }
    std::vector<MetricRow> rows;
    for (const auto& [key, perRun] : found) {
        MetricRow row{std::get<1>(key), std::get<3>(key), {}, {}};
        for (const auto& evaluations : perRun) {
            row.damaged.push_back(std::any_of(evaluations.begin(), evaluations.end(), [](const auto& e) { return e.damaged; }));
            const bool isKnown = !evaluations.empty() && !row.damaged.back();
            row.values.push_back(isKnown ? std::optional(summariseMetric(evaluations)) : std::nullopt);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string cell(const Json& value) {
    constexpr std::size_t kWidest = 32;
    if (value.is_null()) return "–";
    return cut(printable(value.is_string() ? value.get<std::string>() : value.dump()), kWidest);
}

template <class Get>
Json column(const MetricRow& row, Get get) {
    Json values = Json::array();
    for (const auto& value : row.values) values.push_back(value ? Json(get(*value)) : Json());
    return values;
}

}  // namespace

Comparison compareRuns(storage::RunQuery& query, const std::vector<storage::RunRecord>& runs, std::size_t baseline) {
    std::vector<Json> specs;
    for (const auto& run : runs) requireWhole(run);
    for (const auto& run : runs)
        specs.push_back(RunSpec::parse(parseJson(run.spec, "run " + run.id), builtinCatalogue()).resolvedJson());
    return {runs, baseline, diffDocuments(specs), metricRows(query, runs)};
}

Json comparisonDocument(const Comparison& comparison, storage::RunQuery& query, const std::string& database) {
    Json runs = Json::array(), differences = Json::array(), metrics = Json::array();
    for (const auto& run : comparison.runs) runs.push_back(runDocument(query, run, database));
    for (const auto& d : comparison.differences) differences.push_back({{"path", d.path}, {"values", d.values}});
    for (const auto& row : comparison.metrics)
        metrics.push_back({{"metric", row.metric},
                           {"split", row.split},
                           {"values", column(row, [](const auto& v) { return v.last; })},
                           {"steps", column(row, [](const auto& v) { return v.lastStep; })},
                           {"best", column(row, [](const auto& v) { return v.best; })},
                           {"best_steps", column(row, [](const auto& v) { return v.bestStep; })},
                           {"damaged", row.damaged},
                           {"n", column(row, [](const auto& v) { return v.n; })},
                           {"signatures", column(row, [](const auto& v) { return v.signature; })}});
    return {{"schema", "heddle.compare/1"},
            {"baseline", comparison.runs[comparison.baseline].id},
            {"runs", runs},
            {"spec_differences", differences},
            {"metrics", metrics}};
}

std::string comparisonText(const Comparison& comparison) {
    std::vector<std::string> head{""};
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
        const auto& run = comparison.runs[i];
        head.push_back((run.name.empty() ? run.id : cut(printable(run.name), 24)) + (i == comparison.baseline ? " *" : ""));
    }
    Table runs(head);
    const auto addRow = [&](const std::string& title, auto get) {
        std::vector<std::string> row{title};
        for (const auto& run : comparison.runs) row.push_back(get(run));
        runs.add(std::move(row));
    };
    addRow("run", [](const auto& run) { return run.id; });
    addRow("state", [](const auto& run) { return run.state; });
    addRow("seed", [](const auto& run) { return std::to_string(run.seed); });
    addRow("parameters", [](const auto& run) { return run.parameters > 0 ? countText(run.parameters) : std::string("?"); });
    addRow("steps", [](const auto& run) { return countText(run.step); });
    const auto isIntervened = [](const auto& run) { return run.intervened >= 0; };
    if (std::any_of(comparison.runs.begin(), comparison.runs.end(), isIntervened))
        addRow("comparable", [&](const auto& run) {
            return isIntervened(run) ? fmt::format("not after step {}", run.intervened) : std::string("yes");
        });
    addRow("time", [](const auto& run) { return durationText(run.seconds); });

    Table metrics(head);
    std::string signatures;
    for (const auto& row : comparison.metrics) {
        if (isPart(row.metric)) continue;
        std::vector<std::string> last{row.split + " " + row.metric}, best{"  best, at step"}, n{"  n"};
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            const auto& value = row.values[i];
            last.push_back(value ? numberText(value->last) : row.damaged[i] ? storage::kDamagedState : "–");
            best.push_back(value ? fmt::format("{}, {}", numberText(value->best), value->bestStep) : "–");
            n.push_back(value ? countText(value->n) : "–");
            if (value && !value->signature.empty()) {
                const std::string line =
                    fmt::format("  {}\n", printable(fmt::format("{} {}: {}", row.split, row.metric, value->signature)));
                if (signatures.find(line) == std::string::npos) signatures += line;
            }
        }
        metrics.add(std::move(last));
        metrics.add(std::move(best));
        metrics.add(std::move(n));
    }
    Table differences(head);
    for (const auto& d : joinLayers(comparison.differences)) {
        std::vector<std::string> row{d.path};
        for (const auto& value : d.values) row.push_back(cell(value));
        differences.add(std::move(row));
    }
    std::vector<std::size_t> numbers;
    for (std::size_t i = 1; i < head.size(); ++i) numbers.push_back(i);
    std::string text = runs.right(numbers).text() + "\nlast values\n" + metrics.right(numbers).text();
    text += "\nspec differences\n" + differences.text() + "\nsignatures\n" + signatures;
    return text + "\n* baseline. One run each: a difference may be the seed's; nothing is tested here.\n";
}

}  // namespace heddle::app
