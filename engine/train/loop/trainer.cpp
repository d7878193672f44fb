// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/trainer.h"

#include "engine/base/device_lost.h"
#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/links.h"
#include "engine/data/batching/batch.h"
#include "engine/data/batching/prefetcher.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/spec/task_kinds.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/identity.h"
#include "engine/train/loop/reports.h"
#include "engine/train/report/weight_report.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace heddle {
namespace {

DecodeOptions decodeOptions(const RunSpec& spec, const Setup& setup, const Control& control,
                            const std::function<void(const std::string&)>& warn) {
    constexpr std::int64_t kLeastTokens = 4096;  // evaluation would be slow in small training batches
    DecodeOptions options{setup.device, setup.precision, std::max(kLeastTokens, spec.train.batchTokens),
                          [&control, group = setup.group] { return control.hasCommand() || !group->isComplete(); }};
    options.makeGraph = setup.makeGraph;
    options.onCaptureFailure = [warn](const std::string& why) { warn(uncapturedDecodingWarning(why)); };
    return options;
}

/// The training spec with precision "auto" replaced by the chosen one.
TrainSpec resolvedTraining(const RunSpec& spec, const Setup& setup) {
    TrainSpec train = spec.train;
    train.precision = setup.precision;
    return train;
}

}  // namespace

Trainer::Trainer(const TrainRequest& request, Setup& setup, Emitter& emitter, Control& control)
    : request_(request),
      spec_(request.spec),
      setup_(setup),
      emitter_(emitter),
      control_(control),
      interventions_(*setup.model, request.interventions),
      step_(interventions_.model(), *setup.task, resolvedTraining(spec_, setup),
            {spec_.seed, setup.device, setup.lastStep, setup.makeGraph, setup.group.get()}),
      telemetry_(step_, *setup.task, spec_.record, emitter),
      gradients_(spec_.record.histogramsEvery),
      gates_(setup.model->variant(), setup.device),
      probes_(setup.data, *setup.task, spec_.record.probes, {setup.device, setup.precision}),
      evaluator_(interventions_.model(), *setup.task,
                 decodeOptions(spec_, setup, control, [this](const std::string& warning) { warnOnce(warning); })),
      group_(*setup.group) {
    control_.setActions({[this] { save({"step"}); }, [this](const Json& question) { return answer(question); },
                         [this] { group_.requireAll(); }});
}

TrainOutcome Trainer::run() {
    const bool isResumed = !request_.resumeFrom.empty();
    if (isResumed && group_.isLeader()) restore(request_.resumeFrom);
    if (!isResumed && spec_.train.start.withState && group_.isLeader()) goOnFrom(spec_.train.start.checkpoint);
    if (!group_.isAlone()) shareState();
    control_.setState(RunState::Running, isResumed ? "resumed at step " + std::to_string(state_.step) : "started");
    if (!group_.isLeader()) return follow();
    const bool decodes = !setup_.model->variant().decoder.empty();
    const std::string obstacle = decodes ? setup_.model->stepObstacle() : "";
    if (!obstacle.empty()) emitter_.emit(DecodingWithoutCache{obstacle});
    {
        const BusyScope busy(group_);
        if (!isResumed) save({"step"});
    }
    stepBorder();
    while (!control_.stopRequested() && !isFinished()) {
        takeStep();
        stepBorder();
    }
    return finish();
}

// ---- one step ----

void Trainer::takeStep() {
    const auto began = std::chrono::steady_clock::now();
    const bool isFirst = !batches_;  // of this attempt
    StepShare share = nextShare();
    StepFacts facts;
    facts.tokens = agree(share);
    facts.labels = share.labels;
    const std::int64_t step = state_.step + 1, every = spec_.record.histogramsEvery;
    if (every > 0 && gates_.watchesAnything() && (step == 1 || step % every == 0)) step_.watchNext(gates_);
    step_.run(share);
    if (const CapturedSteps* captured = step_.captured(); captured && !captured->obstacle().empty())
        warnOnce("steps are not captured as graphs and take longer: " + captured->obstacle());
    if (gradients_.isDue(step)) gradients_.take(step, step_.lastUpdate());
    facts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    telemetry_.stepDone(facts);

    state_.step = step;
    emitter_.setStep(step);
    if (isFirst) reportFirstStep();
    if (epochClosed_) closeEpoch();
    decideEvaluation();
}

/// Reports the time to the end of the first step, and its values without delay.
void Trainer::reportFirstStep() {
    telemetry_.drain(state_.sums);
    emitter_.emit(FirstStepDone{emitter_.seconds()});
}

/// This process's micro-batches of the next step; a step never spans two epochs.
StepShare Trainer::nextShare() {
    const std::int64_t most = std::max<std::int64_t>(1, spec_.train.accumulate);
    const Prefetcher::Share own{group_.place().rank, group_.place().size, most};
    if (!batches_) {
        const auto longest = longestSequence(setup_.model->variant());
        batches_ = std::make_unique<Prefetcher>(
            setup_.data.train, trainingBatches(spec_, setup_.model->variant().dims),
            [this, longest](const auto&... asked) {
                return roundedUp(setup_.task->makeBatch(asked...), setup_.batchMultiple, longest);
            },
            Prefetcher::Start{state_.epoch, state_.batch}, own);
    }
    StepShare share;
    epochClosed_ = false;
    for (std::int64_t number = 0; number < most && !epochClosed_; ++number) {
        Prefetcher::Item item = batches_->next();
        epochClosed_ = item.index + 1 == item.batchesInEpoch;
        state_.epoch = item.epoch;
        state_.batch = item.index + 1;
        if (!own.has(item.index)) continue;
        share.labels += item.batch.labelCount;
        share.rows += item.batch.rows;
        share.microBatches.push_back({std::move(item.batch), number});
    }
    return share;
}

void Trainer::closeEpoch() {
    flush();
    ++state_.epoch;
    state_.batch = 0;
    emitter_.emit(trainMeans(state_.sums, state_.epoch, *setup_.task, spec_.train));
    state_.sums = {};
    if (const CapturedSteps* captured = step_.captured()) emitter_.emit(captured->counts());
}

void Trainer::decideEvaluation() {
    if (setup_.data.valid.size() <= 0) return;
    const EvaluateSpec& when = spec_.evaluate;
    const auto divides = [](std::int64_t every, std::int64_t value) { return every > 0 && value % every == 0; };
    const bool atEpoch = epochClosed_ && divides(when.everyEpochs, state_.epoch);
    const bool atStep = divides(when.everySteps, state_.step);
    const bool atEnd = isOutOfStepsOrEpochs();
    state_.evaluationDue = atEpoch || atStep || atEnd;
    state_.bleuDue = atEnd || (atEpoch && divides(when.bleuEveryEpochs, state_.epoch)) ||
                     (state_.evaluationDue && isDecodedMetric(spec_.train.stopMetric));
}

// ---- the border after a step ----

void Trainer::stepBorder() {
    const BusyScope busy(group_);
    if (telemetry_.drainIfDue(state_.sums)) gates_.emit(emitter_);
    if (gradients_.isFull()) gradients_.emit(emitter_);
    if (!probes_.empty() && savedStep_ != state_.step && ProbeMaps::isDue(state_.step, spec_.record.mapsEvery))
        probes_.take(interventions_.model(), state_.step, emitter_);
    repeatInterventions();
    control_.serve();
    while (state_.evaluationDue && !control_.stopRequested()) {
        if (evaluate()) continue;
        group_.requireAll();
        control_.serve();
    }
    saveIfDue();
}

void Trainer::flush() {
    telemetry_.drain(state_.sums);
    gates_.emit(emitter_);
    gradients_.emit(emitter_);
}

/// Evaluates the validation split; false if a command interrupted it (it must be repeated).
bool Trainer::evaluate() {
    flush();
    const double began = emitter_.seconds();
    const auto depth = state_.bleuDue ? Depth::Decoded : Depth::Scored;
    auto averaged = step_.useAveragedWeights();
    const auto evaluation = evaluator_.evaluate(setup_.data.valid, depth, spec_.evaluate.bleuSentences);
    averaged.reset();
    if (!evaluation) return false;
    EvaluationDone done = evaluationDone("valid", state_.epoch, *setup_.task, *evaluation);
    markAveraged(done, spec_.train);
    done.seconds = emitter_.seconds() - began;
    state_.evaluationDue = state_.bleuDue = false;
    trackBest(done);
    emitter_.emit(std::move(done));
    emitSamples(*evaluation);
    emitWeightReport(setup_.model->parameters(), emitter_, state_.step);
    emitter_.emit(measureMemory());
    return true;
}

/// Emits the samples and warnings of an evaluation.
void Trainer::emitSamples(const Evaluation& evaluation) {
    for (const SampleText& sample : evaluation.metrics.samples) emitter_.emit(sample);
    for (const std::string& warning : evaluation.metrics.warnings) warnOnce(warning);
}

/// Emits a warning once per attempt.
void Trainer::warnOnce(const std::string& warning) {
    if (warned_.insert(warning).second) emitter_.emit(Remark{Remark::Kind::Warning, warning});
}

void Trainer::trackBest(const EvaluationDone& evaluation) {
    const auto value = metricValue(evaluation, spec_.train.stopMetric);
    if (!value) return;
    bestDue_ = isImprovement(spec_.train.stopMetric, *value, state_.best);
    if (bestDue_) {
        state_.best = *value;
        state_.bestStep = state_.step;
        state_.withoutImprovement = state_.sinceReduction = 0;
    } else {
        ++state_.withoutImprovement;
        lowerRateIfDue();
    }
}

/// Schedule plateau: lowers the rate after too many evaluations without improvement, counted as in
/// torch.optim.lr_scheduler.ReduceLROnPlateau.
void Trainer::lowerRateIfDue() {
    if (spec_.train.schedule != ScheduleKind::Plateau || state_.sinceReduction++ < spec_.train.plateauPatience) return;
    state_.sinceReduction = 0;
    step_.setReductions(++state_.reductions);
    group_.tell({Word::Kind::Text, {}, Json{{"reductions", state_.reductions}}.dump()});
}

bool Trainer::isOutOfStepsOrEpochs() const {
    const TrainSpec& train = spec_.train;
    return (train.steps > 0 && state_.step >= train.steps) || (train.epochs > 0 && state_.epoch >= train.epochs);
}

bool Trainer::isFinished() const {
    const bool outOfPatience = spec_.train.patience > 0 && state_.withoutImprovement >= spec_.train.patience;
    return isOutOfStepsOrEpochs() || outOfPatience;
}

// ---- checkpoints ----

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

/// Goes on from a checkpoint of another run (train.start.state). The best evaluation is one of this run's own, since the run
/// has no other's checkpoints.
void Trainer::goOnFrom(const std::string& folder) {
    restore(folder);
    state_.best.reset();
    state_.bestStep = state_.withoutImprovement = state_.sinceReduction = 0;
    savedStep_ = -1;
    const auto batches =
        planEpoch(setup_.data.train, trainingBatches(spec_, setup_.model->variant().dims), state_.epoch).size();
    if (state_.batch > static_cast<std::int64_t>(batches))
        throwInvalid("the checkpoint has done " + std::to_string(state_.batch) + " batches of its epoch, but the run has " +
                         std::to_string(batches),
                     "train.batch", "set the batches of the run that wrote it");
    if (isOutOfStepsOrEpochs())
        throwInvalid(
            "the run would take no step: its limits are those that the checkpoint has reached", "train.steps",
            "set train.steps above " + std::to_string(state_.step) + ", or train.epochs above " + std::to_string(state_.epoch));
}

// ---- interventions and questions ----

/// Repeats interventions of earlier attempts after the same step. They are not emitted again: the run's events have them.
void Trainer::repeatInterventions() {
    if (!interventions_.repeat(state_.step)) return;
    step_.forgetTrained();
    emitter_.emit(Remark{Remark::Kind::Info, "interventions repeated: " + sentenceOf(interventions_.inForce())});
}

Json Trainer::intervene(const InterventionChange& change) {
    if (isFinished())
        throw Error(ErrorCode::Usage, "the run takes no further step", "step " + std::to_string(state_.step),
                    "intervene in the finished run: heddle inspect");
    const auto isNeutral = [](const Intervention& one) { return std::holds_alternative<NeutralBlock>(one); };
    if (spec_.train.ema > 0 && std::any_of(change.add.begin(), change.add.end(), isNeutral))
        throw Error(ErrorCode::Usage, "neutral weights would be included in the moving average of the weights (train.ema)",
                    "neutral", "use another intervention, or neutral in the finished run: heddle inspect");
    flush();
    emitter_.emit(interventions_.change(change, state_.step));
    step_.forgetTrained();
    group_.tell({Word::Kind::Text, {}, interventionQuestion(change).dump()});
    return {{"step", state_.step}, {"interventions", interventionsDocument(interventions_.inForce())}};
}

Json Trainer::answer(const Json& question) {
    if (isInterventionQuestion(question)) return intervene(readInterventionChange(question));
    if (const auto answer = setup_.task->answer(interventions_.model(), question, {setup_.device, setup_.precision}))
        return *answer;
    throwInvalid("a run of task " + spec_.data.task + " cannot answer questions during training", "ask",
                 "ask a finished run: heddle classify, heddle generate");
}

}  // namespace heddle
