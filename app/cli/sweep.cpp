// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/documents.h"
#include "app/cli/launchers.h"
#include "app/cli/terminal.h"
#include "app/cli/train_planned.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
    std::string plan, device;
    LauncherOptions launcher;
    bool dryRun = false;
};

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

int sweep(const SweepOptions& options, const Context& context) {
    const LauncherOptions& launcher = options.launcher;
    if (launcher.jobs && options.dryRun)
        throwUsage("--jobs is how many runs train at once, and --dry-run trains none",
                   fmt::format("heddle sweep --jobs {}", *launcher.jobs), "leave one of them out");
    requireLauncherOptions(launcher, "sweep");
    const std::string group = "sweep/" + fs::path(options.plan).stem().string();
    if (launcher.cancel) return cancelJobs({group}, context);
    std::vector<PlannedRun> planned =
        plannedRuns(Plan::parse(readJsonFile(options.plan), options.plan).rows, options.plan, options.device);
    const auto refresh = [&] {
        if (fs::exists(context.database)) findRuns(planned, *openDatabase(context), context.database);
    };
    refresh();
    int code = 0;
    if (!options.dryRun) {
        requireUsable(planned);
        std::vector<PlannedRun*> due;
        for (PlannedRun& run : planned) due.push_back(&run);
        const auto chosen = makeLauncher(launcher, "sweep", context);
        chosen->require(planned);
        code = chosen->train(due, group);
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
