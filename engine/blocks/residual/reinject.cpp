// SPDX-License-Identifier: Apache-2.0
// Input reinjection (Deep Equilibrium Models, Bai et al. 2019; x-transformers' reinject_input): what every sublayer reads is
// the sum of the stream and a projection of the stack's input, which does not enter the stream itself:
//   y = r + s,  s = f(N(r + e)),  e = W h⁰, or e = σ(w · h⁰) W h⁰
// r, s, y, e, h⁰ [B,S,D]; W [D,D]; w [D]. The stack has one W and one w: the first sublayer with the block computes e.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/streams.h"
#endif

namespace heddle {

namespace {

struct ReinjectOptions {
    bool gate = false;
};

const OptionFields<ReinjectOptions>& reinjectOptions() {
    static const auto kFields = OptionFields<ReinjectOptions>().add(
        &ReinjectOptions::gate, fields::flag("gate", false, "Whether a learned gate weighs what is added, at every position."));
    return kFields;
}

/// Whether this sublayer computes what all of the stack add.
bool reinjectsFirst(const BlockContext& where) { return where.before == 0; }

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeReinjectResidual() {
    BlockDescriptor b;
    b.title = "Input reinjection";
    b.summary =
        "Input reinjection (Bai et al. 2019): adds a projection of the stack's input to what every sublayer reads; the "
        "residual stream itself is a plain residual sum.";
    b.formulaOf = reinjectOptions().reading(
        [](const ReinjectOptions& o) { return "y = r + s, s = f(N(r + e)), e = " + partIf(o.gate, "σ(w · h⁰) ") + "W h⁰"; });
    b.shapes = "r, s, y, e, h⁰ [B,S,D]; W [D,D]; w [D]";
    b.reference =
        "Deep Equilibrium Models, Bai et al. 2019 (arXiv 1909.01377); reinject_input and learned_reinject_input_gate of "
        "x-transformers 2.16.1";
    b.reading =
        "Reading. As in x-transformers, one projection serves all sublayers of a stack, and a pre-norm sees the sum. The first "
        "sublayer with the block has the parameters.";
    b.parameters = reinjectOptions().schema();
    b.parameterCount = reinjectOptions().on([](const BlockContext& where, const ReinjectOptions& o) -> std::int64_t {
        const std::int64_t d = where.dims.d;
        return reinjectsFirst(where) ? d * d + (o.gate ? d : 0) : 0;
    });
    b.flopsPerToken = reinjectOptions().on([](const BlockContext& where, const ReinjectOptions& o) {
        const auto d = static_cast<double>(where.dims.d);
        return reinjectsFirst(where) ? 2 * d * d + (o.gate ? 2 * d : 0) : 0.0;
    });
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (reinjectsFirst(where) || !where.twin.empty() || !where.firstOfStack.empty()) return std::nullopt;
        return Problem{"",
                       "a stack reinjects its input by one projection, but here the block has other options or another place "
                       "than in the layers before",
                       "set defaults.residual, or the same sublayers of all layers alike"};
    };
    b.exposures = {{tap::kDelta, "reinjected input e", Exposure::Quantity::Delta, "BSD", -4, 4, true, false, true}};
    b.reads = DepthReading::Input;
    return b;
}

#else

namespace {

class ReinjectResidual final : public DepthResidual {
public:
    ReinjectResidual(const BuildContext& c, const ReinjectOptions& o)
        : path_(c.scope.path()), isFirst_(reinjectsFirst(c.where)) {
        if (!isFirst_) return;
        map_ = declareLinear(c.scope / "map", c.where.dims.d, c.where.dims.d, WithBias::No);
        if (o.gate) gate_ = declareLinear(c.scope / "gate", c.where.dims.d, 1, WithBias::No);
    }

    Entry enter(DepthStates& states, const at::Tensor& h_BSD, const Forward& f) const override {
        const bool isDue = isFirst_ && states.size() == 1;  // layers that share weights come by more than once
        if (isDue) states.push_back(ofInput(states.front()));
        return {h_BSD, h_BSD + f.pass(path_, tap::kDelta, states.back())};
    }

    at::Tensor joinOver(DepthStates&, const at::Tensor& r_BSD, const at::Tensor& s_BSD, const Forward&) const override {
        return r_BSD + s_BSD;
    }

private:
    at::Tensor ofInput(const at::Tensor& input_BSD) const {
        const at::Tensor e_BSD = map_(input_BSD);
        return gate_.weight.defined() ? e_BSD * at::sigmoid(gate_(input_BSD)) : e_BSD;
    }

    std::string path_;
    bool isFirst_;
    Linear map_, gate_;
};

}  // namespace

std::unique_ptr<Block> makeReinjectResidual(const BuildContext& context) {
    return std::make_unique<ReinjectResidual>(context, reinjectOptions().read(context.params));
}

#endif

}  // namespace heddle
