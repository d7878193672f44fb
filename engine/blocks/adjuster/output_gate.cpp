// SPDX-License-Identifier: Apache-2.0
// Gated attention output (Qiu et al. 2025, section 2.2, position G1: after the mixed values, before the output projection):
//   y = x ⊙ g,  g = σ(W_g u)    x, y [B,S,H·E] the merged heads; u [B,S,D] the sublayer's input, after the norm in pre-norm
// elementwise: W_g [H·E,D], g [B,S,H·E]      headwise: W_g [H,D], g [B,S,H], one number for all components of a head
// With act silu, SiLU stands in place of σ (Shazeer 2020, whose gate of the feed-forward network it is).
#include "engine/blocks/adjuster/before_projection.h"

namespace heddle {

enum class GateGrain { Elementwise, Headwise };
template <>
struct ChoiceWords<GateGrain> {
    static constexpr ChoiceWord<GateGrain> kAll[] = {{"elementwise", GateGrain::Elementwise},
                                                     {"headwise", GateGrain::Headwise}};
};

namespace {

constexpr const char* kUnboundedGate = "factor";  ///< the gate with an activation that is not bounded

struct OutputGateOptions {
    GateGrain grain{};
    Activation act{};
    bool bias = false;
    std::optional<double> biasInit;
};

const OptionFields<OutputGateOptions>& outputGateOptions() {
    static const auto kFields =
        OptionFields<OutputGateOptions>()
            .add(&OutputGateOptions::grain,
                 fields::choice<GateGrain>("grain", "A gate for every component of every head, or one for each head."))
            .add(&OutputGateOptions::act, fields::choice("act", {Activation::Sigmoid, Activation::Silu},
                                                         "Activation of the gate: sigmoid, or silu, which is not bounded."))
            .add(&OutputGateOptions::bias,
                 fields::flag("bias", false, "Whether the gate's map has a bias; the paper's has none."))
            .add(&OutputGateOptions::biasInit,
                 fields::derivable(fields::number("bias_init", nullptr, {-40, 40},
                                                  "Initial bias of the gate, with bias; null: as init says, so that a sigmoid "
                                                  "starts near 0.5; with it +2 starts near attention without a gate.")));
    return kFields;
}

/// Returns the number of gates per position.
std::int64_t gateCount(const BlockContext& where, const OutputGateOptions& o) {
    return where.dims.heads * (o.grain == GateGrain::Elementwise ? where.dims.valueDim : 1);
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeOutputGateAdjuster() {
    BlockDescriptor b;
    b.title = "Output gate of attention";
    b.summary =
        "Gated attention (Qiu et al. 2025): a sigmoid gate computed from the sublayer's input scales the merged heads before "
        "the output projection.";
    b.formulaOf = outputGateOptions().reading([](const OutputGateOptions& o) -> std::string {
        const std::string gate = activated(o.act, "W_g u" + partIf(o.bias, " + b_g"));
        return o.grain == GateGrain::Elementwise ? "y = x ⊙ " + gate : "y_h = x_h " + gate + "_h";
    });
    b.shapes = "x, y, g [B,S,H·E]; u [B,S,D]; W_g [H·E,D]; with grain headwise g [B,S,H], W_g [H,D]";
    b.reference = "Qiu et al. 2025 (arXiv 2505.06708), section 2.2, position G1; Shazeer 2020 (arXiv 2002.05202) for silu";
    b.parameters = outputGateOptions().schema();
    b.parameterCount = outputGateOptions().on([](const BlockContext& where, const OutputGateOptions& o) {
        return gateCount(where, o) * (where.dims.d + (o.bias ? 1 : 0));
    });
    b.flopsPerToken = outputGateOptions().on([](const BlockContext& where, const OutputGateOptions& o) {
        return 2.0 * static_cast<double>(gateCount(where, o) * where.dims.d);
    });
    b.check = outputGateOptions().on([](const BlockContext& where, const OutputGateOptions& o) -> std::optional<Problem> {
        if (auto problem = needsProjection(where, "gate")) return problem;
        if (o.biasInit && !o.bias)
            return Problem{"bias_init", "the gate has no bias that could start there", "set bias to true, or leave it out"};
        return std::nullopt;
    });
    placeBeforeProjection(b);
    b.exposures = {
        {tap::kGate, "output gate g", Exposure::Quantity::UnitGate, "BSD", 0, 1, true, false, true},
        {kUnboundedGate, "output gate g with act silu", Exposure::Quantity::Scalar, "BSD", -1, 10, true, false, true}};
    return b;
}

#else

namespace {

class OutputGateAdjuster final : public Adjuster {
public:
    OutputGateAdjuster(const BuildContext& c, const OutputGateOptions& o)
        : path_(c.scope.path()), act_(o.act), headWidth_(o.grain == GateGrain::Headwise ? c.where.dims.valueDim : 1) {
        const ParameterScope scope = c.scope / "gate";
        const std::int64_t d = c.where.dims.d, gates = gateCount(c.where, o);
        gate_ = o.biasInit ? declareLinear(scope, d, gates, Initial{Initial::Kind::Constant, *o.biasInit})
                           : declareLinear(scope, d, gates, WithBias{o.bias});
    }

    Place place() const override { return Place::BeforeOutputProjection; }

    at::Tensor adjust(const at::Tensor& x_BSD, const at::Tensor& u_BSD, const Forward& f) const override {
        const char* const shown = act_ == Activation::Sigmoid ? tap::kGate : kUnboundedGate;
        const at::Tensor g_BSG = f.pass(path_, shown, activated(act_, gate_.product(u_BSD)));
        if (headWidth_ == 1) return x_BSD * g_BSG;
        return (x_BSD.unflatten(-1, {g_BSG.size(-1), headWidth_}) * g_BSG.unsqueeze(-1)).flatten(-2);
    }

private:
    std::string path_;
    Activation act_;
    std::int64_t headWidth_;  ///< components that share a gate
    Linear gate_;
};

}  // namespace

std::unique_ptr<Block> makeOutputGateAdjuster(const BuildContext& context) {
    return std::make_unique<OutputGateAdjuster>(context, outputGateOptions().read(context.params));
}

#endif

}  // namespace heddle
