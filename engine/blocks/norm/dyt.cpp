// SPDX-License-Identifier: Apache-2.0
// Norms without statistics, which squash every component by itself:
//   DyT  (Zhu et al. 2025)    y = γ ⊙ tanh(α x) + β
//   Derf (Chen et al. 2025)   y = γ ⊙ erf(α x + s) + β
// x, y [B,S,D]; α, s one number each, α₀ and 0 at the start; γ, β [D], 1 and 0 at the start; with place sandwich or both one
// set for each of the two norms.
#include "engine/blocks/norm/norm_options.h"

namespace heddle {

enum class Squash { Tanh, Erf };
template <>
struct ChoiceWords<Squash> {
    static constexpr ChoiceWord<Squash> kAll[] = {{"tanh", Squash::Tanh}, {"erf", Squash::Erf}};
};

namespace {

struct DytOptions {
    NormPlace place{};
    Squash function{};
    double init = 0.5;
};

const OptionFields<DytOptions>& dytOptions() {
    static const auto kFields =
        OptionFields<DytOptions>()
            .add(&DytOptions::place, normPlaceField())
            .add(&DytOptions::function,
                 fields::choice<Squash>("function", "DyT's tanh, or the error function with a learned shift (Derf)."))
            .add(&DytOptions::init, fields::number("init", 0.5, {1e-6, 100}, "α₀, the initial α."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeDynamicTanh() {
    BlockDescriptor b;
    b.title = "Dynamic tanh (DyT, Derf)";
    b.summary =
        "DyT (Zhu et al. 2025): squashes every component by itself, with a learned slope, instead of dividing by statistics of "
        "the vector.";
    b.formulaOf = dytOptions().reading([](const DytOptions& o) -> std::string {
        return o.function == Squash::Erf ? "y = γ ⊙ erf(α x + s) + β" : "y = γ ⊙ tanh(α x) + β";
    });
    b.shapes = "x, y [B,S,D]; α, s one number; γ, β [D]";
    b.reference =
        "DyT: Zhu et al. 2025 (arXiv 2503.10622); Derf: Chen et al. 2025 (Stronger Normalization-Free Transformers, "
        "arXiv 2512.10938)";
    b.parameters = dytOptions().schema();
    b.parameterCount = dytOptions().on([](const BlockContext& where, const DytOptions& o) {
        return (2 * where.dims.d + (o.function == Squash::Erf ? 2 : 1)) * (hasSecondNorm(where, o.place) ? 2 : 1);
    });
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

/// One of a sandwich's two norms.
struct SquashMap {
    SquashMap(const ParameterScope& scope, std::int64_t d, const DytOptions& o)
        : slope(scope.declare("slope", {1}, {Initial::Kind::Constant, o.init})),
          weight_D(scope.declare("weight", {d}, {Initial::Kind::Ones})),
          bias_D(scope.declare("bias", {d}, {Initial::Kind::Zeros})) {
        if (o.function == Squash::Erf) shift = scope.declare("shift", {1}, {Initial::Kind::Zeros});
    }

    at::Tensor operator()(const at::Tensor& x_BSD) const {
        const at::Tensor squashed_BSD = shift.defined() ? at::erf(slope * x_BSD + shift) : at::tanh(slope * x_BSD);
        return at::addcmul(bias_D, weight_D, squashed_BSD);
    }

    at::Tensor slope, weight_D, bias_D, shift;  ///< α, γ, β, s; without s: tanh
};

class DynamicTanh final : public Norm {
public:
    DynamicTanh(const BuildContext& c, const DytOptions& o)
        : place_(o.place), norm_(c.scope, c.where.dims.d, o), output_(norm_) {
        if (hasSecondNorm(c.where, o.place)) output_ = SquashMap(c.scope / "output", c.where.dims.d, o);
    }

    Place place() const override { return place_; }
    at::Tensor normalise(const at::Tensor& x_BSD) const override { return norm_(x_BSD); }
    at::Tensor normaliseAgain(const at::Tensor& s_BSD) const override { return output_(s_BSD); }

private:
    Place place_;
    SquashMap norm_, output_;
};

}  // namespace

std::unique_ptr<Block> makeDynamicTanh(const BuildContext& context) {
    return std::make_unique<DynamicTanh>(context, dytOptions().read(context.params));
}

#endif

}  // namespace heddle
