// SPDX-License-Identifier: Apache-2.0
#include "app/cli/launchers.h"

#include "app/cli/signals.h"
#include "app/cli/train_planned.h"
#include "app/launch/slurm_launcher.h"
#include "engine/base/error.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <chrono>
#include <ostream>
#include <utility>

namespace heddle::app {
namespace {

constexpr const char *kLocal = "local", *kSlurm = "slurm";

/// The first option that only Slurm has; empty: none is given.
std::string slurmOptionIn(const LauncherOptions& options) {
    if (!options.partition.empty()) return "--partition";
    if (!options.gres.empty()) return "--gres";
    if (!options.time.empty()) return "--time";
    if (options.arrayLimit) return "--array-limit";
    if (!options.sbatch.empty()) return "--sbatch";
    if (!options.scratch.empty()) return "--scratch";
    if (options.poll) return "--poll";
    if (options.noWait) return "--no-wait";
    return options.cancel ? "--cancel" : "";
}

/// A Slurm launcher that ends its watch at a signal of the user.
class SignalledLauncher final : public Launcher {
public:
    SignalledLauncher(SlurmLauncher::Place place, SlurmOptions options)
        : slurm_(watched(std::move(place)), std::move(options)) {}
    void require(const std::vector<PlannedRun>& planned) const override { slurm_.require(planned); }
    int train(std::vector<PlannedRun*> due, const std::string& group) override { return slurm_.train(std::move(due), group); }

private:
    SlurmLauncher::Place watched(SlurmLauncher::Place place) {
        place.stopCode = [this] {
            const int signal = signals_.received();
            return signal == 0 ? 0 : SignalWatch::exitCode(signal);
        };
        return place;
    }
    SignalWatch signals_;
    SlurmLauncher slurm_;
};

std::unique_ptr<Launcher> slurmLauncher(const LauncherOptions& options, const std::string& command, const Context& context) {
    SlurmOptions slurm{options.partition, options.gres, options.time, options.arrayLimit, options.sbatch, options.scratch};
    if (options.poll) slurm.poll = std::chrono::milliseconds(std::int64_t(*options.poll * 1000));
    if (options.noWait) slurm.after = SlurmOptions::After::Return;
    const auto say = [&context](const std::string& text) { context.err << text << "\n" << std::flush; };
    return std::make_unique<SignalledLauncher>(SlurmLauncher::Place{context.database, command, say, {}}, std::move(slurm));
}

}  // namespace

void addLauncherOptions(CommandBuilder& command, LauncherOptions& options) {
    command.jobs(options.jobs)
        .option("--launcher", options.launcher, "NAME",
                "local (default): in this process; slurm: as job arrays (resources/help/cluster.md)")
        .option("--partition", options.partition, "NAME", "slurm: the partition; default: SBATCH_PARTITION, else the cluster's")
        .option("--gres", options.gres, "LIST", "slurm: what each job needs: gpu:1")
        .option("--time", options.time, "TIME",
                "slurm: the longest time of a job; a minute before, it writes a checkpoint and goes back into the queue")
        .option("--array-limit", options.arrayLimit, "N", "slurm: run at most N jobs at once")
        .option("--sbatch", options.sbatch, "OPTION", "slurm: an option of sbatch; may be given several times")
        .option("--scratch", options.scratch, "DIR",
                "slurm: train in this folder of the node, and copy the run's database back at the end of the job")
        .option("--poll", options.poll, "SECONDS", "slurm: ask for the state of jobs at this interval (default: 15)")
        .flag("--no-wait", options.noWait,
              "slurm: merge what has ended, submit what is due, and end; exit code 75 while something is left to do")
        .flag("--cancel", options.cancel, "slurm: cancel the jobs of this file; what they have trained stays");
}

void requireLauncherOptions(const LauncherOptions& options, const std::string& command) {
    const std::string where = "heddle " + command;
    if (options.launcher != kLocal && options.launcher != kSlurm)
        throwUsage(fmt::format("unknown launcher \"{}\"", options.launcher), where + " --launcher", "use local or slurm");
    if (options.launcher == kLocal) {
        if (const std::string option = slurmOptionIn(options); !option.empty())
            throwUsage(option + " is an option for jobs of Slurm", where,
                       "remove it, or train with --launcher slurm (resources/help/cluster.md)");
        return;
    }
    if (options.jobs)
        throwUsage("--jobs is how many runs train at once in this process", where, "use --array-limit with --launcher slurm");
    if (options.arrayLimit && *options.arrayLimit < 1)
        throwUsage("--array-limit must be 1 or more", fmt::format("{} --array-limit {}", where, *options.arrayLimit),
                   "omit it for no limit");
    constexpr double kSlowest = 3600;
    if (options.poll && !(*options.poll >= 0.1 && *options.poll <= kSlowest))
        throwUsage("--poll must be 0.1 to 3600 seconds", fmt::format("{} --poll {}", where, *options.poll), "omit it for 15");
}

std::unique_ptr<Launcher> makeLauncher(const LauncherOptions& options, const std::string& command, const Context& context) {
    return options.launcher == kSlurm ? slurmLauncher(options, command, context)
                                      : localLauncher(command, options.jobs, context);
}

int cancelJobs(const std::vector<std::string>& groups, const Context& context) {
    const std::size_t cancelled = cancelSlurmRuns(context.database, groups);
    context.print(
        {{"schema", "heddle.cancelled/1"}, {"jobs", cancelled}},
        fmt::format("{} job{} cancelled; the same command without --cancel goes on\n", cancelled, cancelled == 1 ? "" : "s"));
    return 0;
}

}  // namespace heddle::app
