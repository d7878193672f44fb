// SPDX-License-Identifier: Apache-2.0
// ScaleNorm (Nguyen and Salazar 2019): y = g √D x / max(‖x‖, ε) over the last axis. x, y [B,S,D]; g one number, 1 at the
// start (the paper's g is g √D); with place sandwich or both one for each of the two norms.
#include "engine/blocks/norm/norm_options.h"

namespace heddle {

namespace {

struct ScaleNormOptions {
    NormPlace place{};
    double eps = 0;
};

const OptionFields<ScaleNormOptions>& scaleNormOptions() {
    static const auto kFields =
        OptionFields<ScaleNormOptions>()
            .add(&ScaleNormOptions::place, normPlaceField())
            .add(&ScaleNormOptions::eps, fields::number("eps", 1e-5, {1e-15, 1}, "ε, the smallest length that divides."));
    return kFields;
}

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeScaleNorm() {
    BlockDescriptor b;
    b.title = "ScaleNorm";
    b.summary = "ScaleNorm (Nguyen and Salazar 2019): gives every vector one learned length.";
    b.formula = "y = g √D x / max(‖x‖, ε)";
    b.shapes = "x, y [B,S,D]; g one number";
    b.reference = "Nguyen and Salazar 2019 (arXiv 1910.05895)";
    b.parameters = scaleNormOptions().schema();
    b.parameterCount = scaleNormOptions().on([](const BlockContext& where, const ScaleNormOptions& o) -> std::int64_t {
        return hasSecondNorm(where, o.place) ? 2 : 1;
    });
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    return b;
}

#else

namespace {

class ScaleNorm final : public Norm {
public:
    ScaleNorm(const BuildContext& c, const ScaleNormOptions& o)
        : place_(o.place), eps_(o.eps), root_(std::sqrt(static_cast<double>(c.where.dims.d))), gain_(declareGain(c.scope)) {
        output_ = hasSecondNorm(c.where, o.place) ? declareGain(c.scope / "output") : gain_;
    }

    Place place() const override { return place_; }
    at::Tensor normalise(const at::Tensor& x_BSD) const override { return scaled(x_BSD, gain_); }
    at::Tensor normaliseAgain(const at::Tensor& s_BSD) const override { return scaled(s_BSD, output_); }

private:
    static at::Tensor declareGain(const ParameterScope& scope) { return scope.declare("weight", {1}, {Initial::Kind::Ones}); }

    at::Tensor scaled(const at::Tensor& x_BSD, const at::Tensor& gain) const {
        return root_ * gain * x_BSD / at::linalg_vector_norm(x_BSD, 2, {-1}, true).clamp_min(eps_);
    }

    Place place_;
    double eps_, root_;         // ε, √D
    at::Tensor gain_, output_;  // g, [1]
};

}  // namespace

std::unique_ptr<Block> makeScaleNorm(const BuildContext& context) {
    return std::make_unique<ScaleNorm>(context, scaleNormOptions().read(context.params));
}

#endif

}  // namespace heddle
