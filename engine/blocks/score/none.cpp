// SPDX-License-Identifier: Apache-2.0
// No score carry: z = s; s, z [B,H,Q,K].
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/incremental.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeNoScoreRule() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "No score carry";
    b.summary = "No residual attention scores: every layer uses only its own.";
    b.formula = "z = s";
    b.shapes = "s, z [B,H,Q,K]";
    b.reference = "Vaswani et al. 2017 (arXiv 1706.03762)";
    return b;
}

#else

namespace {

class NoScoreRule final : public ScoreRule, public IncrementalScoreRule {
public:
    Sum add(const at::Tensor& raw_BHQK, const Earlier&, const Forward&) const override { return {raw_BHQK, raw_BHQK}; }
    std::string stepObstacle(Keys) const override { return {}; }
};

}  // namespace

std::unique_ptr<Block> makeNoScoreRule(const BuildContext&) { return std::make_unique<NoScoreRule>(); }

#endif

}  // namespace heddle
