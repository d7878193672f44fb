// SPDX-License-Identifier: Apache-2.0
// Groups of seeds in `heddle compare`.
#include "app/cli/comparison.h"
#include "app/cli/documents.h"
#include "app/cli/terminal.h"
#include "engine/analysis/run_group.h"
#include "engine/base/printable.h"
#include "engine/run/run_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace heddle::app {
namespace {

/// "lr 0.01", "valid.source dev.tsv (1f2e3d4c)".
std::string textOf(const Distinction& distinction) {
    std::string value = distinction.value.is_string() ? distinction.value.get<std::string>() : distinction.value.dump();
    if (!distinction.content.empty())
        value = fmt::format("{} ({})", std::filesystem::path(value).filename().string(), distinction.content.substr(0, 8));
    return fmt::format("{} {}", shortPath(distinction.path), value);
}

void nameApart(std::vector<GroupColumn>& groups, const std::vector<ComparedSpec>& specs) {
    std::map<std::string, std::vector<std::size_t>> named;
    for (std::size_t i = 0; i < groups.size(); ++i) named[groups[i].name].push_back(i);
    for (const auto& [name, places] : named) {
        if (places.size() < 2) continue;
        std::vector<Json> documents;
        std::vector<FileContents> contents;
        for (const std::size_t place : places) {
            Json document = specs[groups[place].runs.front()].resolved;
            for (const char* label : {"seed", "name"}) document.erase(label);
            documents.push_back(std::move(document));
            contents.push_back(specs[groups[place].runs.front()].contents);
        }
        const auto apart = setApart(documents, contents);
        for (std::size_t i = 0; i < places.size(); ++i)
            for (const Distinction& distinction : apart[i]) groups[places[i]].name += " · " + textOf(distinction);
    }
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
        std::vector<std::size_t> byAge = group.runs;
        std::stable_sort(byAge.begin(), byAge.end(), [&](auto a, auto b) { return runs[a].created < runs[b].created; });
        std::vector<std::string> names;
        for (const std::size_t run : byAge) names.push_back(runs[run].name);
        group.name = sharedName(names);
        if (group.name.empty()) group.name = runs[group.runs.front()].id;
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
    nameApart(groups, specs);
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

std::string groupsText(const Comparison& comparison) {
    const auto& groups = comparison.groups;
    if (std::none_of(groups.begin(), groups.end(), [](const auto& group) { return group.counted.size() > 1; })) return {};
    std::vector<std::string> head{""};
    std::vector<std::size_t> numbers;
    for (const GroupColumn& group : groups) {
        head.push_back(cut(printable(group.name), 48));
        numbers.push_back(head.size() - 1);
    }
    Table table(head);
    for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
        const MetricRow& row = comparison.metrics[i];
        if (isPart(row.metric)) continue;
        std::vector<std::string> last{row.split + " " + row.metric}, best{"  best"};
        for (const GroupColumn& group : groups) {
            last.push_back(textOf(group.last[i]));
            best.push_back(textOf(group.best[i]));
        }
        table.add(std::move(last));
        table.add(std::move(best));
    }
    return "\ngroups: mean ± standard deviation (seeds) of runs that differ in nothing else\n" + table.right(numbers).text();
}

}  // namespace heddle::app
