// SPDX-License-Identifier: Apache-2.0
#include "app/cli/train_planned.h"

#include "app/cli/follow.h"
#include "app/study/planned_runs.h"
#include "engine/base/error.h"
#include "engine/base/threads.h"
#include "engine/run/engine.h"
#include "storage/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

namespace heddle::app {

namespace {

/// Throws Error(Usage) if `asked` runs (by default 1) cannot train at once.
void requireJobs(const std::optional<std::int64_t>& asked, const std::vector<PlannedRun>& planned, const Context& context) {
    const std::int64_t jobs = asked.value_or(1);
    if (jobs < 1) throwUsage("--jobs must be 1 or more", fmt::format("--jobs {}", jobs), "omit it for one run at a time");
    if (jobs == 1) return;
    const auto devices = context.engine()->devices();
    const bool hasGpu =
        std::any_of(devices.begin(), devices.end(), [](const DeviceInfo& one) { return one.id.starts_with("cuda"); });
    const std::int64_t cores = physicalCores();
    for (const PlannedRun& run : planned) {
        if (run.isDone()) continue;
        const std::string where = run.title();
        const std::string& device = run.spec.train.device;
        if (device.starts_with("cuda") || (device == "auto" && hasGpu))
            throwUsage("a GPU trains one run at a time", where, "remove --jobs, or train on the CPU: --device cpu");
        const std::int64_t threads = run.spec.train.threads > 0 ? run.spec.train.threads : cores;
        if (jobs > cores / threads)
            throwUsage(
                fmt::format("{} runs at once with {} threads each exceed the {} cores of this machine", jobs, threads, cores),
                where,
                cores < jobs
                    ? fmt::format("give --jobs {} or fewer", cores)
                    : fmt::format(
                          "set train.threads={} or fewer in every row; --jobs does not change it, because results depend on it",
                          cores / jobs));
    }
}

void requireNoOtherOwner(const std::vector<PlannedRun>& planned, const std::string& database) {
    const auto taken = std::find_if(planned.begin(), planned.end(), [](const auto& run) { return run.isUnfinished(); });
    if (taken == planned.end() || storage::currentOwner(database).empty()) return;
    throw Error(ErrorCode::Failure, "another process is training or has queued a run of this plan", taken->id,
                "wait for it, or stop it");
}

class LocalLauncher final : public Launcher {
public:
    LocalLauncher(std::string command, std::optional<std::int64_t> jobs, const Context& context)
        : command_(std::move(command)), jobs_(jobs), context_(context) {}

    void require(const std::vector<PlannedRun>& planned) const override {
        requireNoOtherOwner(planned, context_.database);
        context_.engine();
        requireJobs(jobs_, planned, context_);
    }

    int train(std::vector<PlannedRun*> due, const std::string& group) override {
        context_.engine();  // if there is no engine, this throws before a run is created
        std::erase_if(due, [](const PlannedRun* run) { return run->isDone() || run->waitsForStart(); });
        const auto jobs = static_cast<std::size_t>(jobs_.value_or(1));
        const RunLabels labels{group, {}};
        std::size_t next = 0;
        const auto begin = [&](RunSession& session) -> std::optional<std::string> {
            if (next == due.size()) return std::nullopt;
            PlannedRun& run = *due[next++];
            run.wasBegun = true;
            context_.err << fmt::format("{} of {}: {}\n", next, due.size(), run.title());
            if (run.id.empty()) return run.id = session.submit(run.spec, labels);
            session.resume(run.id);
            return run.id;
        };
        return followRuns(context_, openSession(context_, command_, "", jobs), begin, jobs);
    }

private:
    std::string command_;
    std::optional<std::int64_t> jobs_;
    const Context& context_;
};

}  // namespace

std::unique_ptr<Launcher> localLauncher(const std::string& command, const std::optional<std::int64_t>& jobs,
                                        const Context& context) {
    return std::make_unique<LocalLauncher>(command, jobs, context);
}

}  // namespace heddle::app
