// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/study_rows.h"

namespace heddle::ui {

RunRef RowsInTable::run(const std::string& row, std::uint64_t seed) const {
    const auto found = runs.find({row, seed});
    return found == runs.end() ? RunRef() : found->second;
}

RowsInTable rowsInTable(const RunTable& table, const app::StudyRuns& runs, int database) {
    std::map<std::string, const RunFacts*> byId;
    for (const RunPointer& run : table.runs)
        if (run->record.ref.database == database) byId[run->record.id] = run.get();
    RowsInTable rows;
    for (const app::PlannedRun& run : runs.planned()) {
        const auto found = byId.find(run.id);
        if (found == byId.end()) continue;
        rows.groups.try_emplace(runs.nameOfRow(run), found->second->record.groupKey);
        rows.runs[{runs.nameOfRow(run), run.spec.seed}] = found->second->record.ref;
    }
    // A run that counts names the group of its row: one that is left out may be of another.
    for (const auto& [row, has] : runs.values())
        for (const auto& [seed, value] : has.values)
            if (const auto run = rows.runs.find({row, seed}); run != rows.runs.end())
                rows.groups[row] = byId.at(run->second.id)->record.groupKey;
    return rows;
}

}  // namespace heddle::ui
