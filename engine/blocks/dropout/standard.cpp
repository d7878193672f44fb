// SPDX-License-Identifier: Apache-2.0
// Dropout (Srivastava et al. 2014) at the places of variants.md section 0: on the sublayer's output immediately before the
// residual, and on the attention weights. Each place has its own random stream, named by its path.
// layer: a step of training leaves the whole sublayer out with that probability (stochastic depth, Huang et al. 2016), without
// scaling it otherwise, as LayerDrop (Fan et al. 2019) does. One draw a sublayer and update.
#include "engine/blocks/block_file.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/fusing.h"
#include "engine/kernels/dropout.h"
#endif

namespace heddle {

namespace {

struct StandardDropoutOptions {
    double sublayer = 0, attention = 0, layer = 0;
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
            .add(&StandardDropoutOptions::layer,
                 fields::number("layer", 0, fields::kDropout,
                                "Probability that an update leaves the whole sublayer out (stochastic depth, LayerDrop)."))
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
    b.reference =
        "Srivastava et al. 2014 (JMLR 15:56); places as in Vaswani et al. 2017 (arXiv 1706.03762), section 5.4; layer: "
        "stochastic depth, Huang et al. 2016 (arXiv 1603.09382), as LayerDrop, Fan et al. 2019 (arXiv 1909.11556)";
    b.reading =
        "Reading. With layer above 0 the stream passes a sublayer that is left out as it is, norms included; a residual over "
        "depth takes its output as 0. A sublayer that stays is not scaled, in training or after it (LayerDrop; Huang et al. "
        "multiply by 1 − p after training). Each sublayer is drawn once for an update, for all examples together. Scores, "
        "values and memory for later layers are handed on as usual, and the sublayer is computed in any case: no time is "
        "saved.";
    b.parameters = standardDropoutOptions().schema();
    b.check =
        standardDropoutOptions().on([](const BlockContext& where, const StandardDropoutOptions& o) -> std::optional<Problem> {
            if (o.layer == 0) return std::nullopt;
            if (where.passes > 1)
                return Problem{"layer", "layers that share weights share the draw, so that all are left out together or none",
                               "use share distinct, or set layer to 0"};
            if (where.sublayer == SublayerName::Lstm)
                return Problem{"layer", "without the sublayer the stream would have another width", "set layer to 0"};
            return std::nullopt;
        });
    return b;
}

#else

namespace {

class StandardDropout final : public Dropout, public KeyedDropout {
public:
    StandardDropout(const BuildContext& c, const StandardDropoutOptions& o)
        : sublayerStream_(c.scope.path() + ".sublayer"),
          attentionStream_(c.scope.path() + ".attention"),
          layerStream_(c.scope.path() + ".layer"),
          sublayer_(o.sublayer),
          attention_(o.attention),
          layer_(o.layer),
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
    at::Tensor keepsSublayer(const at::TensorOptions& options, const Forward& f) const override {
        if (!f.training || layer_ == 0) return {};
        RandomKey key = f.key(layerStream_);
        key.microStep = 0;  // the same for all micro-batches of an update, in whatever process
        key.countersAt = f.stepAt;
        return dropoutMask(key, layer_, {1}, options.dtype(at::kFloat)).gt(0);
    }

private:
    std::string sublayerStream_, attentionStream_, layerStream_;
    double sublayer_, attention_, layer_;
    Order order_;
};

}  // namespace

std::unique_ptr<Block> makeStandardDropout(const BuildContext& context) {
    return std::make_unique<StandardDropout>(context, standardDropoutOptions().read(context.params));
}

#endif

}  // namespace heddle
