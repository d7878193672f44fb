// SPDX-License-Identifier: Apache-2.0
#include "app/study/existing_runs.h"

#include "app/study/file_contents.h"
#include "engine/analysis/run_group.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/run/run_state.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/foreign_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace heddle::app {
namespace {

bool isWanted(const ExistingRuns& wanted, const storage::RunRecord& run) {
    switch (wanted.by) {
    case ExistingRuns::By::Group: return run.group == wanted.names.front();
    case ExistingRuns::By::Tag: return contains(run.tags, wanted.names.front());
    case ExistingRuns::By::Ids: break;
    }
    return contains(wanted.names, run.id);
}

std::string wordsOf(const ExistingRuns& wanted) {
    switch (wanted.by) {
    case ExistingRuns::By::Group: return "no run is in the group \"" + wanted.names.front() + "\"";
    case ExistingRuns::By::Tag: return "no run has the tag \"" + wanted.names.front() + "\"";
    case ExistingRuns::By::Ids: break;
    }
    return "there is none of these runs";
}

/// What the runs of one experiment have in common, for each run. A run that has not read its data stands with the newest one of
/// its plan that has.
std::vector<std::string> experimentsOf(const std::vector<storage::RunRecord>& runs, storage::RunQuery& query) {
    std::vector<std::string> keys;
    PlannedGroups groups;
    for (const storage::RunRecord& run : runs) {
        keys.push_back(experimentOf(run, query));
        if (!run.runHash.empty()) groups.add(plannedKey(run.spec), keys.back(), run.created);
    }
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i].runHash.empty()) keys[i] = groups.of(keys[i]);
    return keys;
}

/// The key that most runs have; of equally frequent ones that of the older run. A run that waits has no vote unless all do.
std::string usual(const std::vector<std::string>& keys, const std::vector<storage::RunRecord>& runs) {
    const std::string completed(name(RunState::Completed));
    std::vector<std::string> counted;
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (runs[i].state == completed || !runs[i].runHash.empty()) counted.push_back(keys[i]);
    if (counted.empty()) counted = keys;
    const auto times = [&](const std::string& key) { return std::count(counted.begin(), counted.end(), key); };
    return *std::max_element(counted.begin(), counted.end(),
                             [&](const std::string& a, const std::string& b) { return times(a) < times(b); });
}

PlannedRun asPlanned(const storage::RunRecord& run, const std::string& database) {
    PlannedRun planned;
    try {
        planned.spec = RunSpec::parse(parseJson(run.spec, run.id), builtinCatalogue());
    } catch (const Error&) {  // foreign, or of another version of the program
        planned.hasSpec = false;
    }
    planned.spec.seed = run.seed;
    planned.spec.name = run.name;
    planned.id = run.id;
    planned.state = shownState(run, database);
    planned.times = std::size_t(planned.isDone());
    return planned;
}

void requireAll(const ExistingRuns& wanted, const std::vector<storage::RunRecord>& found, const std::string& row,
                const std::string& file) {
    const std::string where = fmt::format("{}, row \"{}\"", file, row);
    if (found.empty())
        throwInvalid(wordsOf(wanted), where,
                     "correct \"runs\": heddle runs list shows ids, groups and tags; import foreign runs first");
    if (wanted.by != ExistingRuns::By::Ids) return;
    for (const std::string& id : wanted.names)
        if (std::none_of(found.begin(), found.end(), [&](const storage::RunRecord& run) { return run.id == id; }))
            throwInvalid("no run " + id, where, "correct \"ids\": heddle runs list shows complete ids");
}

}  // namespace

std::string experimentOf(const storage::RunRecord& run, storage::RunQuery& query) {
    return groupKey(run.spec, run.runHash, [&] { return recordedDataHashes(query, run.id); });
}

std::vector<ExistingRun> existingRuns(const ExistingRuns& wanted, const std::string& row, const std::string& file,
                                      storage::RunQuery& query, const std::string& database) {
    std::vector<storage::RunRecord> found = query.runs();
    std::erase_if(found, [&](const auto& run) { return run.damaged || run.trashed > 0 || !isWanted(wanted, run); });
    requireAll(wanted, found, row, file);
    const std::vector<std::string> keys = experimentsOf(found, query);
    const std::string most = usual(keys, found);

    std::map<std::uint64_t, std::vector<std::size_t>> bySeed;  // places in `found`
    std::vector<ExistingRun> runs;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (keys[i] == most)
            bySeed[found[i].seed].push_back(i);
        else
            runs.push_back({asPlanned(found[i], database), "has other settings than most runs of this row"});
    }
    const std::string completed(name(RunState::Completed));
    for (const auto& [seed, places] : bySeed) {
        std::vector<GroupMember> members;
        for (const std::size_t i : places)
            members.push_back({found[i].id, seed, found[i].created, found[i].state == completed, found[i].intervened >= 0});
        const auto counted = countedRuns(members);
        const std::size_t chosen = places[counted.empty() ? places.size() - 1 : counted.front()];
        const auto foreign = foreignSpec(found[chosen].spec);
        ExistingRun run{asPlanned(found[chosen], database), "", !foreign || foreign->paired};
        if (found[chosen].intervened >= 0)
            run.why = "interventions changed its training";
        else if (!run.run.isDone())
            run.why = run.run.hasFailed() ? "failed" : "is " + run.run.state;
        runs.push_back(std::move(run));
    }
    std::stable_sort(runs.begin(), runs.end(),
                     [](const ExistingRun& a, const ExistingRun& b) { return a.run.spec.seed < b.run.spec.seed; });
    return runs;
}

}  // namespace heddle::app
