// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/launchers.h"
#include "app/cli/terminal.h"
#include "app/launch/plan_starts.h"
#include "app/launch/planned_sweep.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

struct SweepOptions {
    std::string plan, device;
    LauncherOptions launcher;
    bool dryRun = false;
};

/// The row and the checkpoint that a run starts from; `run`: the id there, if it is known.
Json startOf(const PlannedRun& run, const std::vector<PlannedRun>& planned) {
    if (!run.start) return nullptr;
    const RowStart& from = run.start->from;
    const std::string id = run.start->run ? planned[*run.start->run].id : "";
    return {{"row", from.row},
            {"checkpoint", from.checkpoint},
            {"database", from.database.empty() ? Json() : Json(from.database)},
            {"run", id.empty() ? Json() : Json(id)}};
}

Json documentsOf(const std::vector<PlannedRun>& planned) {
    Json runs = Json::array();
    for (const PlannedRun& run : planned)
        runs.push_back({{"run", run.id.empty() ? Json() : Json(run.id)},
                        {"name", run.spec.name},
                        {"seed", run.spec.seed},
                        {"state", run.state},
                        {"from", startOf(run, planned)},
                        {"variant_hash", run.spec.variant.hash()},
                        {"spec", run.spec.toJson()}});
    return runs;
}

void print(const SweepOptions& options, const std::vector<PlannedRun>& planned, const Context& context) {
    if (context.json)
        return context.print({{"schema", "heddle.sweep/1"}, {"plan", options.plan}, {"runs", documentsOf(planned)}});
    const bool hasStarts = std::any_of(planned.begin(), planned.end(), [](const auto& run) { return run.start.has_value(); });
    std::vector<std::string> titles{"name", "seed", "device", "trains", "state", "run"};
    if (hasStarts) titles.insert(titles.begin() + 2, "from");
    Table table(titles);
    for (const PlannedRun& run : planned) {
        const TrainSpec& train = run.spec.train;
        std::vector<std::string> cells{
            cut(printable(run.spec.name), 32),
            std::to_string(run.spec.seed),
            train.device,
            train.steps > 0 ? fmt::format("{} steps", train.steps) : fmt::format("{} epochs", train.epochs),
            run.state,
            run.id.empty() ? "–" : run.id};
        if (hasStarts) cells.insert(cells.begin() + 2, run.start ? cut(startText(run), 32) : "–");
        table.add(std::move(cells));
    }
    context.out << table.right({1}).text();
}

int sweep(const SweepOptions& options, const Context& context) {
    const LauncherOptions& launcher = options.launcher;
    if (launcher.jobs && options.dryRun)
        throwUsage("--jobs is how many runs train at once, and --dry-run trains none",
                   fmt::format("heddle sweep --jobs {}", *launcher.jobs), "leave one of them out");
    requireLauncherOptions(launcher, "sweep");
    const std::string group = groupOfSweep(options.plan);
    if (launcher.cancel) return cancelJobs({group}, context);
    PlannedSweep sweep(plannedRuns(Plan::parse(readJsonFile(options.plan), options.plan).rows, options.plan, options.device),
                       {context.database, [&context] { return openDatabase(context); },
                        [&context](const auto& text) { context.err << text << "\n"; }});
    const int code = options.dryRun ? 0 : sweep.train(*makeLauncher(launcher, "sweep", context), group);
    print(options, sweep.runs(), context);
    if (code != 0 || options.dryRun) return code;
    return sweep.isWhole() ? 0 : static_cast<int>(ErrorCode::Failure);
}

}  // namespace

void addSweep(CommandBuilder& root) {
    auto o = std::make_shared<SweepOptions>();
    auto command = root.command(
        "sweep", "Train every run of a plan: variants, settings and seeds; given again, it goes on where it ended");
    command.positional("PLAN", o->plan, "A file that the studio saved (Compose, Save as sweep), or one like it")
        .device(o->device, ", for all of them");
    addLauncherOptions(command, o->launcher);
    command.flag("--dry-run", o->dryRun, "Say which runs there are and which are done; train nothing")
        .examples(
            "heddle sweep plan.json --dry-run\n"
            "heddle sweep plan.json --db experiments.heddle\n"
            "heddle sweep plan.json --launcher slurm --gres gpu:1 --time 4:00:00\n"
            "heddle sweep plan.json --json")
        .action([o](Context& context) { return sweep(*o, context); });
}

}  // namespace heddle::app
