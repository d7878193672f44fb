// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/prefetcher.h"
#include "engine/train/checkpoint/train_state.h"
#include "engine/train/loop/control.h"
#include "engine/train/loop/evaluation.h"
#include "engine/train/loop/setup.h"
#include "engine/train/loop/training_interventions.h"
#include "engine/train/report/gate_watch.h"
#include "engine/train/report/gradient_watch.h"
#include "engine/train/report/noise_watch.h"
#include "engine/train/report/probes.h"
#include "engine/train/report/stream_watch.h"
#include "engine/train/report/telemetry.h"
#include "engine/train/report/update_watch.h"
#include "engine/train/step/step.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle {

/// The training loop of one attempt. After every step comes a border: drain values, execute commands, evaluate, write
/// checkpoints. Engine thread only.
class Trainer {
public:
    /// `request`, `setup`, `emitter` and `control` must outlive the trainer; the control's state must be preparing.
    Trainer(const TrainRequest& request, Setup& setup, Emitter& emitter, Control& control);

    /// Trains to the end of the run or to a stop command. Throws Error(Diverged) when the loss is not finite.
    TrainOutcome run();

private:
    void restore(const std::string& folder);
    void goOnFrom(const std::string& folder);
    void takeStep();
    void beginWatches(std::int64_t step, const StepShare& share);
    void reportFirstStep();
    StepShare nextShare();
    std::int64_t agree(StepShare& share);
    Offer offerOf(const StepShare& share) const;
    void shareState();
    TrainOutcome follow();
    void obey(const Json& order);
    void closeEpoch();
    void decideEvaluation();

    void stepBorder();
    void flush();
    bool evaluate();
    void trackBest(const EvaluationDone& evaluation);
    void lowerRateIfDue();
    void emitSamples(const Evaluation& evaluation);
    void warnOnce(const std::string& warning);
    bool isFinished() const;
    bool isAtLimit() const;
    bool isOutOfTime() const;  ///< train.budget.seconds has passed
    void countTime(double seconds);

    void saveIfDue();
    void save(const std::vector<std::string>& kinds);
    void write(const std::vector<std::string>& kinds);
    struct SaveProblem;
    std::optional<SaveProblem> tryToSave(const std::vector<std::string>& kinds);
    void repeatInterventions();
    Json intervene(const InterventionChange& change);
    Json answer(const Json& question);

    TrainOutcome finish();
    bool evaluateTest();
    bool timeDecoding(Evaluation& evaluation) const;

    const TrainRequest& request_;
    const RunSpec& spec_;
    Setup& setup_;
    Emitter& emitter_;
    Control& control_;
    TrainState state_;
    TrainingInterventions interventions_;
    TrainStep step_;
    Telemetry telemetry_;
    GradientWatch gradients_;
    UpdateWatch updates_;
    NoiseWatch noise_;
    StreamWatch streams_;
    GateWatch gates_;
    ProbeMaps probes_;
    Evaluator evaluator_;
    std::set<std::string> warned_;
    Group& group_;
    std::unique_ptr<Prefetcher> batches_;  ///< created at the first step
    bool epochClosed_ = false;             ///< the last step ended its epoch
    bool bestDue_ = false;                 ///< the last evaluation is the best so far and not yet saved
    std::int64_t savedStep_ = -1;          ///< step of the newest checkpoint
};

}  // namespace heddle
