// SPDX-License-Identifier: Apache-2.0
// Trainer: writes checkpoints, and continues from those of its own run or of another one.
#include "engine/base/device_lost.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/data/batching/prefetcher.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/identity.h"
#include "engine/train/loop/trainer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace heddle {

void Trainer::saveIfDue() {
    const std::int64_t every = spec_.train.checkpointEvery;
    std::vector<std::string> due;
    if (std::exchange(bestDue_, false)) due.emplace_back("best");
    if (every > 0 && state_.step % every == 0 && (!due.empty() || savedStep_ != state_.step)) due.emplace_back("step");
    if (!due.empty()) save(due);
}

/// Why a checkpoint could not be written.
struct Trainer::SaveProblem {
    Error error;
    std::optional<DiskFullError> full;  ///< if the disk, a quota or a limit is full
};

void Trainer::write(const std::vector<std::string>& kinds) {
    CheckpointWritten written;
    interventions_.withTrainedWeights([&] {
        NamedTensors weights = step_.averagedWeights();
        weights.merge(savedTensors(*setup_.model));  // what is not averaged
        written = writeCheckpoint(request_.runFolder, {std::move(weights), step_.state(), state_, setup_.identity});
    });
    written.kinds = kinds;
    savedStep_ = state_.step;
    emitter_.emit(std::move(written));
}

std::optional<Trainer::SaveProblem> Trainer::tryToSave(const std::vector<std::string>& kinds) {
    try {
        write(kinds);
        return std::nullopt;
    } catch (const DeviceLostError&) {
        throw;
    } catch (const DiskFullError& error) {
        return SaveProblem{error, error};
    } catch (const Error& error) {
        return SaveProblem{error, std::nullopt};
    }
}

/// Writes one checkpoint, kept as long as any of `kinds` needs it. If it cannot be written, says so and pauses until it can: as
/// soon as there is room, and again after a while, since a disk may recover and a quota may be raised. A resume continues
/// without it; a run that is paused or stopping already is not held up.
void Trainer::save(const std::vector<std::string>& kinds) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds kFirstWait{1}, kLongestWait{60};
    flush();
    auto problem = tryToSave(kinds);
    if (!problem) return;
    const std::string why = problem->error.problem();
    emitter_.emit(CheckpointSkipped{why, problem->error.next(), problem->error.where(),
                                    problem->full ? problem->full->bytesNeeded() : 0, savedStep_});
    if (control_.state() != RunState::Running) return;
    std::chrono::seconds wait = kFirstWait;
    auto next = Clock::now() + wait;
    control_.pause(why, [&] {
        const bool hasRoom = problem->full && problem->full->hasRoomNow();
        if (!hasRoom && Clock::now() < next) return false;
        problem = tryToSave(kinds);
        wait = std::min(2 * wait, kLongestWait);
        next = Clock::now() + wait;
        return !problem;
    });
}

void Trainer::restore(const std::string& folder) {
    const Checkpoint checkpoint = readCheckpoint(folder);
    loadWeights(*setup_.model, checkpoint.weights, folder);
    step_.restore(checkpoint.optimizer, folder);
    state_ = checkpoint.state;
    step_.setStep(state_.step);
    step_.setReductions(state_.reductions);
    savedStep_ = state_.step;
    emitter_.setStep(state_.step);
    const bool isSameRun = isSameIdentity(checkpoint.identity, setup_.identity);
    emitter_.emit(StateRestored{state_.step, state_.epoch, state_.batch, isSameRun});
}

/// Continues from a checkpoint of another run (train.start.state). The best evaluation so far is forgotten, since its
/// checkpoint is in the other run's folder.
void Trainer::goOnFrom(const std::string& folder) {
    restore(folder);
    state_.best.reset();
    state_.seconds = state_.borderSeconds = 0;
    state_.bestStep = state_.withoutImprovement = state_.sinceReduction = 0;
    savedStep_ = -1;
    const auto batches =
        planEpoch(setup_.data.train, trainingBatches(spec_, setup_.model->variant().dims), state_.epoch).size();
    if (state_.batch > static_cast<std::int64_t>(batches))
        throwInvalid("the checkpoint has done " + std::to_string(state_.batch) + " batches of its epoch, but the run has " +
                         std::to_string(batches),
                     "train.batch", "set the batches of the run that wrote it");
    if (isAtLimit())
        throwInvalid(
            "the run would take no step: the checkpoint has reached its limits already", "train.steps",
            "set train.steps above " + std::to_string(state_.step) + ", or train.epochs above " + std::to_string(state_.epoch));
}

}  // namespace heddle
