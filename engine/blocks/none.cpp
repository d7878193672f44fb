// SPDX-License-Identifier: Apache-2.0
// The block that does nothing (kNoBlock) of every slot that may be empty. In the slots position and score it also works step
// by step.
#include "engine/blocks/block_file.h"
#include "engine/blocks/mask/key_mask.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/incremental.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

namespace {

constexpr const char* kOfTheTransformer = "Vaswani et al. 2017 (arXiv 1706.03762)";
constexpr const char* kNeutral = "Heddle: the neutral choice of the slot";

struct NothingText {
    const char *title, *summary, *formula, *shapes, *reference;
};

BlockDescriptor nothing(const NothingText& text) {
    BlockDescriptor b = blockWithoutCost();
    b.title = text.title;
    b.summary = text.summary;
    b.formula = text.formula;
    b.shapes = text.shapes;
    b.reference = text.reference;
    return b;
}

}  // namespace

BlockDescriptor describeNoPosition() {
    return nothing(
        {"No position",
         "No position encoding: without a causal mask or another source of order the model does not know the order of its "
         "input tokens.",
         "y = x", "x, y [B,S,D]", kNeutral});
}

BlockDescriptor describeNoMask() {
    return nothing({"No mask", "No mask: every query attends to every key, including padding.", "visible(q, k) = true",
                    "visible [B,H,Q,K]", "Atinuke paper (Oketunji 2024), listing: no mask of any kind"});
}

BlockDescriptor describeNoRelative() {
    return nothing({"No position in attention",
                    "No relative position: a score depends on the vectors of query and key alone, not on their distance.",
                    "z = s", "s, z [B,H,Q,K]", kOfTheTransformer});
}

BlockDescriptor describeNoScoreRule() {
    return nothing({"No score carry", "No residual attention scores: every layer uses only its own.", "z = s", "s, z [B,H,Q,K]",
                    kOfTheTransformer});
}

BlockDescriptor describeNoCap() {
    return nothing({"No cap", "No cap: the logits of the attention are as large as the scores make them.", "z = s",
                    "s, z [B,H,Q,K]", kOfTheTransformer});
}

BlockDescriptor describeNoValueCarry() {
    return nothing({"No value carry", "No value residual: every layer mixes its own values alone.", "V′ = V", "V, V′ [B,G,K,E]",
                    kOfTheTransformer});
}

BlockDescriptor describeNoSelector() {
    return nothing({"No selection", "No selection: a query attends to every key that the mask shows.", "w = p",
                    "p, w [B,H,Q,K]", kOfTheTransformer});
}

BlockDescriptor describeNoDirectPath() {
    return nothing({"No direct path", "No direct path: a layer receives the stack's input through the layers before it only.",
                    "d = 0", "d [B,S,D]", kOfTheTransformer});
}

BlockDescriptor describeNoAdjuster() {
    return nothing({"No adjuster", "No adjuster: the sublayer's output is passed on unchanged.", "y = x", "x, y [B,S,D]",
                    kOfTheTransformer});
}

BlockDescriptor describeNoParallel() {
    return nothing({"Nothing in parallel",
                    "No parallel branch: only the sublayer's own output reaches the residual connection.", "p = 0", "p [B,S,D]",
                    kOfTheTransformer});
}

BlockDescriptor describeNoResidual() {
    return nothing({"No residual", "No residual connection: the sublayer's output replaces its input.", "y = s", "s, y [B,S,D]",
                    kNeutral});
}

BlockDescriptor describeNoNorm() {
    return nothing(
        {"No normalisation", "No normalisation: vectors are passed on unchanged.", "N(x) = x", "x [B,S,D]",
         "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb); ReZero, Bachlechner et al. 2020 (arXiv 2003.04887)"});
}

#else

namespace {

class NoPosition final : public Position, public IncrementalPosition {
public:
    Where where() const override { return Where::Input; }
    at::Tensor add(const at::Tensor& x_BSD, std::int64_t) const override { return x_BSD; }
    at::Tensor addAt(const at::Tensor& x_BSD, const at::Tensor&) const override { return x_BSD; }
};

class NoRelative final : public RelativePosition {};

class NoScoreRule final : public ScoreRule, public IncrementalScoreRule {
public:
    Sum add(const at::Tensor& raw_BHQK, const Earlier&, const Forward&) const override { return {raw_BHQK, raw_BHQK}; }
    std::string stepObstacle(Keys) const override { return {}; }
};

class NoCap final : public LogitCap {
public:
    at::Tensor capped(const at::Tensor& logits_BHQK, const Forward&) const override { return logits_BHQK; }
};

class NoValueCarry final : public ValueCarry {
public:
    at::Tensor mixed(const at::Tensor& own_BGKE, const ValueChain&, const Forward&) const override { return own_BGKE; }
};

class NoSelector final : public Selector {
public:
    bool selects() const override { return false; }
    Choice choose(const Inputs& in, const Forward&) const override { return {in.hidden, {}, {}, {}}; }
};

class NoDirectPath final : public DirectPath {
public:
    at::Tensor path(const LinearInput&) const override { return {}; }
};

class NoAdjuster final : public Adjuster {
public:
    at::Tensor adjust(const at::Tensor& x_BSD, const at::Tensor&, const Forward&) const override { return x_BSD; }
    bool adjusts() const override { return false; }
};

class NoParallel final : public Parallel {
public:
    at::Tensor beside(const at::Tensor&, const Forward&) const override { return {}; }
    bool adds() const override { return false; }
};

class NoResidual final : public Residual {
public:
    at::Tensor join(const at::Tensor&, const at::Tensor&, const at::Tensor& s_BSD, const Forward&) const override {
        return s_BSD;
    }
};

class NoNorm final : public Norm {
public:
    Place place() const override { return Place::Post; }
    at::Tensor normalise(const at::Tensor& x_BSD) const override { return x_BSD; }
    bool norms() const override { return false; }
};

}  // namespace

std::unique_ptr<Block> makeNoPosition(const BuildContext&) { return std::make_unique<NoPosition>(); }
std::unique_ptr<Block> makeNoMask(const BuildContext&) { return makeMask({}); }
std::unique_ptr<Block> makeNoRelative(const BuildContext&) { return std::make_unique<NoRelative>(); }
std::unique_ptr<Block> makeNoScoreRule(const BuildContext&) { return std::make_unique<NoScoreRule>(); }
std::unique_ptr<Block> makeNoCap(const BuildContext&) { return std::make_unique<NoCap>(); }
std::unique_ptr<Block> makeNoValueCarry(const BuildContext&) { return std::make_unique<NoValueCarry>(); }
std::unique_ptr<Block> makeNoSelector(const BuildContext&) { return std::make_unique<NoSelector>(); }
std::unique_ptr<Block> makeNoDirectPath(const BuildContext&) { return std::make_unique<NoDirectPath>(); }
std::unique_ptr<Block> makeNoAdjuster(const BuildContext&) { return std::make_unique<NoAdjuster>(); }
std::unique_ptr<Block> makeNoParallel(const BuildContext&) { return std::make_unique<NoParallel>(); }
std::unique_ptr<Block> makeNoResidual(const BuildContext&) { return std::make_unique<NoResidual>(); }
std::unique_ptr<Block> makeNoNorm(const BuildContext&) { return std::make_unique<NoNorm>(); }

#endif

}  // namespace heddle
