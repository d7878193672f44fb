// SPDX-License-Identifier: Apache-2.0
// Gated recurrent unit in place of the sum (GTrXL, Parisotto et al. 2019, section 3.2, "gated-recurrent-unit-type gating"):
//   q = σ(W_q s + U_q r)    z = σ(W_z s + U_z r − b)    h = tanh(W_h s + U_h (q ⊙ r))    y = (1 − z) ⊙ r + z ⊙ h
// r, s, y, q, z, h [B,S,D]; W, U [D,D]; b [D]. With a positive b at the start, y is near r. reset = after multiplies q with the
// product, as PyTorch's GRUCell does: h = tanh(W_h s + q ⊙ (U_h r)); bias adds biases to q and h, as there.
#include "engine/blocks/block_file.h"

namespace heddle {

enum class ResetPlace { Before, After };
template <>
struct ChoiceWords<ResetPlace> {
    static constexpr ChoiceWord<ResetPlace> kAll[] = {{"before", ResetPlace::Before}, {"after", ResetPlace::After}};
};

namespace {

struct GruResidualOptions {
    double biasInit = 0;
    bool bias = false;
    ResetPlace reset{};
};

const OptionFields<GruResidualOptions>& gruResidualOptions() {
    static const auto kFields =
        OptionFields<GruResidualOptions>()
            .add(&GruResidualOptions::biasInit,
                 fields::number("bias_init", 2, {-40, 40}, "Initial b; the larger, the more of the residual stream stays."))
            .add(&GruResidualOptions::bias,
                 fields::flag("bias", false, "Whether the reset gate and the candidate have biases, too."))
            .add(
                &GruResidualOptions::reset,
                fields::choice<ResetPlace>("reset",
                                           "Whether the reset gate multiplies the residual stream before its product with U_h, "
                                           "as in the paper, or the product, as in PyTorch's GRUCell."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeGruResidual() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b;
    b.title = "GRU gate (GTrXL)";
    b.summary =
        "GRU gating (GTrXL, Parisotto et al. 2019): a gated recurrent unit, whose state is the residual stream, reads the "
        "sublayer's output.";
    b.formulaOf = gruResidualOptions().reading([](const GruResidualOptions& o) {
        const std::string candidate =
            o.reset == ResetPlace::Before
                ? "tanh(W_h s + U_h (q ⊙ r)" + partIf(o.bias, " + b_h") + ")"
                : "tanh(W_h s" + partIf(o.bias, " + b_h") + " + q ⊙ (U_h r" + partIf(o.bias, " + c_h") + "))";
        return "y = (1 − z) ⊙ r + z ⊙ h, h = " + candidate + ", q = σ(W_q s + U_q r" + partIf(o.bias, " + b_q") +
               "), z = σ(W_z s + U_z r − b)";
    });
    b.shapes = "r, s, y, q, z, h [B,S,D]; W, U [D,D]; b [D]";
    b.reference = "Parisotto et al. 2019 (Stabilizing Transformers for Reinforcement Learning, arXiv 1910.06764), section 3.2";
    b.reading =
        "Reading. GTrXL applies a ReLU to the sublayer's output before the gate; it is left out here. The paper's layers are "
        "pre-norm.";
    b.parameters = gruResidualOptions().schema();
    b.parameterCount = gruResidualOptions().on([](const BlockContext& where, const GruResidualOptions& o) {
        const std::int64_t biases = !o.bias ? 1 : o.reset == ResetPlace::After ? 4 : 3;
        return 6 * where.dims.d * where.dims.d + biases * where.dims.d;
    });
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 12.0 * static_cast<double>(where.dims.d * where.dims.d);
    };
    b.exposures = {{tap::kResetGate, "GRU reset gate q", Quantity::UnitGate, "BSD", 0, 1, true, false, true},
                   {tap::kUpdateGate, "GRU update gate z", Quantity::UnitGate, "BSD", 0, 1, true, false, true}};
    return b;
}

#else

namespace {

class GruResidual final : public Residual {
public:
    GruResidual(const BuildContext& c, const GruResidualOptions& o)
        : path_(c.scope.path()), resetsBefore_(o.reset == ResetPlace::Before) {
        const std::int64_t d = c.where.dims.d;
        const auto map = [&](const char* name, bool hasBias) { return declareLinear(c.scope / name, d, d, WithBias{hasBias}); };
        resetOutput_ = map("reset_output", o.bias);
        resetStream_ = map("reset_stream", false);
        updateOutput_ = map("update_output", false);
        updateStream_ = map("update_stream", false);
        newOutput_ = map("new_output", o.bias);
        newStream_ = map("new_stream", o.bias && !resetsBefore_);
        keep_D_ = c.scope.declare("keep", {d}, {Initial::Kind::Constant, o.biasInit});
    }

    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor&, const at::Tensor& s_BSD, const Forward& f) const override {
        const at::Tensor q_BSD = f.pass(path_, tap::kResetGate, at::sigmoid(resetOutput_(s_BSD) + resetStream_(r_BSD)));
        const at::Tensor z_BSD =
            f.pass(path_, tap::kUpdateGate, at::sigmoid(updateOutput_(s_BSD) + updateStream_(r_BSD) - keep_D_));
        const at::Tensor ofStream_BSD = resetsBefore_ ? newStream_(q_BSD * r_BSD) : q_BSD * newStream_(r_BSD);
        return at::lerp(r_BSD, at::tanh(newOutput_(s_BSD) + ofStream_BSD), z_BSD);
    }

private:
    std::string path_;
    bool resetsBefore_;
    Linear resetOutput_, resetStream_, updateOutput_, updateStream_, newOutput_, newStream_;
    at::Tensor keep_D_;  // b
};

}  // namespace

std::unique_ptr<Block> makeGruResidual(const BuildContext& context) {
    return std::make_unique<GruResidual>(context, gruResidualOptions().read(context.params));
}

#endif

}  // namespace heddle
