// SPDX-License-Identifier: Apache-2.0
// Trainer: what it does together with other processes. Rank 0 decides between two steps and tells the others; they do only what
// they are told, so that all take the same steps.
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/train/loop/trainer.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::int64_t kCompareEvery = 100;  ///< steps

/// A checksum of the weights: sums of their bits as integers, which do not depend on the order of summation.
std::int64_t checksumOf(const ParameterStore& parameters) {
    const at::NoGradGuard noGrad;
    std::uint64_t checksum = 0;
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;  // odd, so that no bit is lost
    for (const auto& [path, tensor] : parameters.entries())
        checksum = checksum * kFactor +
                   static_cast<std::uint64_t>(tensor.detach().contiguous().view(at::kInt).sum(at::kLong).item<std::int64_t>());
    return static_cast<std::int64_t>(checksum);
}

void copyFrom(Group& group, const at::Tensor& tensor) {
    const at::Tensor values = tensor.detach().contiguous();
    group.copyFromLeader(values);
    if (!tensor.is_contiguous() && !group.isLeader()) tensor.detach().copy_(values);
}

[[noreturn]] void throwFailed(const std::string& text) {
    const Json failure = Json::parse(text);
    throw Error(static_cast<ErrorCode>(failure.at("code").get<int>()), failure.at("what"), "process 0", failure.at("next"));
}

}  // namespace

/// Gives all processes the weights, the optimizer's state and the place in training of rank 0.
void Trainer::shareState() {
    const at::NoGradGuard noGrad;
    group_.resume();  // all have prepared
    for (const auto& [path, tensor] : setup_.model->parameters().entries()) copyFrom(group_, tensor);
    for (const auto& [path, tensor] : step_.state()) copyFrom(group_, tensor);
    if (group_.isLeader()) {
        group_.tell({Word::Kind::Text, {}, state_.toJson().dump()});
        return;
    }
    state_ = TrainState::fromJson(Json::parse(group_.told().text), "process 0");
    step_.setStep(state_.step);
    step_.setReductions(state_.reductions);
}

/// Returns the labels, rows and tokens of this process's part of the step, 1 if it was told to stop, and the checksum of its
/// weights.
Offer Trainer::offerOf(const StepShare& share) const {
    std::int64_t tokens = 0;
    for (const auto& one : share.microBatches) tokens += one.batch.workTokens();
    const bool isCompared = !group_.isAlone() && state_.step % kCompareEvery == 0;
    const bool isStopped = !group_.isLeader() && control_.hasCommand();  // rank 0 serves its commands at the border
    return {share.labels, share.rows, tokens, isStopped, isCompared ? checksumOf(setup_.model->parameters()) : 0};
}

/// Rank 0: completes its share with the sums of all, and lets the others take the step. Returns the step's tokens.
std::int64_t Trainer::agree(StepShare& share) {
    const Offer own = offerOf(share);
    const auto& [labels, rows, tokens, stop, checksum] = own;
    std::array<std::int64_t, 3> sums{labels, rows, tokens};
    bool isStopped = false;
    const std::vector<Offer> offers = group_.offers();
    for (std::size_t i = 0; i < offers.size(); ++i) {
        const Offer& other = offers[i];
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += other[k];
        isStopped = isStopped || other[3] != 0;
        if (other[4] != checksum)
            throw Error(ErrorCode::Failure, "processes have trained to different weights",
                        "process " + std::to_string(i + 1) + ", step " + std::to_string(state_.step),
                        "train on machines with equal processors; resume from the last checkpoint with heddle resume");
    }
    if (isStopped) control_.put(StopCommand{"signal"});
    share.labels = sums[0];
    share.rows = sums[1];
    group_.tell({Word::Kind::Step, sums});
    return sums[2];
}

/// The training loop of a process that is not rank 0.
TrainOutcome Trainer::follow() {
    for (;;) {
        repeatInterventions();
        StepShare share = nextShare();
        group_.offer(offerOf(share));
        Word word = group_.told();
        for (; word.kind == Word::Kind::Text; word = group_.told()) obey(Json::parse(word.text));
        if (word.kind == Word::Kind::Failed) throwFailed(word.text);
        if (word.kind == Word::Kind::End)
            return {runStateFromName(word.text).value_or(RunState::Stopped), state_.step, state_.epoch, emitter_.seconds()};
        share.labels = word.numbers[0];
        share.rows = word.numbers[1];
        if (step_.ring().size() >= StepRing::kCapacity) step_.ring().drain();  // rank 0 records them
        step_.run(share);
        emitter_.setStep(++state_.step);
        if (!epochClosed_) continue;
        ++state_.epoch;
        state_.batch = 0;
    }
}

void Trainer::obey(const Json& order) {
    if (isInterventionQuestion(order)) {
        interventions_.change(readInterventionChange(order), state_.step);
        step_.forgetTrained();
    } else {
        step_.setReductions(order.at("reductions").get<std::int64_t>());
    }
}

}  // namespace heddle
