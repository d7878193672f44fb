// SPDX-License-Identifier: Apache-2.0
// Dynamic dense connections of the residual stream (MUDDFormer, Xiao et al. 2025, one way of its four). On the last sublayer of
// every layer:
//   y = Σ_{j≤i} A_ij X_j,  A_i = a_i + W_2 GELU(W_1 RMSNorm(X_i)),  X_i = r + s, X_0 = h⁰ the stack's input
// r, s, y, X [B,S,D]; A_i [B,S,L], L = i+1; a_i [L] is 0 but for a_ii = 1 and W_2 [L,L] is 0 at the start: a plain residual
// connection; W_1 [L,D]; RMSNorm without a gain.
#include "engine/blocks/block_file.h"
#include "engine/blocks/residual/depth_weights.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/streams.h"
#endif

namespace heddle {

namespace {

struct MuddOptions {
    double eps = 0;
};

const OptionFields<MuddOptions>& muddOptions() {
    static const auto kFields = OptionFields<MuddOptions>().add(
        &MuddOptions::eps, fields::number("eps", 1e-6, {1e-15, 1}, "ε, added to the mean square of the stream."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeMuddResidual() {
    BlockDescriptor b;
    b.title = "Dynamic dense connections (MUDD)";
    b.summary =
        "Dynamic dense connections (MUDDFormer, Xiao et al. 2025) of the residual stream: a small network computes at every "
        "position how much of each earlier layer's sum and of the stack's input goes on.";
    b.formula = "y = Σ_{j≤i} A_ij X_j, A_i = a_i + W_2 GELU(W_1 RMSNorm(X_i)), X_i = r + s, X_0 = h⁰";
    b.shapes = "r, s, y, X [B,S,D]; A_i [B,S,i+1]; a_i [i+1], W_1 [i+1,D], W_2 [i+1,i+1]";
    b.reference = "Xiao et al. 2025 (MUDDFormer, arXiv 2502.12170), and the authors' code";
    b.reading =
        "Reading. Of the paper's four ways (queries, keys, values, residual) this is that of the residual stream, as the "
        "authors' code has it for one way. Its hidden layer has as many units as there are states; the code's rounding of them "
        "to multiples of 64 is left out. The paper connects after every layer, so the block belongs on the last sublayer "
        "alone.";
    b.parameters = muddOptions().schema();
    b.parameterCount = [](const BlockContext& where, const Json&) {
        const std::int64_t sources = sumsWeighed(where);
        return sources * (where.dims.d + sources + 1);
    };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        const std::int64_t sources = sumsWeighed(where);
        return 2.0 * static_cast<double>(sources * (2 * where.dims.d + sources));
    };
    b.exposures = {{kDepthWeight, "weights A over depth", Exposure::Quantity::SignedGate, "BSL", -1, 2, true, false, true}};
    b.reads = DepthReading::Sums;
    return b;
}

#else

namespace {

class MuddResidual final : public DepthResidual {
public:
    MuddResidual(const BuildContext& c, const MuddOptions& o) : path_(c.scope.path()), eps_(o.eps) {
        const std::int64_t sources = sumsWeighed(c.where);
        hidden_ = declareLinear(c.scope / "hidden", c.where.dims.d, sources, WithBias::No);
        out_ = {c.scope.factor(c.scope.declare("out.weight", {sources, sources}, {Initial::Kind::Zeros})), {}};
        weight_L_ = c.scope.declare("weight", {sources}, {Initial::Kind::Unit, static_cast<double>(sources - 1)});
    }

    at::Tensor joinOver(DepthStates& states, const at::Tensor& r_BSD, const at::Tensor& s_BSD,
                        const Forward& f) const override {
        const at::Tensor x_BSD = r_BSD + s_BSD;
        states.push_back(x_BSD);
        const at::Tensor normed_BSD = x_BSD * (x_BSD.square().mean(-1, true) + eps_).rsqrt();
        return weightedSum(f.pass(path_, kDepthWeight, weight_L_ + out_(at::gelu(hidden_(normed_BSD)))), states);
    }

private:
    std::string path_;
    double eps_;
    Linear hidden_, out_;
    at::Tensor weight_L_;
};

}  // namespace

std::unique_ptr<Block> makeMuddResidual(const BuildContext& context) {
    return std::make_unique<MuddResidual>(context, muddOptions().read(context.params));
}

#endif

}  // namespace heddle
