// SPDX-License-Identifier: Apache-2.0
// Highway coupling (Srivastava et al. 2015, eq. 3; variants.md 1.1):
//   g = σ(W_g r + b_g)    y = (1 − g) ⊙ r + g ⊙ s    r, g, s, y [B,S,D]; W_g [D,D]
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

struct HighwayOptions {
    std::optional<double> biasInit;
};

const OptionFields<HighwayOptions>& highwayOptions() {
    static const auto kFields = OptionFields<HighwayOptions>().add(
        &HighwayOptions::biasInit,
        fields::derivable(fields::number("bias_init", nullptr, {-40, 40},
                                         "Initial bias of the gate; null: as init says; with negative values the residual "
                                         "stream passes almost unchanged.")));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeHighwayResidual() {
    BlockDescriptor b;
    b.title = "Highway connection";
    b.summary =
        "Highway connection (Srivastava et al. 2015): interpolates between the residual stream and the sublayer's output with "
        "a sigmoid gate.";
    b.formula = "y = (1 − g) ⊙ r + g ⊙ s, g = σ(W_g r + b_g)";
    b.shapes = "r, g, s, y [B,S,D]; W_g [D,D]";
    b.reference = "Srivastava et al. 2015 (arXiv 1505.00387), eq. 3";
    b.parameters = highwayOptions().schema();
    b.parameterCount = [](const BlockContext& where, const Json&) { return where.dims.d * where.dims.d + where.dims.d; };
    b.flopsPerToken = [](const BlockContext& where, const Json&) {
        return 2.0 * static_cast<double>(where.dims.d * where.dims.d);
    };
    b.exposures = {{tap::kGate, "highway gate g", Exposure::Quantity::UnitGate, "BSD", 0, 1, true, false, true}};
    return b;
}

#else

namespace {

class HighwayResidual final : public Residual {
public:
    HighwayResidual(const BuildContext& c, const HighwayOptions& o) : path_(c.scope.path()) {
        Initial bias;
        if (o.biasInit) bias = {Initial::Kind::Constant, *o.biasInit};
        gate_ = declareLinear(c.scope / "gate", c.where.dims.d, c.where.dims.d, bias);
    }

    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor&, const at::Tensor& s_BSD, const Forward& f) const override {
        const at::Tensor g_BSD = f.pass(path_, tap::kGate, at::sigmoid(gate_(r_BSD)));
        return (1 - g_BSD) * r_BSD + g_BSD * s_BSD;
    }

private:
    std::string path_;
    Linear gate_;
};

}  // namespace

std::unique_ptr<Block> makeHighwayResidual(const BuildContext& context) {
    return std::make_unique<HighwayResidual>(context, highwayOptions().read(context.params));
}

#endif

}  // namespace heddle
