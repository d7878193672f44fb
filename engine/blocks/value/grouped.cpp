// SPDX-License-Identifier: Apache-2.0
// Values of grouped-query attention (Ainslie et al. 2023, section 2.2; Shazeer 2019 with one group): H heads mix the values of
// G groups and are projected back to the model width,
//   o = W_o [p_1 v_g(1); …; p_H v_g(H)] + b_o,  v = W_v x + b_v,  g(h) = ⌊h G / H⌋
// p [B,H,Q,K] attention weights; x [B,K,D]; W_v [G·E,D], W_o [D,H·E]; o [B,Q,D]; E is the value width of a head.
#include "engine/blocks/heads.h"
#ifdef HEDDLE_MODULES
#include "engine/blocks/incremental.h"
#include "engine/kernels/head_products.h"
#endif

namespace heddle {

namespace {

struct GroupedValueOptions : HeadGroupOptions {
    bool bias = true;
};

const OptionFields<GroupedValueOptions>& groupedValueOptions() {
    static const auto kFields =
        OptionFields<GroupedValueOptions>()
            .add(&GroupedValueOptions::bias, fields::flag("bias", true, "Whether both projections have a bias."))
            .add(headGroupOptions());
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

namespace {

/// Width of the values of all groups.
std::int64_t sharedWidth(const BlockContext& where, const GroupedValueOptions& o) { return o.groups * where.dims.valueDim; }

double valueMapFlops(const BlockContext& where, const GroupedValueOptions& o) {
    return 2.0 * static_cast<double>(where.dims.d * sharedWidth(where, o));
}

}  // namespace

BlockDescriptor describeGroupedValue() {
    BlockDescriptor b;
    b.title = "Grouped values, projected";
    b.summary = "Groups of heads mix the same value vectors, each with weights of its own.";
    b.formula = "o = W_o [p₁ v_g(1); …; p_H v_g(H)] + b_o, v = W_v x + b_v, g(h) = ⌊h G / H⌋";
    b.shapes = "p [B,H,Q,K]; x [B,K,D]; W_v [G·E,D], W_o [D,H·E]; o [B,Q,D]";
    b.reference = "Ainslie et al. 2023 (GQA), section 2.2; Shazeer 2019 (one group); use with scorer grouped";
    b.parameters = groupedValueOptions().schema();
    b.parameterCount = groupedValueOptions().on([](const BlockContext& where, const GroupedValueOptions& o) {
        const std::int64_t d = where.dims.d, width = where.dims.heads * where.dims.valueDim;
        const std::int64_t shared = sharedWidth(where, o);
        return d * (width + shared) + (o.bias ? shared + d : 0);
    });
    b.flopsPerToken = groupedValueOptions().on([](const BlockContext& where, const GroupedValueOptions& o) {
        const std::int64_t width = where.dims.heads * where.dims.valueDim;
        return valueMapFlops(where, o) + 2.0 * static_cast<double>(width * (where.dims.d + where.sequenceLength()));
    });
    b.check = groupedValueOptions().on(groupsDivideHeads);
    return b;
}

#else

namespace {

class GroupedValue final : public Value, public IncrementalValue {
public:
    GroupedValue(const BuildContext& c, const GroupedValueOptions& o) : heads_(c.where.dims.heads), groups_(o.groups) {
        const std::int64_t width = c.where.dims.valueDim, d = c.where.dims.d;
        const WithBias bias{o.bias};
        v_ = declareLinear(c.scope / "v", d, groups_ * width, bias);
        out_ = declareLinear(c.scope / "out", heads_ * width, d, bias);
    }

    at::Tensor aggregate(const at::Tensor& weights_BHQK, const LinearInput& x, const Adjuster* inner,
                         const Forward& f) const override {
        return merge(headMix(weights_BHQK, heads(x)), inner, f);
    }
    std::vector<const Linear*> maps() const override { return {&v_}; }
    at::Tensor keep(const at::Tensor& x_BKD) const override { return heads(x_BKD); }
    at::Tensor mixCached(const at::Tensor& weights_BHQK, const Cached& cached, const Adjuster* inner,
                         const Forward& f) const override {
        return merge(headMix(weights_BHQK, cached.values_BHKE), inner, f);
    }

    at::Tensor heads(const LinearInput& x) const override { return repeatGroups(splitHeads(x.by(v_), groups_), heads_); }

    at::Tensor merge(const at::Tensor& heads_BHQE, const Adjuster* inner, const Forward& f) const override {
        const at::Tensor merged_BQD = joinHeads(heads_BHQE);
        return out_(inner ? inner->adjust(merged_BQD, f) : merged_BQD);
    }

private:
    std::int64_t heads_, groups_;
    Linear v_, out_;
};

}  // namespace

std::unique_ptr<Block> makeGroupedValue(const BuildContext& context) {
    return std::make_unique<GroupedValue>(context, groupedValueOptions().read(context.params));
}

#endif

}  // namespace heddle
