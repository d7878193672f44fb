// SPDX-License-Identifier: Apache-2.0
#include "app/cli/comparison.h"

#include "app/cli/documents.h"
#include "app/cli/terminal.h"
#include "app/session/runs/find_run.h"
#include "app/study/file_contents.h"
#include "engine/analysis/run_group.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"
#include "engine/spec/foreign_spec.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/task_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
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
        MetricRow row{std::get<1>(key), std::get<3>(key), {}, {}, {}};
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

/// The name of a file without its folder.
Json fileName(const Json& path) {
    return path.is_string() ? Json(std::filesystem::path(path.get<std::string>()).filename().string()) : path;
}

ComparedSpec comparedSpec(storage::RunQuery& query, const storage::RunRecord& run) {
    if (const auto foreign = foreignSpec(run.spec)) return {foreign->settings(), {}, foreign->groupKey()};
    const auto spec = RunSpec::parse(parseJson(run.spec, "run " + run.id), builtinCatalogue());
    std::vector<std::string> hashes = run.runHash.empty() ? std::vector<std::string>() : recordedDataHashes(query, run.id);
    return {spec.resolvedJson(), fileContents(spec, hashes), groupKey(run.spec, run.runHash, [&] { return hashes; })};
}

/// Finds the values that were measured on another number of items, by another rule or on other data than the baseline's; than
/// those of the first run that has some, where the baseline has none.
void findDoubts(MetricRow& row, const std::vector<ComparedSpec>& specs, std::size_t baseline) {
    const auto measured = [&](std::size_t run) {
        return Measured{row.values[run]->n, row.values[run]->signature, splitContent(specs[run].contents, row.split)};
    };
    row.doubts.resize(row.values.size());
    const auto first = std::find_if(row.values.begin(), row.values.end(), [](const auto& value) { return value.has_value(); });
    if (first == row.values.end()) return;
    const Measured reference = measured(row.values[baseline] ? baseline : static_cast<std::size_t>(first - row.values.begin()));
    for (std::size_t run = 0; run < row.values.size(); ++run)
        if (row.values[run]) row.doubts[run] = unlike(measured(run), reference);
}

std::string titleOfRow(const storage::RunRecord& run) { return run.name.empty() ? run.id : run.name; }

/// "test bleu of short: n differs (10)", for every value that must not be put beside the baseline's.
std::vector<std::string> warningsOf(const Comparison& comparison) {
    std::vector<std::string> warnings;
    for (const MetricRow& row : comparison.metrics)
        for (std::size_t run = 0; run < row.values.size(); ++run) {
            if (isGiven(row.values[run]))
                warnings.push_back(fmt::format("{} {} of {} is no measure: the model sees the word that it is to predict",
                                               row.split, row.metric, titleOfRow(comparison.runs[run])));
            if (row.doubts[run].empty()) continue;
            std::vector<std::string> reasons;
            for (const Unlike doubt : row.doubts[run]) reasons.push_back(reasonOf(doubt));
            warnings.push_back(fmt::format("{} {} of {} cannot be compared: {}", row.split, row.metric,
                                           titleOfRow(comparison.runs[run]), fmt::join(reasons, ", ")));
        }
    return warnings;
}

template <class Get>
Json column(const MetricRow& row, Get get) {
    Json values = Json::array();
    for (const auto& value : row.values) values.push_back(value ? Json(get(*value)) : Json());
    return values;
}

std::string differencesText(const Comparison& comparison, const std::vector<std::string>& head) {
    Table table(head);
    for (const auto& d : joinLayers(comparison.differences)) {
        std::vector<std::string> row{d.path};
        for (std::size_t i = 0; i < d.values.size(); ++i)
            row.push_back(d.contents.empty() ? cell(d.values[i])
                                             : fmt::format("{} ({})", cell(fileName(d.values[i])), d.contents[i].substr(0, 8)));
        table.add(std::move(row));
    }
    return table.text();
}

}  // namespace

bool isGiven(const std::optional<MetricSummary>& value) { return value && value->signature.ends_with(kVisibleAnswer); }

Comparison compareRuns(storage::RunQuery& query, const std::vector<storage::RunRecord>& runs, std::size_t baseline) {
    std::vector<ComparedSpec> specs;
    for (const auto& run : runs) requireWhole(run);
    for (const auto& run : runs) specs.push_back(comparedSpec(query, run));
    std::vector<Json> documents;
    std::vector<FileContents> contents;
    for (const ComparedSpec& spec : specs) {
        documents.push_back(spec.resolved);
        contents.push_back(spec.contents);
    }
    Comparison comparison{runs, baseline, diffDocuments(documents, contents), metricRows(query, runs), {}};
    for (MetricRow& row : comparison.metrics) findDoubts(row, specs, baseline);
    comparison.groups = groupsOf(runs, specs, comparison.metrics);
    return comparison;
}

Json comparisonDocument(const Comparison& comparison, storage::RunQuery& query, const std::string& database) {
    Json runs = Json::array(), differences = Json::array(), metrics = Json::array();
    for (const auto& run : comparison.runs) runs.push_back(runDocument(query, run, database));
    for (const auto& d : comparison.differences) {
        differences.push_back({{"path", d.path}, {"values", d.values}});
        if (!d.contents.empty()) differences.back()["sha256"] = d.contents;
    }
    for (const auto& row : comparison.metrics) {
        Json comparable = Json::array();
        for (const auto& doubts : row.doubts) comparable.push_back(doubts.empty());
        metrics.push_back({{"metric", row.metric},
                           {"split", row.split},
                           {"values", column(row, [](const auto& v) { return v.last; })},
                           {"steps", column(row, [](const auto& v) { return v.lastStep; })},
                           {"best", column(row, [](const auto& v) { return v.best; })},
                           {"best_steps", column(row, [](const auto& v) { return v.bestStep; })},
                           {"comparable", comparable},
                           {"damaged", row.damaged},
                           {"n", column(row, [](const auto& v) { return v.n; })},
                           {"signatures", column(row, [](const auto& v) { return v.signature; })}});
    }
    return {{"schema", "heddle.compare/1"},
            {"baseline", comparison.runs[comparison.baseline].id},
            {"runs", runs},
            {"spec_differences", differences},
            {"metrics", metrics},
            {"groups", groupsDocument(comparison)},
            {"warnings", warningsOf(comparison)}};
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
            const char* const mark = row.doubts[i].empty() && !isGiven(value) ? "" : " †";
            last.push_back(value ? numberText(value->last) + mark : row.damaged[i] ? storage::kDamagedState : "–");
            best.push_back(value ? fmt::format("{}, {}{}", numberText(value->best), value->bestStep, mark) : "–");
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
    std::vector<std::size_t> numbers;
    for (std::size_t i = 1; i < head.size(); ++i) numbers.push_back(i);
    std::string text = runs.right(numbers).text() + "\nlast values\n" + metrics.right(numbers).text();
    for (const std::string& warning : warningsOf(comparison)) text += "† " + printable(warning) + "\n";
    text += groupsText(comparison);
    text += "\nspec differences\n" + differencesText(comparison, head) + "\nsignatures\n" + signatures;
    return text + "\n* baseline. A difference may be the seed's; nothing is tested here.\n";
}

}  // namespace heddle::app
