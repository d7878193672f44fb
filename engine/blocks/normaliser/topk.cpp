// SPDX-License-Identifier: Apache-2.0
// Softmax over the k keys with the highest scores (Zhao et al. 2019, "Explicit Sparse Transformer", eq. 4–6; following the
// thesis, section 9.1; variants.md 5.1): p = softmax(z where z is among the k largest of its row, −∞ elsewhere); z, p
// [B,H,Q,K]. With at most k visible keys it equals softmax; all keys that tie with the k-th largest are kept (eq. 5).
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

struct TopKOptions {
    std::int64_t k = 0;
};

const OptionFields<TopKOptions>& topKOptions() {
    static const auto kFields = OptionFields<TopKOptions>().add(
        &TopKOptions::k, fields::integer("k", 8, {1, 1 << 20},
                                         "Number of keys per query with a weight above 0; more if scores tie with the k-th."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeTopKNormaliser() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Top-k softmax";
    b.summary =
        "Top-k attention (Explicit Sparse Transformer, Zhao et al. 2019): a softmax over the k highest scores of a query, "
        "including ties with the k-th; all other keys get weight 0.";
    b.formula = "p = softmax(z where z ≥ the k-th largest of its row, −∞ elsewhere)";
    b.shapes = "z, p [B,H,Q,K]";
    b.reference = "Zhao et al. 2019 (arXiv 1912.11637), eq. 4–6; thesis, section 9.1";
    b.parameters = topKOptions().schema();
    return b;
}

#else

namespace {

class TopKNormaliser final : public Normaliser {
public:
    explicit TopKNormaliser(const TopKOptions& o) : k_(o.k) {}

    at::Tensor normalise(const at::Tensor& logits_BHQK) const override {
        if (k_ >= logits_BHQK.size(-1)) return at::softmax(logits_BHQK, -1);
        const at::Tensor least_BHQ1 = std::get<0>(logits_BHQK.detach().topk(k_, -1)).narrow(-1, k_ - 1, 1);
        return at::softmax(logits_BHQK.masked_fill(logits_BHQK.detach().lt(least_BHQ1), kHiddenScore), -1);
    }

private:
    std::int64_t k_;
};

}  // namespace

std::unique_ptr<Block> makeTopKNormaliser(const BuildContext& context) {
    return std::make_unique<TopKNormaliser>(topKOptions().read(context.params));
}

#endif

}  // namespace heddle
