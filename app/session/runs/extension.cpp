// SPDX-License-Identifier: Apache-2.0
#include "app/session/runs/extension.h"

#include "engine/base/error.h"
#include "engine/run/run_state.h"

#include <fmt/format.h>

namespace heddle::app {
namespace {

void requireBeyond(std::optional<std::int64_t> limit, std::int64_t done, const char* option) {
    if (limit && *limit <= done)
        throw Error(ErrorCode::Usage, fmt::format("the run has {} already", done), option, "give a larger number");
}

bool isEndedByEarlyStopping(const TrainSpec& train, const storage::RunRecord& run) {
    const bool hasReachedLimit =
        (train.steps > 0 && run.step >= train.steps) || (train.epochs > 0 && run.epoch >= train.epochs);
    return run.state == name(RunState::Completed) && train.patience > 0 && !hasReachedLimit;
}

}  // namespace

RunSpec extended(RunSpec spec, const storage::RunRecord& run, const Extension& extension) {
    requireBeyond(extension.epochs, run.epoch, "--epochs");
    requireBeyond(extension.steps, run.step, "--steps");
    TrainSpec& train = spec.train;
    if (!extension.patience && isEndedByEarlyStopping(train, run))
        throw Error(ErrorCode::Usage,
                    fmt::format("early stopping ended the run after {} evaluations that were no better", train.patience),
                    "--patience", "give more evaluations to wait for a better one, or 0 for no early stopping");
    if (extension.epochs || extension.steps) {
        train.epochs = extension.epochs.value_or(0);
        train.steps = extension.steps.value_or(0);
    }
    train.patience = extension.patience.value_or(train.patience);
    return spec;
}

}  // namespace heddle::app
