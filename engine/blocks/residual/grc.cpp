// SPDX-License-Identifier: Apache-2.0
// Gated Residual Connection (EAU/GRC paper, eq. 5–6; variants.md 1.1):
//   g = σ(W_g r + b_g)    y = r + g ⊙ s    r, g, s, y [B,S,D]; W_g [D,D]
// It is not the highway coupling (1−g) ⊙ r + g ⊙ s: for b_g → +∞ it is the plain sum, for b_g → −∞ the identity.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#endif

namespace heddle {

enum class GateInput { R, NormR, S, Concat };
template <>
struct ChoiceWords<GateInput> {
    static constexpr ChoiceWord<GateInput> kAll[] = {
        {"r", GateInput::R}, {"norm_r", GateInput::NormR}, {"s", GateInput::S}, {"concat", GateInput::Concat}};
};

namespace {

struct GrcOptions {
    GateInput gateInput{};
    std::optional<double> biasInit;
};

const OptionFields<GrcOptions>& grcOptions() {
    static const auto kFields =
        OptionFields<GrcOptions>()
            .add(&GrcOptions::gateInput,
                 fields::choice<GateInput>(
                     "gate_input",
                     "Input of the gate: the residual stream r, the sublayer's input (norm_r: normalised in pre-norm; in "
                     "post-norm and without a norm r itself), the sublayer's output s, or [r, s] (concat; d² more weights)."))
            .add(&GrcOptions::biasInit,
                 fields::derivable(fields::number("bias_init", nullptr, {-40, 40},
                                                  "Initial bias of the gate; null: as init says, so that g starts near 0.5; +2 "
                                                  "starts near a plain residual connection.")));
    return kFields;
}

std::int64_t gateInputWidth(const BlockContext& where, const GrcOptions& o) {
    return o.gateInput == GateInput::Concat ? 2 * where.dims.d : where.dims.d;
}

}  // namespace

#ifndef HEDDLE_MODULES

namespace {

std::string inFormula(GateInput input) {
    switch (input) {
    case GateInput::R: return "r";
    case GateInput::NormR: return "N(r)";
    case GateInput::S: return "s";
    case GateInput::Concat: break;
    }
    return "[r, s]";
}

}  // namespace

BlockDescriptor describeGrcResidual() {
    BlockDescriptor b;
    b.title = "Gated Residual Connection";
    b.summary =
        "Gated Residual Connection (Dhayalkar 2024): a sigmoid gate computed from the residual stream decides, per component, "
        "how much of the sublayer's output is added.";
    b.formulaOf = grcOptions().reading(
        [](const GrcOptions& o) -> std::string { return "y = r + σ(W_g " + inFormula(o.gateInput) + " + b_g) ⊙ s"; });
    b.shapes = "r, g, s, y [B,S,D]; W_g [D,D], for [r, s] [D,2D]";
    b.reference = "EAU/GRC paper (Dhayalkar 2024, arXiv 2405.13407), eq. 5–6";
    b.neutral = {{"gate.weight", 0}, {"gate.bias", 8}};  // g = 1 − 3·10⁻⁴: a plain residual that can still learn
    b.parameters = grcOptions().schema();
    b.parameterCount = grcOptions().on(
        [](const BlockContext& where, const GrcOptions& o) { return gateInputWidth(where, o) * where.dims.d + where.dims.d; });
    b.flopsPerToken = grcOptions().on([](const BlockContext& where, const GrcOptions& o) {
        return 2.0 * static_cast<double>(gateInputWidth(where, o) * where.dims.d);
    });
    b.exposures = {{tap::kGate, "GRC gate g", Exposure::Quantity::UnitGate, "BSD", 0, 1, true, false, true}};
    b.note = grcOptions().on([](const Neighbours& beside, const GrcOptions& o) -> std::optional<Problem> {
        if (o.gateInput != GateInput::NormR || beside.isPreNorm) return std::nullopt;
        return Problem{"gate_input", "norm_r equals r here, because the sublayer has no pre-norm (defaults.norm.place)", ""};
    });
    return b;
}

#else

namespace {

class GrcResidual final : public Residual, public AddingResidual {
public:
    GrcResidual(const BuildContext& c, const GrcOptions& o) : path_(c.scope.path()), input_(o.gateInput) {
        Initial bias;
        if (o.biasInit) bias = {Initial::Kind::Constant, *o.biasInit};
        gate_ = declareLinear(c.scope / "gate", gateInputWidth(c.where, o), c.where.dims.d, bias);
    }

    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const at::Tensor& s_BSD,
                    const Forward& f) const override {
        const at::Tensor g_BSD = f.pass(path_, tap::kGate, at::sigmoid(gate_(gateInput(r_BSD, u_BSD, s_BSD))));
        return r_BSD + g_BSD * s_BSD;
    }

    std::optional<Gate> gate(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const Forward& f) const override {
        if (input_ == GateInput::S || input_ == GateInput::Concat || f.replaces(path_, tap::kGate)) return std::nullopt;
        const Gate gate{gate_.product(input_ == GateInput::R ? r_BSD : u_BSD)};
        if (f.wants(path_, tap::kGate)) f.pass(path_, tap::kGate, at::sigmoid(gate.before_BSD.y.detach()));
        return gate;
    }

private:
    at::Tensor gateInput(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const at::Tensor& s_BSD) const {
        switch (input_) {
        case GateInput::R: return r_BSD;
        case GateInput::NormR: return u_BSD;
        case GateInput::S: return s_BSD;
        case GateInput::Concat: break;
        }
        return at::cat({r_BSD, s_BSD}, -1);
    }

    std::string path_;
    GateInput input_;
    Linear gate_;
};

}  // namespace

std::unique_ptr<Block> makeGrcResidual(const BuildContext& context) {
    return std::make_unique<GrcResidual>(context, grcOptions().read(context.params));
}

#endif

}  // namespace heddle
