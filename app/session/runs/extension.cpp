// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/extension.h"

#include "engine/base/error.h"
#include "engine/run/run_state.h"
#include "engine/spec/schedules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle::app {
namespace {

void requireBeyond(std::optional<std::int64_t> limit, std::int64_t done, const char* option) {
    if (limit && *limit <= done)
        throw Error(ErrorCode::Usage, fmt::format("the run already has {}", done), option, "give a larger number");
}

bool hasReachedLimit(const TrainSpec& train, const storage::RunRecord& run) {
    return (train.steps > 0 && run.step >= train.steps) || (train.epochs > 0 && run.epoch >= train.epochs);
}

bool isEndedByEarlyStopping(const TrainSpec& train, const storage::RunRecord& run) {
    return run.state == name(RunState::Completed) && train.patience > 0 && !hasReachedLimit(train, run) &&
           train.budget.isEmpty();  // the record does not say which of the two ended the run
}

/// The step at which the schedule ends from now on.
std::int64_t endOfSchedule(const TrainSpec& train, const storage::RunRecord& run, const Extension& extension) {
    if (extension.scheduleSteps) return *extension.scheduleSteps;
    if (run.totalSteps > 0) return run.totalSteps;
    throw Error(ErrorCode::Usage, fmt::format("the run does not record the end of its schedule, {}", wordOf(train.schedule)),
                "--schedule-steps", "give the step at which the schedule ends");
}

/// Keeps the end of the schedule, or moves it where the user wants it; returns whether its steps differ from those of a run
/// that has the new limits from the start.
bool settleSchedule(TrainSpec& train, const storage::RunRecord& run, const Extension& extension) {
    const bool follows = endsWithRun(train), isNew = extension.scheduleSteps.has_value();
    if (isNew && !follows && train.scheduleSteps == 0)
        throw Error(ErrorCode::Usage, fmt::format("schedule {} has no end", wordOf(train.schedule)), "--schedule-steps",
                    "leave it out; linear, cosine and wsd have one");
    if (!isNew && !(follows && (extension.epochs || extension.steps))) return false;
    if (run.step == 0 && !isNew) return false;  // no step was taken: the schedule ends with the new limit
    train.scheduleSteps = endOfSchedule(train, run, extension);
    return run.step > 0;
}

}  // namespace

RunSpec extended(RunSpec spec, const storage::RunRecord& run, const Extension& extension) {
    if (run.state == name(RunState::Completed) && run.step == 0)
        throw Error(ErrorCode::Usage, "the run was never trained: its weights were imported", run.id,
                    "start a new run from it: heddle fork " + run.id);
    requireBeyond(extension.epochs, run.epoch, "--epochs");
    requireBeyond(extension.steps, run.step, "--steps");
    TrainSpec& train = spec.train;
    if (!extension.patience && isEndedByEarlyStopping(train, run))
        throw Error(ErrorCode::Usage,
                    fmt::format("early stopping ended the run after {} evaluations without improvement", train.patience),
                    "--patience", "give a larger patience, or 0 for no early stopping");
    const bool isOver = run.state == name(RunState::Completed) || hasReachedLimit(train, run);  // it was evaluated at its end
    const bool isBent = settleSchedule(train, run, extension);
    const bool isNoted = !train.extended.empty() && train.extended.back() == run.step;
    if ((isOver || isBent) && !isNoted) train.extended.push_back(run.step);
    if (extension.epochs || extension.steps) {
        train.epochs = extension.epochs.value_or(0);
        train.steps = extension.steps.value_or(0);
        train.budget = {};
    }
    train.patience = extension.patience.value_or(train.patience);
    return spec;
}

std::string extensionText(const storage::RunRecord& run) {
    const std::vector<std::int64_t> extensions = extensionsIn(run.spec);
    if (extensions.empty()) return "";
    return fmt::format("extended after step{} {}: not the run that these limits give from the start",
                       extensions.size() == 1 ? "" : "s", fmt::join(extensions, ", "));
}

}  // namespace heddle::app
