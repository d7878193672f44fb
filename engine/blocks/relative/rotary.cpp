// SPDX-License-Identifier: Apache-2.0
// Rotary positions (Su et al. 2021, eq. 16 and 34): projected queries and keys are turned by their positions,
//   q′_i = R_i q_i, k′_j = R_j k_j,  R_p turns the pair (2n, 2n+1) by the angle p · base^(−2n/W)
// so that q′_i · k′_j depends on the distance i − j only. q, k [B,H,S,E]; the first W = 2⌊share · E / 2⌋ components turn, the
// others stay (partial rotary: Wang and Komatsuzaki 2021, GPT-J).
#include "engine/blocks/relative/relative.h"

namespace heddle {

FieldSchema rotaryBaseField() {
    return fields::number("base", 10000, {1.01, 1e9}, "Base of the rotation frequencies; a larger base rotates more slowly.");
}

namespace {

const OptionFields<RotaryForm>& rotaryFormOptions() {
    static const auto kFields =
        OptionFields<RotaryForm>()
            .add(&RotaryForm::base, rotaryBaseField())
            .add(&RotaryForm::share,
                 fields::number("share", 1, {1e-3, 1}, "Share of a head's components that turn, the first ones."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

std::optional<Problem> needsPairs(const BlockContext& where, const RotaryForm& form) {
    if (auto problem = needsDistance(where)) return problem;
    const std::int64_t width = where.dims.keyDim;
    if (form.share == 1 && width % 2 != 0)
        return Problem{"kind", "the key width (dims.key_dim) must be even", "choose an even key_dim, or no rotary positions"};
    if (form.width(width) > 0) return std::nullopt;
    return Problem{"share", "no pair of the " + std::to_string(width) + " components of a head turns",
                   "choose a share of at least 2 / key_dim"};
}

BlockDescriptor describeRotaryRelative() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Rotary positions";
    b.summary =
        "Rotary position embedding, RoPE (Su et al. 2021): queries and keys are turned by angles proportional to their "
        "positions, so that their product depends on the distance.";
    b.formula = "q′_i = R_i q_i, k′_j = R_j k_j; R_p turns the pair (2n, 2n+1) by the angle p · base^(−2n/W)";
    b.shapes = "q, k, q′, k′ [B,H,S,E]; W = 2⌊share · E / 2⌋ components turn";
    b.reference =
        "Su et al. 2021 (RoFormer, arXiv 2104.09864), eq. 16 and 34; Wang and Komatsuzaki 2021 (GPT-J) for a share of the "
        "components; use with position none";
    b.reading =
        "Reading. Neighbouring components make a pair, as in the paper. The code of Llama, Qwen and OLMo pairs component n "
        "with n + E/2: the same function, with the rows of W_q and W_k in another order. With scorer qk_norm queries and keys "
        "are normalised first.";
    b.parameters = rotaryFormOptions().schema();
    b.check = rotaryFormOptions().on(needsPairs);
    return b;
}

#else

namespace {

class RotaryPosition final : public RelativePosition {
public:
    RotaryPosition(const BuildContext& c, const RotaryForm& form)
        : width_(form.width(c.where.dims.keyDim)), speed_N_(c.scope.declareBuffer(speeds(width_, form.base))) {}

    /// Rotates every pair of components by the angle of its position.
    at::Tensor placed(const at::Tensor& x_BHSE, const StepPosition& at) const override {
        const std::int64_t rest = x_BHSE.size(-1) - width_;
        if (rest == 0) return turned(x_BHSE, at);
        return at::cat({turned(x_BHSE.narrow(-1, 0, width_), at), x_BHSE.narrow(-1, width_, rest)}, -1);
    }

private:
    static at::Tensor speeds(std::int64_t width, double base) {
        const at::Tensor pair_N = at::arange(width / 2, at::kDouble);
        return at::pow(base, pair_N * (-2.0 / static_cast<double>(width)));
    }

    at::Tensor turned(const at::Tensor& x_BHSW, const StepPosition& at) const {
        const at::Tensor pairs_BHSN2 = x_BHSW.unflatten(-1, {width_ / 2, 2});
        const at::Tensor angle_SN = rowNumbers(at, x_BHSW.size(2), speed_N_.options()).unsqueeze(1) * speed_N_;
        const at::Tensor cos_SN = at::cos(angle_SN), sin_SN = at::sin(angle_SN);
        const at::Tensor a = pairs_BHSN2.select(-1, 0), b = pairs_BHSN2.select(-1, 1);
        return at::stack({a * cos_SN - b * sin_SN, a * sin_SN + b * cos_SN}, -1).flatten(-2);
    }

    std::int64_t width_;  // W
    at::Tensor speed_N_;  // angle per position, N = W/2 pairs
};

}  // namespace

std::unique_ptr<const RelativePosition> makeRotary(const BuildContext& context, const RotaryForm& form) {
    return std::make_unique<RotaryPosition>(context, form);
}

std::unique_ptr<Block> makeRotaryRelative(const BuildContext& context) {
    return std::make_unique<RotaryPosition>(context, rotaryFormOptions().read(context.params));
}

#endif

}  // namespace heddle
