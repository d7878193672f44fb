// SPDX-License-Identifier: Apache-2.0
#include "app/study/unasked_runs.h"

#include "app/study/study_runs.h"
#include "engine/run/run_state.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

/// The experiment of each row, by its first run with a value; `variants`: the hashes of their variants.
std::map<std::string, std::string> experimentsOf(const StudyRuns& runs, storage::RunQuery& query,
                                                 std::set<std::string>& variants) {
    std::map<std::string, std::string> rows;
    for (const PlannedRun& run : runs.planned()) {
        const std::string& row = runs.nameOfRow(run);
        const auto values = runs.values().find(row);
        if (run.id.empty() || rows.contains(row) || values == runs.values().end() ||
            !values->second.values.contains(run.spec.seed))
            continue;
        if (const auto record = query.run(run.id); record && !record->damaged) {
            rows[row] = experimentOf(*record, query);
            variants.insert(record->variantHash);
        }
    }
    return rows;
}

}  // namespace

std::vector<UnaskedRuns> unaskedRuns(const StudyRuns& runs, storage::RunQuery& query) {
    std::set<std::string> variants, asked;
    for (const auto* all : {&runs.planned(), &runs.trials()})
        for (const PlannedRun& run : *all) asked.insert(run.id);
    const auto experiments = experimentsOf(runs, query, variants);
    const std::string completed(name(RunState::Completed));
    std::map<std::string, std::map<std::uint64_t, bool>>
        found;  // by experiment and seed: whether all its runs are in the trash
    for (const storage::RunRecord& run : query.runs()) {
        if (run.damaged || run.state != completed || run.intervened >= 0 || !variants.contains(run.variantHash) ||
            asked.contains(run.id) || run.group.ends_with(kTrialsGroup))
            continue;
        const bool isTrashed = run.trashed > 0;
        const auto [seed, isFirst] = found[experimentOf(run, query)].emplace(run.seed, isTrashed);
        if (!isFirst) seed->second = seed->second && isTrashed;
    }
    std::vector<UnaskedRuns> unasked;
    for (const PlanRow& row : runs.study().rows) {
        const auto experiment = experiments.find(row.name);
        if (experiment == experiments.end() || !found.contains(experiment->second)) continue;
        UnaskedRuns one{row.name, {}, 0};
        for (const auto& [seed, isTrashed] : found.at(experiment->second)) {
            if (runs.values().at(row.name).values.contains(seed)) continue;
            one.seeds.push_back(seed);
            one.trashed += isTrashed ? 1U : 0U;
        }
        if (!one.seeds.empty()) unasked.push_back(std::move(one));
    }
    return unasked;
}

}  // namespace heddle::app
