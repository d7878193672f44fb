// SPDX-License-Identifier: Apache-2.0
// Language-model head (Vaswani et al. 2017, section 3.4): z = W h + b    h [...,W]; W [V,W], V the target vocabulary; z [...,V]
// Tied: W is the target embedding table and is counted there.
#include "engine/blocks/output_head.h"
#ifdef HEDDLE_MODULES
#include "engine/device/affine.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

BlockDescriptor describeLmHead() {
    BlockDescriptor b;
    b.title = "Language-model head";
    b.summary = "One score for every word of the target vocabulary.";
    b.formula = "z = W h + b";
    b.shapes = "h [B,S,W]; W [V,W]; z [B,S,V]";
    b.reference = "Vaswani et al. 2017, section 3.4";
    b.parameters = {fields::flag("bias", true, "Whether every word has a bias."),
                    fields::flag("tied", false, "Use the target embedding table as W (embed.source tied_out or tied_all).")};
    b.usesVocabulary = true;
    b.parameterCount = [](const BlockContext& where, const Json& params) {
        const std::int64_t v = where.dims.vocabTgt;
        return (params.at("tied").get<bool>() ? 0 : streamWidth(where) * v) + (params.at("bias").get<bool>() ? v : 0);
    };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(streamWidth(where) * where.dims.vocabTgt);
    };
    b.check = [](const BlockContext& where, const Json& params) -> std::optional<Problem> {
        if (!params.at("tied").get<bool>() || streamWidth(where) == where.dims.d) return std::nullopt;
        return Problem{"tied", "the stream is wider than the embedding table", "use a weight of its own, or head mlm"};
    };
    b.keptTensors = [](const BlockContext&, const Json&) -> KeptTensors { return {{}, "x"}; };
    return b;
}

#else

namespace {

class LmHead final : public Head {
public:
    explicit LmHead(const BuildContext& c) {
        const auto [d, v] = std::pair(streamWidth(c.where), c.where.dims.vocabTgt);
        linear_.weight = c.scope.factor(c.tied.defined() ? c.tied : c.scope.declare("weight", {v, d}));
        if (c.params.at("bias").get<bool>())
            linear_.bias = c.scope.factor(c.scope.declare("bias", {v}, {Initial::Kind::Default, 0, d}));
    }

    at::Tensor logits(const at::Tensor& hidden) const override { return paddedAffine(hidden, linear_.weight, linear_.bias); }

private:
    Linear linear_;
};

}  // namespace

std::unique_ptr<Block> makeLmHead(const BuildContext& context) { return std::make_unique<LmHead>(context); }

#endif

}  // namespace heddle
