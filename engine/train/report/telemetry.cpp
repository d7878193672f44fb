// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/telemetry.h"

#include "engine/base/error.h"

#include <algorithm>
#include <string>

namespace heddle {
namespace {

constexpr std::chrono::milliseconds kDrainInterval{250};
constexpr std::int64_t kMaximalThinning = 64;

}  // namespace

Telemetry::Telemetry(TrainStep& step, const Task& task, const RecordSpec& record, Emitter& emitter)
    : step_(step), hasAccuracy_(!task.accuracySignature().empty()), record_(record), emitter_(emitter) {}

bool Telemetry::drainIfDue(EpochSums& sums) {
    const bool isFull = step_.ring().size() >= StepRing::kCapacity;
    if (!isFull && std::chrono::steady_clock::now() - lastDrain_ < kDrainInterval) return false;
    drain(sums);
    return true;
}

void Telemetry::drain(EpochSums& sums) {
    lastDrain_ = std::chrono::steady_clock::now();
    if (pending_.empty()) return;
    const Drained drained{step_.ring().drain(), step_.step() - static_cast<std::int64_t>(pending_.size()) + 1};
    // A GPU may still execute steps whose calls have returned, so the waiting time belongs to those steps.
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - lastDrain_;
    for (StepFacts& facts : pending_) facts.seconds += waited.count() / static_cast<double>(pending_.size());
    adaptThinning(drained.first);
    emitSeries(drained);
    for (std::size_t i = 0; i < drained.values.size(); ++i) {
        const StepValues& values = drained.values[i];
        if (values.notFinite != 0)
            throw Error(ErrorCode::Diverged, "the loss or its gradient is not a finite number",
                        "step " + std::to_string(drained.first + static_cast<std::int64_t>(i)),
                        "continue from an earlier checkpoint with other settings: heddle fork RUN --at STEP --set train.lr=… "
                        "(or a longer train.schedule.warmup, or a smaller train.clip)");
        const auto labels = static_cast<double>(pending_[i].labels);
        sums.objective += static_cast<double>(values.objective) * labels;
        sums.nll += values.nll;
        sums.correct += values.correct;
        sums.labels += labels;
    }
    pending_.clear();
}

void Telemetry::adaptThinning(std::int64_t step) {
    const auto pressure = emitter_.pressure();
    if (pressure >= EventSink::Pressure::Pause) return;  // training is about to pause; these are the last steps for now
    const bool isPressed = pressure == EventSink::Pressure::ThinScalars;
    const std::int64_t wanted = isPressed ? std::min(2 * thinning_, kMaximalThinning) : 1;
    if (wanted == thinning_) return;
    thinning_ = wanted;
    emitter_.emit(ScalarsThinned{step, wanted});
}

void Telemetry::emitSeries(const Drained& drained) {
    const std::int64_t stride = std::max<std::int64_t>(1, record_.scalarsEvery) * thinning_;
    const std::int64_t first = (drained.first + stride - 1) / stride * stride;
    StepBlock block;
    for (const char* name : {"loss", "accuracy", "grad_norm", "lr"})
        block.series.push_back({name, "", first, stride, {}, true});
    for (const char* name : {"tokens_per_second", "step_seconds"}) block.series.push_back({name, "", first, stride, {}, false});
    const auto end = drained.first + static_cast<std::int64_t>(drained.values.size());
    for (std::int64_t step = first; step < end; step += stride) {
        const auto i = static_cast<std::size_t>(step - drained.first);
        const StepValues& values = drained.values[i];
        const StepFacts& facts = pending_[i];
        const auto labels = static_cast<double>(facts.labels), tokens = static_cast<double>(facts.tokens);
        const std::array<double, 6> row{values.objective,           values.correct / labels, values.gradientNorm,
                                        step_.learningRateAt(step), tokens / facts.seconds,  facts.seconds};
        for (std::size_t column = 0; column < row.size(); ++column)
            block.series[column].values.push_back(static_cast<float>(row[column]));
    }
    if (!hasAccuracy_) std::erase_if(block.series, [](const SeriesBlock& one) { return one.name == "accuracy"; });
    if (!block.series.front().values.empty()) emitter_.emitAt(end - 1, std::move(block));
}

}  // namespace heddle
