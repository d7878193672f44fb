// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/follow.h"
#include "app/cli/spec_source.h"
#include "app/cli/terminal.h"
#include "engine/base/error.h"
#include "engine/base/printable.h"
#include "engine/run/run_state.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
    std::string plan, device;
    bool dryRun = false;
};

/// A run of the plan, and the run of the database that has its spec.
struct PlannedRun {
    RunSpec spec;
    std::string id;     ///< empty: it has not begun
    std::string state;  ///< of that run, or "new"
    bool isDone() const { return state == name(RunState::Completed); }
    /// Queued or active.
    bool isUnfinished() const {
        const auto known = runStateFromName(state);
        return known && !isFinal(*known);
    }
};

/// The spec without its device, as text. Equal keys mean the same run.
std::string keyOf(RunSpec spec) {
    spec.train.device = "auto";
    return canonicalJson(spec.toJson());
}

/// Refuses a plan whose rows name the same run twice: it would be trained twice.
void requireDifferent(const std::vector<PlannedRun>& runs, const std::string& plan) {
    std::set<std::string> keys;
    for (const PlannedRun& run : runs)
        if (!keys.insert(keyOf(run.spec)).second)
            throw Error(ErrorCode::InvalidInput,
                        fmt::format("two rows are the same run: {}, seed {}", printable(run.spec.name), run.spec.seed), plan,
                        "leave one of them out, or change its settings, name or seeds");
}

std::vector<PlannedRun> readPlan(const SweepOptions& options) {
    Plan plan = Plan::parse(readJsonFile(options.plan), options.plan);
    const std::string base = fs::absolute(options.plan).parent_path().string();
    std::vector<PlannedRun> runs;
    for (PlanRow& row : plan.rows) {
        if (!options.device.empty()) row.set.push_back("train.device=" + Json(options.device).dump());
        for (RunSpec& spec : runsOf(row, builtinCatalogue(), base)) {
            requireUsable(spec);
            runs.push_back({std::move(spec), "", "new"});
        }
    }
    requireDifferent(runs, options.plan);
    return runs;
}

/// Finds the runs that an earlier sweep began, the newest of those with equal keys. Ignores runs in the trash and runs whose
/// training was intervened in.
void findRuns(std::vector<PlannedRun>& planned, storage::RunQuery& query, const std::string& database) {
    std::map<std::string, storage::RunRecord> known;
    for (storage::RunRecord& run : query.runs()) {
        if (run.damaged || run.trashed > 0 || run.intervened >= 0) continue;
        try {
            known[keyOf(RunSpec::parse(parseJson(run.spec, run.id), builtinCatalogue()))] = std::move(run);
        } catch (const Error&) {  // of another version of the program
        }
    }
    for (PlannedRun& run : planned)
        if (const auto found = known.find(keyOf(run.spec)); found != known.end()) {
            run.id = found->second.id;
            run.state = shownState(found->second, database);
        }
}

Json documentsOf(const std::vector<PlannedRun>& planned) {
    Json runs = Json::array();
    for (const PlannedRun& run : planned)
        runs.push_back({{"run", run.id.empty() ? Json() : Json(run.id)},
                        {"name", run.spec.name},
                        {"seed", run.spec.seed},
                        {"state", run.state},
                        {"variant_hash", run.spec.variant.hash()},
                        {"spec", run.spec.toJson()}});
    return runs;
}

void print(const SweepOptions& options, const std::vector<PlannedRun>& planned, const Context& context) {
    if (context.json)
        return context.print({{"schema", "heddle.sweep/1"}, {"plan", options.plan}, {"runs", documentsOf(planned)}});
    Table table({"name", "seed", "device", "trains", "state", "run"});
    for (const PlannedRun& run : planned) {
        const TrainSpec& train = run.spec.train;
        table.add({cut(printable(run.spec.name), 32), std::to_string(run.spec.seed), train.device,
                   train.steps > 0 ? fmt::format("{} steps", train.steps) : fmt::format("{} epochs", train.epochs), run.state,
                   run.id.empty() ? "–" : run.id});
    }
    context.out << table.right({1}).text();
}

/// Starts and resumes what is not done, in the order of the plan; a run that fails does not stop the others.
int train(std::vector<PlannedRun>& planned, const SweepOptions& options, const Context& context) {
    context.engine();  // fails before a run is created that could not be trained
    const RunLabels labels{"sweep/" + fs::path(options.plan).stem().string(), {}};
    std::size_t next = 0;
    return followRuns(context, openSession(context, "sweep", ""), [&](RunSession& session) -> std::optional<std::string> {
        while (next < planned.size() && planned[next].isDone()) ++next;
        if (next == planned.size()) return std::nullopt;
        PlannedRun& run = planned[next++];
        context.err << fmt::format("{} of {}: {}, seed {}\n", next, planned.size(), printable(run.spec.name), run.spec.seed);
        if (run.id.empty()) return run.id = session.submit(run.spec, labels);
        session.resume(run.id);
        return run.id;
    });
}

int sweep(const SweepOptions& options, const Context& context) {
    std::vector<PlannedRun> planned = readPlan(options);
    const auto refresh = [&] {
        if (fs::exists(context.database)) findRuns(planned, *openDatabase(context), context.database);
    };
    refresh();
    int code = 0;
    if (!options.dryRun) {
        const auto taken = std::find_if(planned.begin(), planned.end(), [](const auto& run) { return run.isUnfinished(); });
        if (taken != planned.end() && !storage::currentOwner(context.database).empty())
            throw Error(ErrorCode::Failure, "another process trains a run of this plan or has it in its queue", taken->id,
                        "wait for it, or stop it there");
        code = train(planned, options, context);
        refresh();
    }
    print(options, planned, context);
    if (code != 0 || options.dryRun) return code;
    const bool isWhole = std::all_of(planned.begin(), planned.end(), [](const auto& run) { return run.isDone(); });
    return isWhole ? 0 : static_cast<int>(ErrorCode::Failure);
}

}  // namespace

void addSweep(CommandBuilder& root) {
    auto o = std::make_shared<SweepOptions>();
    root.command("sweep", "Train every run of a plan: variants, settings and seeds; given again, it goes on where it ended")
        .positional("PLAN", o->plan, "A file that the studio saved (Compose, Save as sweep), or one like it")
        .option("--device", o->device, "DEVICE", "auto, cpu, cuda or cuda:N, for all of them")
        .flag("--dry-run", o->dryRun, "Say which runs there are and which are done; train nothing")
        .examples(
            "heddle sweep plan.json --dry-run\n"
            "heddle sweep plan.json --db experiments.heddle\n"
            "heddle sweep plan.json --json")
        .action([o](Context& context) { return sweep(*o, context); });
}

}  // namespace heddle::app
