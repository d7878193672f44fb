// SPDX-License-Identifier: Apache-2.0
// A scorer that Heddle does not have: the product of the streams themselves, head by head.
//   s_h = (w ⊙ q)_h · k_h / √E    q [B,Q,D], k [B,K,D], H·E = D; w [D]; s [B,H,Q,K]
#include "engine/blocks/heads.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describePlainScorer() {
    BlockDescriptor b;
    b.title = "Product of the streams";
    b.summary = "Scores a query against a key by their product, head by head.";
    b.formula = "s_h = (w ⊙ q)_h · k_h / √E";
    b.shapes = "q [B,Q,D], k [B,K,D], H·E = D; w [D]; s [B,H,Q,K]";
    b.reference = "nobody; a test";
    b.parameterCount = [](const BlockContext& where, const Json&) { return where.dims.d; };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(where.dims.d * where.sequenceLength());
    };
    b.check = [](const BlockContext& where, const Json&) -> std::optional<Problem> {
        if (where.dims.heads * where.dims.keyDim == where.dims.d) return std::nullopt;
        return Problem{"", "the heads do not fill the width", "leave dims.key_dim out"};
    };
    b.isPerHead = true;
    return b;
}

#else

namespace {

class PlainScorer final : public Scorer {
public:
    explicit PlainScorer(const BuildContext& c)
        : w_D_(c.scope.declare("w", {c.where.dims.d}, {Initial::Kind::Ones})),
          heads_(c.where.dims.heads),
          scale_(1 / std::sqrt(static_cast<double>(c.where.dims.keyDim))) {}

    at::Tensor score(const LinearInput& q, const LinearInput& k, const Forward&) const override {
        const Product factors = *product(q, k);
        return at::matmul(factors.q_BHQE, factors.k_BHKE.transpose(-2, -1)) * scale_;
    }
    std::optional<Product> product(const LinearInput& q, const LinearInput& k) const override {
        return Product{splitHeads(q.x() * w_D_, heads_), splitHeads(k.x(), heads_), scale_};
    }
    bool isWatched(const Forward&) const override { return false; }
    bool isReplaced(const Forward&) const override { return false; }

private:
    at::Tensor w_D_;
    std::int64_t heads_;
    double scale_;
};

}  // namespace

std::unique_ptr<Block> makePlainScorer(const BuildContext& context) { return std::make_unique<PlainScorer>(context); }

#endif

}  // namespace heddle
