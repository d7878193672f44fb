// SPDX-License-Identifier: Apache-2.0
// Depth-weighted average (DenseFormer, Pagliardini et al. 2024, section 3). On the last sublayer of every layer:
//   y = Σ_{j<i} α_ij X_j + α_ii X_i,  X_i = r + s, X_0 = h⁰ the stack's input, X_j that of earlier sublayers with this block
// r, s, y, X [B,S,D]; α_i [i+1] learned numbers, 0 but for α_ii = 1 at the start: a plain residual connection.
#include "engine/blocks/block_file.h"
#include "engine/blocks/residual/depth_weights.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/streams.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeDenseResidual() {
    BlockDescriptor b;
    b.title = "Depth-weighted average (DenseFormer)";
    b.summary =
        "DenseFormer's depth-weighted average (Pagliardini et al. 2024): replaces the residual sum by a learned combination of "
        "it, the sums of earlier layers and the stack's input.";
    b.formula = "y = Σ_{j≤i} α_ij X_j, X_i = r + s, X_0 = h⁰";
    b.shapes = "r, s, y, X [B,S,D]; α_i [i+1]";
    b.reference = "Pagliardini et al. 2024 (DenseFormer, arXiv 2402.02622), section 3, and the authors' code";
    b.reading =
        "Reading. The paper averages after every layer, so the block belongs on the last sublayer alone (`\"ffn\": "
        "{\"residual\": \"dense\"}`); on all sublayers it averages after each of them. Dilation is left out. X_j are the "
        "states after the sublayers that have the block.";
    b.parameterCount = [](const BlockContext& where, const Json&) { return sumsWeighed(where); };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(sumsWeighed(where) * where.dims.d);
    };
    b.exposures = {{kDepthWeight, "weights α over depth", Exposure::Quantity::Scalar, "L", -1, 2, true, false, true}};
    b.reads = DepthReading::Sums;
    return b;
}

#else

namespace {

class DenseResidual final : public DepthResidual {
public:
    explicit DenseResidual(const BuildContext& c) : path_(c.scope.path()) {
        const std::int64_t sources = sumsWeighed(c.where);
        weight_L_ = c.scope.declare("weight", {sources}, {Initial::Kind::Unit, static_cast<double>(sources - 1)});
    }

    at::Tensor joinOver(DepthStates& states, const at::Tensor& r_BSD, const at::Tensor& s_BSD,
                        const Forward& f) const override {
        states.push_back(r_BSD + s_BSD);
        return weightedSum(f.pass(path_, kDepthWeight, weight_L_), states);
    }

private:
    std::string path_;
    at::Tensor weight_L_;
};

}  // namespace

std::unique_ptr<Block> makeDenseResidual(const BuildContext& context) { return std::make_unique<DenseResidual>(context); }

#endif

}  // namespace heddle
