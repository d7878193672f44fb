// SPDX-License-Identifier: Apache-2.0
// Soft cap of the logits (Gemma 2, Riviere et al. 2024, section 2; Bello et al. 2016, section 5.1, for the tanh):
//   z = c · tanh(s / c), so that |z| < c    s, z [B,H,Q,K]: the scores with those carried from earlier layers, before the mask
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

constexpr const char* kCapped = "capped";

struct SoftCapOptions {
    double limit = 0;
};

const OptionFields<SoftCapOptions>& softCapOptions() {
    static const auto kFields = OptionFields<SoftCapOptions>().add(
        &SoftCapOptions::limit, fields::number("limit", 50, {1e-3, 1e6}, "Bound c of the logits; Gemma 2 has 50."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeSoftCap() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Soft cap";
    b.summary =
        "Logit soft-capping (Gemma 2, Riviere et al. 2024): a scaled tanh keeps the logits of the attention within a bound.";
    b.formula = "z = c · tanh(s / c)";
    b.shapes = "s, z [B,H,Q,K]; c one number";
    b.reference =
        "Riviere et al. 2024 (Gemma 2, arXiv 2408.00118), section 2; Bello et al. 2016 (arXiv 1611.09940), section 5.1";
    b.parameters = softCapOptions().schema();
    b.exposures = {{kCapped, "score within the cap", Exposure::Quantity::Score, "BHQK", -10, 10, false, true, true}};
    return b;
}

#else

namespace {

class SoftCap final : public LogitCap {
public:
    SoftCap(const BuildContext& c, double limit) : path_(c.scope.path()), limit_(limit) {}
    bool caps() const override { return true; }
    at::Tensor capped(const at::Tensor& logits_BHQK, const Forward& f) const override {
        return f.pass(path_, kCapped, at::tanh(logits_BHQK / limit_) * limit_);
    }

private:
    std::string path_;
    double limit_;
};

}  // namespace

std::unique_ptr<Block> makeSoftCap(const BuildContext& context) {
    return std::make_unique<SoftCap>(context, softCapOptions().read(context.params).limit);
}

#endif

}  // namespace heddle
