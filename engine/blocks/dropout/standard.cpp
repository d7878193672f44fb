// SPDX-License-Identifier: Apache-2.0
// Dropout (Srivastava et al. 2014) at the places of variants.md section 0: on the sublayer's output immediately before the
// residual, and on the attention weights. Each place has its own random stream, named by its path.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#endif

namespace heddle {

namespace {

struct StandardDropoutOptions {
    double sublayer = 0, attention = 0;
    DropoutOrder order{};
};

const OptionFields<StandardDropoutOptions>& standardDropoutOptions() {
    static const auto kFields =
        OptionFields<StandardDropoutOptions>()
            .add(&StandardDropoutOptions::sublayer,
                 fields::number("sublayer", 0.1, fields::kDropout,
                                "Dropout probability of the sublayer's output, before the residual connection."))
            .add(&StandardDropoutOptions::attention,
                 fields::number("attention", 0, fields::kDropout,
                                "Dropout probability of the attention weights, after the softmax."))
            .add(&StandardDropoutOptions::order,
                 fields::choice<DropoutOrder>("order",
                                              "Whether dropout of the sublayer's output comes after or before the adjuster."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeStandardDropout() {
    BlockDescriptor b = blockWithoutCost();
    b.title = "Dropout";
    b.summary =
        "Dropout (Srivastava et al. 2014): sets components to zero at random during training and divides the others by 1 − p.";
    b.formula = "y = x ⊙ m / (1 − p), m ~ Bernoulli(1 − p)";
    b.shapes = "x, m, y of one size: [B,S,D], or [B,H,Q,K] on attention weights";
    b.reference = "Srivastava et al. 2014 (JMLR 15:56); places as in Vaswani et al. 2017 (arXiv 1706.03762), section 5.4";
    b.parameters = standardDropoutOptions().schema();
    return b;
}

#else

namespace {

class StandardDropout final : public Dropout, public KeyedDropout {
public:
    StandardDropout(const BuildContext& c, const StandardDropoutOptions& o)
        : sublayerStream_(c.scope.path() + ".sublayer"),
          attentionStream_(c.scope.path() + ".attention"),
          sublayer_(o.sublayer),
          attention_(o.attention),
          order_(o.order) {}

    Order order() const override { return order_; }
    at::Tensor sublayer(const at::Tensor& s_BSD, const Forward& f) const override {
        return f.dropout(s_BSD, sublayer_, sublayerStream_);
    }
    at::Tensor attention(const at::Tensor& weights_BHQK, const Forward& f) const override {
        return f.dropout(weights_BHQK, attention_, attentionStream_);
    }
    Draw sublayerDraw(const Forward& f) const override { return {f.key(sublayerStream_), f.training ? sublayer_ : 0}; }
    Draw attentionDraw(const Forward& f) const override { return {f.key(attentionStream_), f.training ? attention_ : 0}; }
    bool dropsAttention(const Forward& f) const override { return f.training && attention_ > 0; }

private:
    std::string sublayerStream_, attentionStream_;
    double sublayer_, attention_;
    Order order_;
};

}  // namespace

std::unique_ptr<Block> makeStandardDropout(const BuildContext& context) {
    return std::make_unique<StandardDropout>(context, standardDropoutOptions().read(context.params));
}

#endif

}  // namespace heddle
