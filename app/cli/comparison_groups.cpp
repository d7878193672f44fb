// SPDX-License-Identifier: Apache-2.0
// Groups of seeds in `heddle compare`.
#include "app/cli/comparison.h"
#include "app/cli/documents.h"
#include "app/cli/terminal.h"
#include "engine/analysis/run_group.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/run/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace heddle::app {
namespace {

/// Named as the studio names them.
void setNames(std::vector<GroupColumn>& groups, const std::vector<storage::RunRecord>& runs,
              const std::vector<ComparedSpec>& specs) {
    std::vector<GroupToName> toName;
    for (const GroupColumn& group : groups) {
        std::vector<std::size_t> byAge = group.runs;
        std::stable_sort(byAge.begin(), byAge.end(), [&](auto a, auto b) { return runs[a].created < runs[b].created; });
        GroupToName& named = toName.emplace_back(GroupToName{group.key, {}, runs[byAge.front()].id});
        for (const std::size_t run : byAge) named.names.push_back(runs[run].name);
    }
    const auto names = groupNames(toName, [&](std::size_t i) {
        const ComparedSpec& spec = specs[groups[i].runs.front()];
        Json document = spec.resolved;
        for (const char* label : {"seed", "name"}) document.erase(label);
        return std::pair(std::move(document), spec.contents);
    });
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i].name = names[i];
}

/// Whether the mean of the group must not be put beside the baseline's value.
bool isDoubted(const GroupColumn& group, const MetricRow& row) {
    return std::any_of(group.counted.begin(), group.counted.end(),
                       [&](std::size_t run) { return !row.doubts[run].empty() || isGiven(row.values[run]); });
}

template <class Value>
std::optional<Spread> spreadAt(const GroupColumn& group, const MetricRow& row, const Value& value) {
    std::vector<double> values;
    for (const std::size_t run : group.counted)
        if (row.values[run]) values.push_back(value(*row.values[run]));
    return values.empty() ? std::nullopt : std::optional(spreadOf(values));
}

Json documentOf(const std::optional<Spread>& spread) {
    if (!spread) return {};
    return {{"mean", spread->mean},
            {"sd", spread->deviation ? Json(*spread->deviation) : Json()},
            {"n", spread->n},
            {"min", spread->low},
            {"max", spread->high}};
}

std::string textOf(const std::optional<Spread>& spread) {
    if (!spread) return "–";
    if (!spread->deviation) return fmt::format("{} (1)", numberText(spread->mean));
    return fmt::format("{} ± {} ({})", numberText(spread->mean), numberText(*spread->deviation), spread->n);
}

}  // namespace

std::vector<GroupColumn> groupsOf(const std::vector<storage::RunRecord>& runs, const std::vector<ComparedSpec>& specs,
                                  const std::vector<MetricRow>& metrics) {
    std::vector<GroupColumn> groups;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.key == specs[i].group; });
        if (same == groups.end()) same = groups.insert(groups.end(), GroupColumn{specs[i].group, "", {}, {}, {}, {}});
        same->runs.push_back(i);
    }
    for (GroupColumn& group : groups) {
        std::vector<GroupMember> members;
        for (const std::size_t run : group.runs)
            members.push_back({runs[run].id, runs[run].seed, runs[run].created, runs[run].state == name(RunState::Completed),
                               runs[run].intervened >= 0});
        for (const std::size_t place : countedRuns(members)) group.counted.push_back(group.runs[place]);
        for (const MetricRow& row : metrics) {
            group.best.push_back(spreadAt(group, row, [](const MetricSummary& value) { return value.best; }));
            group.last.push_back(spreadAt(group, row, [](const MetricSummary& value) { return value.last; }));
        }
    }
    setNames(groups, runs, specs);
    return groups;
}

Json groupsDocument(const Comparison& comparison) {
    Json all = Json::array();
    for (const GroupColumn& group : comparison.groups) {
        Json runs = Json::array(), counted = Json::array(), metrics = Json::array();
        std::set<std::uint64_t> seeds;
        for (const std::size_t run : group.runs) runs.push_back(comparison.runs[run].id);
        for (const std::size_t run : group.counted) {
            counted.push_back(comparison.runs[run].id);
            seeds.insert(comparison.runs[run].seed);
        }
        for (std::size_t i = 0; i < comparison.metrics.size(); ++i)
            metrics.push_back({{"metric", comparison.metrics[i].metric},
                               {"split", comparison.metrics[i].split},
                               {"comparable", !isDoubted(group, comparison.metrics[i])},
                               {"last", documentOf(group.last[i])},
                               {"best", documentOf(group.best[i])}});
        all.push_back({{"group", group.key},
                       {"name", group.name},
                       {"runs", runs},
                       {"counted", counted},
                       {"seeds", seeds},
                       {"metrics", metrics}});
    }
    return all;
}

ExportedTable groupsTable(const Comparison& comparison) {
    ExportedTable table{{""}, {}, 1, "Mean ± standard deviation (seeds) of runs that differ in nothing else."};
    for (const GroupColumn& group : comparison.groups) table.columns.push_back(group.name);
    bool isAnyDoubted = false;
    for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
        const MetricRow& row = comparison.metrics[i];
        if (isPart(row.metric)) continue;
        const std::string name = row.split + " " + row.metric;
        std::vector<std::string> last{name}, best{name + ", best"};
        for (const GroupColumn& group : comparison.groups) {
            const char* const mark = group.last[i] && isDoubted(group, row) ? " †" : "";
            last.push_back(textOf(group.last[i]) + mark);
            best.push_back(textOf(group.best[i]) + mark);
            isAnyDoubted |= *mark != '\0';
        }
        table.rows.push_back(std::move(last));
        table.rows.push_back(std::move(best));
    }
    if (isAnyDoubted) table.note += " † not comparable with the baseline.";
    return table;
}

std::string groupsText(const Comparison& comparison) {
    const auto& groups = comparison.groups;
    if (std::none_of(groups.begin(), groups.end(), [](const auto& group) { return group.counted.size() > 1; })) return {};
    ExportedTable shown = groupsTable(comparison);
    std::vector<std::size_t> numbers;
    for (std::size_t i = 1; i < shown.columns.size(); ++i) {
        shown.columns[i] = cut(printable(shown.columns[i]), 48);
        numbers.push_back(i);
    }
    Table table(shown.columns);
    for (auto& row : shown.rows) table.add(std::move(row));
    return "\ngroups: mean ± standard deviation (seeds) of runs that differ in nothing else\n" + table.right(numbers).text();
}

}  // namespace heddle::app
