// SPDX-License-Identifier: Apache-2.0
// Attention residuals (Kimi Team 2026, sections 3.1 and 3.2): attention over depth at every position,
//   y = Σ_i p_i v_i,  p = softmax_i(w · RMSNorm(v_i)),  RMSNorm(v) = γ ⊙ v / √(mean(v²) + ε)
// over v_0 = h⁰, the stack's input, and the outputs s of the sublayers so far; y, the input of the next sublayer, replaces the
// residual stream. With `block` b > 1 the outputs of b sublayers in turn are summed into one v.
// s, v, y [B,S,D]; p [B,S,L]; w, γ [D]; w is 0 at the start: the mean of all v.
#include "engine/blocks/block_file.h"
#include "engine/blocks/residual/depth_weights.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/streams.h"
#endif

namespace heddle {

namespace {

struct AttnResOptions {
    std::int64_t block = 1;
    double eps = 0;
};

const OptionFields<AttnResOptions>& attnResOptions() {
    static const auto kFields =
        OptionFields<AttnResOptions>()
            .add(&AttnResOptions::block,
                 fields::integer("block", 1, {1, 1024},
                                 "Number of sublayers whose outputs are summed into one source; 1: each is one."))
            .add(&AttnResOptions::eps, fields::number("eps", 1e-6, {1e-15, 1}, "ε, added to the mean square of a source."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

namespace {

/// The stack's input and the blocks of outputs so far, with the sublayer's own.
std::int64_t attnResSources(const BlockContext& where, const AttnResOptions& o) { return 2 + where.before / o.block; }

}  // namespace

BlockDescriptor describeAttnResResidual() {
    BlockDescriptor b;
    b.resistsWidthTransfer = [](const Json&) { return true; };  // its query is a vector of output weights
    b.title = "Attention residuals";
    b.summary =
        "Attention residuals (Kimi Team 2026): the input of the next sublayer is a softmax mixture, by a learned query, of the "
        "stack's input and the outputs of all sublayers so far.";
    b.formula = "y = Σ_i p_i v_i, p = softmax_i(w · RMSNorm(v_i)), v = h⁰, s_1, …, s";
    b.shapes = "s, v, y [B,S,D]; p [B,S,L]; w, γ [D]";
    b.reference = "Kimi Team 2026 (Attention Residuals, arXiv 2603.15031), sections 3.1, 3.2 and 5";
    b.reading =
        "Reading. The paper gives the query to the sublayer that reads, where the first one has a single source; here it "
        "belongs to the sublayer before, so that the last one's mixes the stack's output.";
    b.parameters = attnResOptions().schema();
    b.parameterCount = [](const BlockContext& where, const Json&) { return 2 * where.dims.d; };
    b.flopsPerToken = attnResOptions().on([](const BlockContext& where, const AttnResOptions& o) {
        return 4.0 * static_cast<double>(attnResSources(where, o) * where.dims.d);
    });
    b.exposures = {{kDepthWeight, "weights p over depth", Exposure::Quantity::UnitGate, "BSL", 0, 1, true, false, true}};
    b.reads = DepthReading::Outputs;
    return b;
}

#else

namespace {

class AttnResResidual final : public DepthResidual {
public:
    AttnResResidual(const BuildContext& c, const AttnResOptions& o)
        : path_(c.scope.path()), eps_(o.eps), isFirstOfBlock_(c.where.before % o.block == 0) {
        query_D_ = c.scope.declare("query", {c.where.dims.d}, {Initial::Kind::Zeros});
        gain_D_ = c.scope.declare("gain", {c.where.dims.d}, {Initial::Kind::Ones});
    }

    at::Tensor joinOver(DepthStates& states, const at::Tensor&, const at::Tensor& s_BSD, const Forward& f) const override {
        if (isFirstOfBlock_)
            states.push_back(s_BSD);
        else
            states.back() = states.back() + s_BSD;
        // The product with the query comes before the division by the root of the mean square, so that the backward pass needs
        // no normalised copy of each source.
        const at::Tensor query_D = query_D_ * gain_D_;
        std::vector<at::Tensor> scores;
        for (const at::Tensor& v_BSD : states)
            scores.push_back((v_BSD * query_D).sum(-1) * (v_BSD.square().mean(-1) + eps_).rsqrt());
        return weightedSum(f.pass(path_, kDepthWeight, at::softmax(at::stack(scores, -1), -1)), states);
    }

private:
    std::string path_;
    double eps_;
    bool isFirstOfBlock_;
    at::Tensor query_D_, gain_D_;
};

}  // namespace

std::unique_ptr<Block> makeAttnResResidual(const BuildContext& context) {
    return std::make_unique<AttnResResidual>(context, attnResOptions().read(context.params));
}

#endif

}  // namespace heddle
