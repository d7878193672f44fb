// SPDX-License-Identifier: Apache-2.0
// Language-model head (Vaswani et al. 2017, section 3.4): z = W h + b    h [...,D]; W [V,D], V the target vocabulary; z [...,V]
// Tied: W is the target embedding table and is counted there.
#include "engine/blocks/block_file.h"

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeLmHead() {
    BlockDescriptor b;
    b.title = "Language-model head";
    b.summary = "One score for every word of the target vocabulary.";
    b.formula = "z = W h + b";
    b.reference = "Vaswani et al. 2017, section 3.4";
    b.parameters = {fields::flag("bias", true, "Whether every word has a bias."),
                    fields::flag("tied", false, "Use the target embedding table as W (embed.source tied_out or tied_all).")};
    b.parameterCount = [](const BlockContext& where, const Json& params) {
        const std::int64_t v = where.dims.vocabTgt;
        return (params.at("tied").get<bool>() ? 0 : where.dims.d * v) + (params.at("bias").get<bool>() ? v : 0);
    };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(where.dims.d * where.dims.vocabTgt);
    };
    return b;
}

#else

namespace {

class LmHead final : public Head {
public:
    explicit LmHead(const BuildContext& c) {
        const auto [d, v] = std::pair(c.where.dims.d, c.where.dims.vocabTgt);
        linear_.weight = c.tied.defined() ? c.tied : c.scope.declare("weight", {v, d});
        if (c.params.at("bias").get<bool>()) linear_.bias = c.scope.declare("bias", {v}, {Initial::Kind::Default, 0, d});
    }

    at::Tensor logits(const at::Tensor& hidden) const override { return linear_(hidden); }

private:
    Linear linear_;
};

}  // namespace

std::unique_ptr<Block> makeLmHead(const BuildContext& context) { return std::make_unique<LmHead>(context); }

#endif

}  // namespace heddle
