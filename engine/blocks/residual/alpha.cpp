// SPDX-License-Identifier: Apache-2.0
// Weighted residual connection (ReZero, Bachlechner et al. 2020, with α = 0 at the start; StarSaber eq. 5 with α = 1):
//   y = r + α ⊙ s    r, s, y [B,S,D]; α a scalar or a vector [D], learned
#include "engine/blocks/block_file.h"

namespace heddle {

namespace {

constexpr const char* kAlpha = "alpha";

std::int64_t sizeOf(const BlockContext& where, const Json& params) { return params.at("shape") == "vector" ? where.dims.d : 1; }

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeAlphaResidual() {
    BlockDescriptor b;
    b.title = "Weighted residual (ReZero)";
    b.summary = "Adds the sublayer's output times a learned weight α.";
    b.formula = "y = r + α ⊙ s";
    b.reference = "StarSaber paper, eq. 5; ReZero, Bachlechner et al. 2020, eq. 3";
    b.parameters = {fields::number("init", 1, {-100, 100}, "α at the start: 0 as in ReZero, 1 is the plain sum."),
                    fields::choice("shape", {"scalar", "vector"}, "One α for the sublayer, or one a component.")};
    b.parameterCount = sizeOf;
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    b.exposures = {{kAlpha, "residual weight α", Exposure::Quantity::Scalar, "D", -2, 2, true, false, true}};
    return b;
}

#else

namespace {

class AlphaResidual final : public Residual {
public:
    explicit AlphaResidual(const BuildContext& c) : path_(c.scope.path()) {
        const Initial start{Initial::Kind::Constant, c.params.at("init").get<double>()};
        alpha_D_ = c.scope.declare("alpha", {sizeOf(c.where, c.params)}, start);
    }

    at::Tensor join(const at::Tensor& r_BSD, const at::Tensor&, const at::Tensor& s_BSD, const Forward& f) const override {
        return r_BSD + f.pass(path_, kAlpha, alpha_D_) * s_BSD;
    }

private:
    std::string path_;
    at::Tensor alpha_D_;  // [1] or [D]
};

}  // namespace

std::unique_ptr<Block> makeAlphaResidual(const BuildContext& context) { return std::make_unique<AlphaResidual>(context); }

#endif

}  // namespace heddle
