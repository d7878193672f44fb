// SPDX-License-Identifier: Apache-2.0
// Gated Residual Connection (EAU/GRC paper, eq. 5–6; variants.md 1.1):
//   g = σ(W_g r + b_g)    y = r + g ⊙ s    r, g, s, y [B,S,D]; W_g [D,D]
// It is not the highway coupling (1−g) ⊙ r + g ⊙ s: with b_g → +∞ it is the plain sum, with b_g → −∞ the sublayer is cut off.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#endif

namespace heddle {

namespace {

std::int64_t inputWidth(const BlockContext& where, const Json& params) {
    return params.at("gate_input") == "concat" ? 2 * where.dims.d : where.dims.d;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeGrcResidual() {
    BlockDescriptor b;
    b.title = "Gated Residual Connection";
    b.summary = "Lets the stream decide, component by component, how much of the sublayer's output is added.";
    b.formula = "y = r + σ(W_g r + b_g) ⊙ s";
    b.shapes = "r, g, s, y [B,S,D]; W_g [D,D]";
    b.reference = "EAU/GRC paper, eq. 5–6";
    b.neutral = {{"gate.weight", 0}, {"gate.bias", 8}};  // g = 1 − 3·10⁻⁴: a plain residual that can still learn
    b.parameters = {
        fields::choice("gate_input", {"r", "norm_r", "s", "concat"},
                       "What the gate sees: the skip value r, what the sublayer saw of it (norm_r: normalised in pre-norm; in "
                       "post-norm and without a norm it is r itself), the sublayer's output s, or [r, s] (d² more weights)."),
        fields::derivable(fields::number("bias_init", nullptr, {-40, 40},
                                         "Gate bias at the start; null: as init says, so that g starts near 0.5. +2 starts "
                                         "near the plain sum."))};
    b.parameterCount = [](const BlockContext& where, const Json& params) {
        return inputWidth(where, params) * where.dims.d + where.dims.d;
    };
    b.flopsPerToken = [](const BlockContext& where, const Json& params) {
        return 2.0 * static_cast<double>(inputWidth(where, params) * where.dims.d);
    };
    b.exposures = {{tap::kGate, "GRC gate g", Exposure::Quantity::UnitGate, "BSD", 0, 1, true, false, true}};
    b.keptTensors = [](const BlockContext& where, const Json& params) -> KeptTensors {
        const std::string input = params.at("gate_input");
        std::vector<double> own{where.streamBytes(where.dims.d)};
        if (input == "concat") own.push_back(where.streamBytes(2 * where.dims.d));
        const bool readsSublayer = input == "s" || input == "concat";
        return {own,
                input == "r"        ? "rs"
                : input == "norm_r" ? "us"
                                    : "s",
                "", readsSublayer ? KeptTensors::Form::Plain : KeptTensors::Form::Fusable};
    };
    b.flopsOnInput = [](const BlockContext& where, const Json& params) {
        const bool readsStream = params.at("gate_input") == "r" || params.at("gate_input") == "norm_r";
        return readsStream ? 2.0 * static_cast<double>(where.dims.d * where.dims.d) : 0.0;
    };
    return b;
}

#else

namespace {

class GrcResidual final : public Residual, public AddingResidual {
public:
    explicit GrcResidual(const BuildContext& c) : path_(c.scope.path()), input_(c.params.at("gate_input")) {
        Initial bias;
        if (!c.params.at("bias_init").is_null()) bias = {Initial::Kind::Constant, c.params.at("bias_init").get<double>()};
        gate_ = declareLinear(c.scope / "gate", inputWidth(c.where, c.params), c.where.dims.d, bias);
    }

    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const at::Tensor& s_BSD,
                    const Forward& f) const override {
        const at::Tensor g_BSD = f.pass(path_, tap::kGate, at::sigmoid(gate_(gateInput(r_BSD, u_BSD, s_BSD))));
        return r_BSD + g_BSD * s_BSD;
    }

    std::optional<Gate> gate(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const Forward& f) const override {
        if (input_ == "s" || input_ == "concat" || f.replaces(path_, tap::kGate)) return std::nullopt;
        const Gate gate{gate_(input_ == "r" ? r_BSD : u_BSD)};
        if (f.wants(path_, tap::kGate)) f.pass(path_, tap::kGate, at::sigmoid(gate.before_BSD.detach()));
        return gate;
    }

private:
    at::Tensor gateInput(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const at::Tensor& s_BSD) const {
        if (input_ == "norm_r") return u_BSD;
        if (input_ == "s") return s_BSD;
        return input_ == "concat" ? at::cat({r_BSD, s_BSD}, -1) : r_BSD;
    }

    std::string path_, input_;
    Linear gate_;
};

}  // namespace

std::unique_ptr<Block> makeGrcResidual(const BuildContext& context) { return std::make_unique<GrcResidual>(context); }

#endif

}  // namespace heddle
