// SPDX-License-Identifier: Apache-2.0
// The graph of a recurrent network (StarSaber paper, eq. 1 as the special case of eq. 2 that it starts from; variants.md 5.1):
//   G_ni = 1 where i = n − 1, else 0    G [B,H,Q,K]; the first row is 0
// G are the attention weights: no scoring, mask or normalisation. Queries are the last positions of the keys.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/incremental.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeChainScorer() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Chain";
    b.summary =
        "Recurrent chain (StarSaber, Xu et al. 2020): every position attends to the position before it only, as in a recurrent "
        "network.";
    b.formula = "G_ni = 1 if i = n − 1, else 0";
    b.shapes = "G [B,1,Q,K]";
    b.reference = "StarSaber paper (Xu, Hu and Tang 2020, openreview JNP-CqSjkDb), eq. 1–2";
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.sublayer != SublayerName::Cross) return std::nullopt;
        return Problem{"", "cross-attention has no previous position", "use dot or bilinear"};
    };
    b.sees = VisibleKeys::BeforeQuery;
    b.givesWeights = true;
    b.needsWholeRows = [](const Json&) { return true; };
    return b;
}

#else

namespace {

class ChainScorer final : public Scorer, public IncrementalScorer {
public:
    explicit ChainScorer(const BuildContext& c) : heads_(c.where.dims.heads) {}

    at::Tensor score(const LinearInput& q, const LinearInput& k, const Forward& f) const override {
        return scoreCached(q.x(), {k.x().size(1) - q.x().size(1)}, keep(k.x(), {}), f);
    }

    /// Caches only the number of keys.
    at::Tensor keep(const at::Tensor& k_BKD, const StepPosition&) const override {
        return k_BKD.new_empty({k_BKD.size(0), 1, k_BKD.size(1), 0});
    }

    at::Tensor scoreCached(const at::Tensor& q_BQD, const StepPosition& at, const at::Tensor& kept_B1K0,
                           const Forward&) const override {
        const std::int64_t queries = q_BQD.size(1), keys = kept_B1K0.size(2);
        at::Tensor chain_QK;
        if (at.onDevice_1.defined())
            chain_QK = at::arange(keys, at.onDevice_1.options()).eq(at.onDevice_1 - 1).to(q_BQD.scalar_type()).unsqueeze(0);
        else
            chain_QK = at::ones({queries, keys}, q_BQD.options()).tril(at.first - 1).triu(at.first - 1);
        return chain_QK.expand({q_BQD.size(0), heads_, queries, keys});
    }

    bool givesWeights() const override { return true; }
    bool isWatched(const Forward&) const override { return false; }
    bool isReplaced(const Forward&) const override { return false; }

private:
    std::int64_t heads_;
};

}  // namespace

std::unique_ptr<Block> makeChainScorer(const BuildContext& context) { return std::make_unique<ChainScorer>(context); }

#endif

}  // namespace heddle
