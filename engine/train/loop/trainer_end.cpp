// SPDX-License-Identifier: Apache-2.0
// Trainer: the end of an attempt.
#include "engine/base/error.h"
#include "engine/base/links.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/schedules.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/reports.h"
#include "engine/train/loop/trainer.h"

#include <utility>

namespace heddle {

TrainOutcome Trainer::finish() {
    if (isOutOfTime()) {
        const std::string step = std::to_string(state_.step);
        std::string text = "train.budget.seconds ended the run after step " + step + ": train.steps=" + step + " repeats it";
        if (endsWithRun(spec_.train)) text += " with train.schedule.steps=" + std::to_string(setup_.lastStep);
        emitter_.emit(Remark{Remark::Kind::Info, std::move(text)});
    }
    {
        const BusyScope busy(group_);
        save({"last"});
    }
    group_.offers();  // of the step that is not taken
    group_.tell({Word::Kind::End, {}, std::string(name(control_.stopRequested() ? RunState::Stopped : RunState::Completed))});
    // From here on the model may have the best weights, which must not be saved as those of the last step.
    control_.setActions({[] {}, [this](const Json& question) { return answer(question); }, {}});
    const bool isComplete = !control_.stopRequested() && evaluateTest();
    emitter_.emit(measureMemory());
    if (const CapturedSteps* captured = step_.captured()) emitter_.emit(captured->counts());
    return {isComplete ? RunState::Completed : RunState::Stopped, state_.step, state_.epoch, emitter_.seconds()};
}

/// Adds the decoding times for evaluate.timed_sentences and timed_uncached to the test evaluation; false if interrupted.
bool Trainer::timeDecoding(Evaluation& evaluation) const {
    const std::int64_t wanted = spec_.evaluate.timedSentences;
    if (wanted == 0 || !setup_.task->decodes()) return true;
    const auto value = wanted < evaluation.metrics.decoded ? evaluator_.timeDecoding(setup_.data.test, wanted)
                                                           : evaluator_.decodingTime(evaluation.metrics);
    if (!value) return false;
    evaluation.metrics.values.push_back(*value);
    if (!spec_.evaluate.timedUncached) return true;
    const auto uncached = evaluator_.timeUncachedDecoding(setup_.data.test, wanted);
    if (uncached) evaluation.metrics.values.push_back(*uncached);
    return uncached.has_value();
}

/// Evaluates the test split with the best weights; false if a stop interrupted it.
bool Trainer::evaluateTest() {
    const EncodedCorpus& test = setup_.data.test;
    if (!spec_.evaluate.testAtEnd || test.size() <= 0) return true;
    const std::int64_t step = state_.best ? state_.bestStep : state_.step;
    if (step != state_.step) {
        const std::string folder = request_.runFolder + "/" + checkpointName(step);
        try {
            requireNoLink(request_.runFolder, checkpointName(step));
            interventions_.withTrainedWeights([&] { loadWeights(*setup_.model, readCheckpointWeights(folder), folder); });
        } catch (const Error& error) {
            emitter_.emit(BestCheckpointUnreadable{step, error.problem()});  // its path holds only here and now
            return true;
        }
    }
    while (!control_.stopRequested()) {
        const double began = emitter_.seconds();
        auto averaged = step == state_.step ? step_.useAveragedWeights() : nullptr;  // those of a checkpoint are averaged
        auto evaluation = evaluator_.evaluate(test, Depth::Decoded);
        if (evaluation && !timeDecoding(*evaluation)) evaluation.reset();
        averaged.reset();
        if (evaluation) {
            EvaluationDone done = evaluationDone("test", state_.epoch, *setup_.task, *evaluation);
            markAveraged(done, spec_.train);
            done.seconds = emitter_.seconds() - began;
            emitter_.emitAt(step, std::move(done));
            for (const std::string& warning : evaluation->metrics.warnings) warnOnce(warning);
            return true;
        }
        control_.serve();
    }
    return false;
}

}  // namespace heddle
