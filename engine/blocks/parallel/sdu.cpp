// SPDX-License-Identifier: Apache-2.0
// Self-Dependency Unit (Chai et al. 2020, "Highway Transformer"; variants.md 5.1), added beside the sublayer:
//   p = ψ(W₁u + b₁) ⊙ (W₂u + b₂)    u, p [B,S,D]; W₁, W₂ [D,D]; ψ tanh or the logistic sigmoid
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

struct SduOptions {
    Activation act{};
};

const OptionFields<SduOptions>& sduOptions() {
    static const auto kFields = OptionFields<SduOptions>().add(
        &SduOptions::act, fields::choice("act", {Activation::Tanh, Activation::Sigmoid}, "Activation ψ of the gate."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeSduParallel() {
    using Quantity = Exposure::Quantity;
    BlockDescriptor b;
    b.title = "Self-Dependency Unit";
    b.summary =
        "Self-Dependency Unit (Highway Transformer, Chai et al. 2020): adds a gated linear map of the sublayer's input to its "
        "output.";
    b.formulaOf = sduOptions().reading(
        [](const SduOptions& o) -> std::string { return "p = " + activated(o.act, "W₁u + b₁") + " ⊙ (W₂u + b₂)"; });
    b.shapes = "u, p [B,S,D]; W₁, W₂ [D,D]";
    b.reference = "Chai et al. 2020 (Highway Transformer, arXiv 2004.08178)";
    b.neutral = {{"map.weight", 0}, {"map.bias", 0}};
    b.parameters = sduOptions().schema();
    b.parameterCount = [](const BlockContext& where, const Json&) {
        return 2 * where.dims.d * where.dims.d + 2 * where.dims.d;
    };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 4.0 * static_cast<double>(where.dims.d * where.dims.d);
    };
    b.exposures = {{tap::kGate, "SDU gate ψ(W₁u + b₁)", Quantity::SignedGate, "BSD", -1, 1, true, false, true},
                   {tap::kDelta, "SDU output p", Quantity::Delta, "BSD", -4, 4, true, false, true}};
    return b;
}

#else

namespace {

class SduParallel final : public Parallel {
public:
    SduParallel(const BuildContext& c, const SduOptions& o)
        : path_(c.scope.path()),
          act_(o.act),
          gate_(declareLinear(c.scope / "gate", c.where.dims.d, c.where.dims.d)),
          map_(declareLinear(c.scope / "map", c.where.dims.d, c.where.dims.d)) {}

    at::Tensor beside(const at::Tensor& u_BSD, const Forward& f) const override {
        const at::Tensor gate_BSD = f.pass(path_, tap::kGate, activated(act_, gate_.product(u_BSD)));
        return f.pass(path_, tap::kDelta, gate_BSD * map_(u_BSD));
    }

private:
    std::string path_;
    Activation act_;
    Linear gate_, map_;
};

}  // namespace

std::unique_ptr<Block> makeSduParallel(const BuildContext& context) {
    return std::make_unique<SduParallel>(context, sduOptions().read(context.params));
}

#endif

}  // namespace heddle
