// SPDX-License-Identifier: Apache-2.0
// Greedy and beam search as tensor operations; ties as in beam.cpp.
#include "engine/decode/device_sampler.h"

#include "engine/decode/sampler.h"
#include "engine/device/torch_pch.h"

#include <algorithm>
#include <limits>

namespace heddle {
namespace {

class DeviceGreedySampler final : public DeviceSampler {
public:
    DeviceChoice choose(const at::Tensor& logits_RV, const at::Tensor& before_J1) const override {
        const NextScores scores = scoresOf(logits_RV);
        const at::Tensor token_R1 = scores.logits_RV.argmax(-1, true);
        const at::Tensor log_R1 = scores.logits_RV.gather(1, token_R1) - scores.logNormaliser_R1;
        return {token_R1, at::zeros_like(token_R1), before_J1 + log_R1.to(at::kDouble)};
    }

    DeviceChoice continued(const DeviceChoice& all) const override { return all; }
};

/// The likeliest tokens of every row in ascending order, [R,count]. Ties go to the smaller token.
at::Tensor likeliestTokens(const at::Tensor& logits_RV, std::int64_t count) {
    constexpr int kSign = 31, kTokenBits = 32;
    const at::Tensor bits_RV = (logits_RV + 0.0).view(at::kInt);  // −0 is 0
    // Read as integers, the bits of negative floats are in reverse order; flip them.
    const at::Tensor order_RV = bits_RV.bitwise_xor(bits_RV.bitwise_right_shift(kSign).bitwise_and(0x7fffffff));
    const at::Tensor token_V = at::arange(logits_RV.size(1), order_RV.options().dtype(at::kLong));
    const at::Tensor key_RV = order_RV.to(at::kLong) * (std::int64_t{1} << kTokenBits) - token_V;
    return std::get<0>(std::get<1>(key_RV.topk(count, -1)).sort(-1));
}

class DeviceBeamSampler final : public DeviceSampler {
public:
    explicit DeviceBeamSampler(std::int64_t beam) : beam_(beam) {}

    DeviceChoice choose(const at::Tensor& logits_RV, const at::Tensor& before_JP) const override {
        constexpr double kNone = -std::numeric_limits<double>::infinity();
        const NextScores scores = scoresOf(logits_RV);
        // At most `beam` extensions of a path can continue, and one can end.
        const std::int64_t ofPath = std::min(beam_ + 1, logits_RV.size(1)), jobs = before_JP.size(0);
        const at::Tensor token_RC = likeliestTokens(scores.logits_RV, ofPath);
        const at::Tensor logit_RC = scores.logits_RV.gather(1, token_RC).to(at::kDouble);
        const at::Tensor before_R1 = before_JP.reshape({-1, 1}) - scores.logNormaliser_R1.to(at::kDouble);
        const at::Tensor log_RC = (before_R1 + logit_RC).masked_fill(logit_RC.isfinite().logical_not(), kNone);
        // In this order a stable sort resolves ties by path, then by token. Each path has one ending token, so the first 2 ·
        // beam extensions contain all that can continue.
        const auto [log_JN, place_JN] = log_RC.view({jobs, beam_ * ofPath}).sort(true, -1, true);
        const std::int64_t kept = std::min(2 * beam_, beam_ * ofPath);
        const at::Tensor place_JM = place_JN.narrow(1, 0, kept);
        return {token_RC.view({jobs, beam_ * ofPath}).gather(1, place_JM), place_JM.div(ofPath, "floor"),
                log_JN.narrow(1, 0, kept)};
    }

    DeviceChoice continued(const DeviceChoice& all) const override {
        const at::Tensor order_JM = std::get<1>(all.token_JM.eq(kEos).to(at::kInt).sort(true, -1, false));
        const at::Tensor first_JP = order_JM.narrow(1, 0, beam_);
        return {all.token_JM.gather(1, first_JP), all.parent_JM.gather(1, first_JP), all.logProbability_JM.gather(1, first_JP)};
    }

private:
    std::int64_t beam_;
};

}  // namespace

std::unique_ptr<DeviceSampler> makeDeviceGreedySampler() { return std::make_unique<DeviceGreedySampler>(); }
std::unique_ptr<DeviceSampler> makeDeviceBeamSampler(std::int64_t beam) { return std::make_unique<DeviceBeamSampler>(beam); }

}  // namespace heddle
