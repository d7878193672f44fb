// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/trainer.h"

#include "engine/base/error.h"
#include "engine/data/batching/batch.h"
#include "engine/data/batching/prefetcher.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/cost.h"
#include "engine/spec/task_kinds.h"
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
    options.search = searchOf(spec.evaluate);
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
      updates_(setup.model->parameters(), spec_.record.healthEvery),
      noise_(spec_.record.healthEvery),
      streams_(setup.model->variant(), spec_.record.healthEvery),
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
    const std::int64_t step = state_.step + 1;
    beginWatches(step, share);
    step_.run(share);
    if (updates_.isDue(step)) updates_.end(step);
    if (noise_.isDue(step)) noise_.take(step, step_);
    if (const CapturedSteps* captured = step_.captured(); captured && !captured->obstacle().empty())
        warnOnce("steps are not captured as graphs and take longer: " + captured->obstacle());
    if (gradients_.isDue(step)) gradients_.take(step, step_.lastUpdate());
    facts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    telemetry_.stepDone(facts);

    state_.step = step;
    emitter_.setStep(step);
    if (isFirst) reportFirstStep();
    countTime(facts.seconds);
    if (epochClosed_) closeEpoch();
    decideEvaluation();
}

/// What is measured before or in the next step.
void Trainer::beginWatches(std::int64_t step, const StepShare& share) {
    const std::int64_t every = spec_.record.histogramsEvery;
    if (every > 0 && gates_.watchesAnything() && (step == 1 || step % every == 0)) step_.watchNext(gates_);
    if (updates_.isDue(step)) updates_.begin();
    if (noise_.isDue(step)) step_.measureMicroGradientsNext();
    if (streams_.isDue(step) && !share.microBatches.empty()) {
        const DeviceBatch batch = toDevice(share.microBatches.front().batch, setup_.device);
        streams_.take(step, interventions_.model(), *setup_.task, batch, {setup_.device, setup_.precision});
    }
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
                return orderedFor(setup_.device, roundedUp(setup_.task->makeBatch(asked...), setup_.batchMultiple, longest));
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
    const bool atEnd = isAtLimit();
    state_.evaluationDue = atEpoch || atStep || atEnd;
    state_.bleuDue = atEnd || (atEpoch && divides(when.bleuEveryEpochs, state_.epoch)) ||
                     (state_.evaluationDue && isDecodedMetric(spec_.train.stopMetric));
}

// ---- the border after a step ----

void Trainer::stepBorder() {
    const BusyScope busy(group_);
    const double began = emitter_.seconds();
    double served = 0;
    const auto serve = [&] {
        const double from = emitter_.seconds();
        control_.serve();
        served += emitter_.seconds() - from;
    };
    if (telemetry_.drainIfDue(state_.sums)) gates_.emit(emitter_);
    if (gradients_.isFull()) gradients_.emit(emitter_);
    if (updates_.isFull()) updates_.emit(emitter_);
    if (noise_.isFull()) noise_.emit(emitter_);
    if (streams_.isFull()) streams_.emit(emitter_);
    if (!probes_.empty() && savedStep_ != state_.step && ProbeMaps::isDue(state_.step, spec_.record.mapsEvery))
        probes_.take(interventions_.model(), state_.step, emitter_);
    repeatInterventions();
    serve();
    while (state_.evaluationDue && !control_.stopRequested()) {
        if (evaluate()) continue;
        group_.requireAll();
        serve();
    }
    if (spec_.train.budget.seconds > 0) state_.borderSeconds += emitter_.seconds() - began - served;
    saveIfDue();
}

void Trainer::flush() {
    telemetry_.drain(state_.sums);
    gates_.emit(emitter_);
    gradients_.emit(emitter_);
    updates_.emit(emitter_);
    noise_.emit(emitter_);
    streams_.emit(emitter_);
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

bool Trainer::isAtLimit() const {
    const TrainSpec& train = spec_.train;
    const auto isReached = [](std::int64_t limit, std::int64_t done) { return limit > 0 && done >= limit; };
    return isReached(train.steps, state_.step) || isReached(train.epochs, state_.epoch) ||
           isReached(setup_.budgetStep, state_.step) || isOutOfTime();
}

bool Trainer::isOutOfTime() const { return spec_.train.budget.seconds > 0 && state_.seconds >= spec_.train.budget.seconds; }

/// Counts the time of a step and of the border before it for train.budget.seconds. Time is over only after a step, never
/// within a border, so that the last step is evaluated as such.
void Trainer::countTime(double seconds) {
    if (spec_.train.budget.seconds == 0) return;
    state_.seconds += state_.borderSeconds + seconds;
    state_.borderSeconds = 0;
}

bool Trainer::isFinished() const {
    const bool outOfPatience = spec_.train.patience > 0 && state_.withoutImprovement >= spec_.train.patience;
    return isAtLimit() || outOfPatience;
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
