// SPDX-License-Identifier: Apache-2.0
#include "app/study/planned_runs.h"

#include "app/study/file_contents.h"
#include "engine/analysis/run_group.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"
#include "engine/base/sha256.h"
#include "engine/data/readers/file_content.h"
#include "engine/run/event_words.h"
#include "engine/run/run_state.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"
#include "storage/owner.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

/// What a spec trains: without its name, its device, and where its files lie. Equal texts and equal files mean the same run.
std::string workOf(const RunSpec& spec) { return fmt::format("{} {}", spec.hash({}), spec.seed); }

/// The text of the run without its name, and without the checkpoint that it takes from another run.
std::string workText(const PlannedRun& run, const std::string& device) {
    RunSpec spec = run.spec;
    spec.name.clear();
    spec.train.device = device;
    if (!run.start) return canonicalJson(spec.toJson());
    spec.train.start.checkpoint.clear();
    spec.train.start.weightsSha256.clear();
    const RowStart& from = run.start->from;
    return canonicalJson(Json{{"spec", spec.toJson()},
                              {"from", run.start->run ? Json(run.start->key) : Json::array({from.database, from.row})},
                              {"checkpoint", from.checkpoint}});
}

/// Says of each run of these rows which run it starts from.
class Starts {
public:
    Starts(const std::vector<PlanRow>& rows, std::vector<PlannedRun>& runs) : rows_(rows), runs_(runs) {
        for (std::size_t i = 0; i < runs.size(); ++i) place_[{rows[runs[i].row].name, runs[i].spec.seed}] = i;
    }
    void set(PlannedRun& run, const std::string& base) {
        const auto& from = rows_[run.row].from;
        if (!from || run.start) return;
        PlannedStart start{*from, {}, {}};
        if (from->database.empty()) {
            start.run = place_.at({from->row, run.spec.seed});
            set(runs_[*start.run], base);
            start.key = workKey(runs_[*start.run]);
        } else {
            start.from.database = (fs::path(base) / from->database).lexically_normal().string();
        }
        run.start = std::move(start);
        run.state = kWaitsForStart;
    }

private:
    const std::vector<PlanRow>& rows_;
    std::vector<PlannedRun>& runs_;
    std::map<std::pair<std::string, std::uint64_t>, std::size_t> place_;  ///< by the row's name and the seed
};

void requireOnce(const std::vector<PlannedRun>& runs, const std::string& file) {
    std::map<std::string, std::string> names;
    for (const PlannedRun& run : runs) {
        const auto [other, isNew] = names.try_emplace(workText(run, "auto"), run.spec.name);
        if (isNew) continue;
        throwInvalid(other->second == run.spec.name ? "two rows are the same run: " + run.title()
                                                    : fmt::format("two rows are the same run under two names: {} and {}",
                                                                  printable(other->second), run.title()),
                     file, "remove one of them, or change its settings or seeds");
    }
}

}  // namespace

std::string PlannedRun::title() const { return fmt::format("{}, seed {}", printable(spec.name), spec.seed); }

std::string workKey(const PlannedRun& run) {
    constexpr std::size_t kDigits = 16;
    return sha256Hex(workText(run, run.spec.train.device)).substr(0, kDigits);
}

bool PlannedRun::isDone() const { return state == name(RunState::Completed); }

bool PlannedRun::hasFailed() const { return state == name(RunState::Failed); }

bool PlannedRun::isUnfinished() const {
    const auto known = runStateFromName(state);
    return known && !isFinal(*known);
}

std::vector<PlannedRun> plannedRuns(std::vector<PlanRow> rows, const std::string& file, const std::string& device) {
    const std::string base = fs::absolute(file).parent_path().string();
    requireStarts(rows, file);
    std::vector<PlannedRun> runs;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!device.empty()) rows[row].set.push_back("train.device=" + Json(device).dump());
        for (RunSpec& spec : runsOf(rows[row], builtinCatalogue(), base)) runs.push_back({std::move(spec), row, "", "new"});
    }
    Starts starts(rows, runs);
    for (PlannedRun& run : runs) starts.set(run, base);
    requireOnce(runs, file);
    return runs;
}

KnownRuns::KnownRuns(storage::RunQuery& query, const std::string& database) : query_(query), database_(database) {
    for (storage::RunRecord& run : query.runs()) {
        if (run.damaged || run.trashed > 0 || run.intervened >= 0) continue;
        try {
            RunSpec spec = RunSpec::parse(parseJson(run.spec, run.id), builtinCatalogue());
            const std::string work = workOf(spec);
            known_[work].push_back({std::move(run), std::move(spec)});
        } catch (const Error&) {  // of another version of the program
        }
    }
}

bool KnownRuns::isSame(const RunSpec& wanted, const Known& known) {
    const StartSpec &start = wanted.train.start, &started = known.spec.train.start;
    if (start.checkpoint.empty() != started.checkpoint.empty()) return false;
    if (start.checkpoint != started.checkpoint && start.weightsSha256.empty()) return false;  // else the weights are the same
    const auto now = namedFiles(wanted.toJson()), then = namedFiles(known.spec.toJson());
    if (now.size() != then.size()) return false;
    std::optional<FileContents> trained;  // read where a file has moved
    return std::all_of(now.begin(), now.end(), [&](const NamedFile& file) {
        const auto before =
            std::find_if(then.begin(), then.end(), [&](const NamedFile& one) { return one.setting == file.setting; });
        if (before == then.end()) return false;
        if (before->path == file.path) return true;
        if (!trained) trained = fileContents(known.spec, recordedDataHashes(query_, known.run.id));
        const auto contents = trained->find(file.setting);
        return contents != trained->end() && contents->second == contentOf(file.role, file.path);
    });
}

void KnownRuns::find(std::vector<PlannedRun>& planned) {
    const std::string completed(name(RunState::Completed));
    for (PlannedRun& run : planned) {
        run.id.clear();
        run.state = "new";
        run.times = 0;
        run.first.clear();
        if (run.waitsForStart()) {
            run.state = kWaitsForStart;
            continue;
        }
        const auto found = known_.find(workOf(run.spec));
        if (found == known_.end()) continue;
        const Known* best = nullptr;
        for (const Known& known : found->second) {
            if (!isSame(run.spec, known)) continue;
            if (known.run.state == completed && run.times++ == 0) run.first = known.run.id;
            if (!best || best->run.state != completed || known.run.state == completed) best = &known;
        }
        if (!best) continue;
        run.id = best->run.id;
        run.state = shownState(best->run, database_);
    }
}

void findRuns(std::vector<PlannedRun>& planned, storage::RunQuery& query, const std::string& database) {
    KnownRuns(query, database).find(planned);
}

std::string shownState(const storage::RunRecord& run, const std::string& database) {
    return isActive(run.state) && storage::currentOwner(database).empty() ? std::string(name(RunState::Interrupted))
                                                                          : run.state;
}

bool hasDiverged(storage::RunQuery& query, const std::string& run) {
    bool diverged = false;
    for (const auto& event : query.events(run))
        if (event.kind == "failure" && !event.data.empty())
            diverged = exitCodeIn(event.data) == static_cast<int>(ErrorCode::Diverged);
    return diverged;
}

}  // namespace heddle::app
