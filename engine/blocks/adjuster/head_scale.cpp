// SPDX-License-Identifier: Apache-2.0
// Scale of heads (NormFormer, Shleifer et al. 2021): y_h = γ_h x_h. x, y [B,S,H·E] the merged heads, x_h those of a
// head; γ [H], 1 at the start.
#include "engine/blocks/adjuster/before_projection.h"

namespace heddle {

namespace {

constexpr const char* kHeadScale = "scale";

}  // namespace

#ifndef HEDDLE_MODULES

BlockDescriptor describeHeadScaleAdjuster() {
    BlockDescriptor b;
    b.title = "Scale of heads";
    b.summary =
        "HeadScale (NormFormer, Shleifer et al. 2021): multiplies each head by a learned number before the output projection.";
    b.formula = "y_h = γ_h x_h";
    b.shapes = "x, y [B,S,H·E]; γ [H]";
    b.reference = "Shleifer et al. 2021 (NormFormer, arXiv 2110.09456)";
    b.neutral = {{"weight", 1}};
    b.parameterCount = [](const BlockContext& where, const Json&) { return where.dims.heads; };
    b.flopsPerToken = [](const BlockContext&, const Json&) { return 0.0; };
    b.check = [](const BlockContext& where, const Json&) { return needsProjection(where, "scale"); };
    placeBeforeProjection(b);
    b.exposures = {{kHeadScale, "scale of heads γ", Exposure::Quantity::Scalar, "D", -2, 2, true, false, true}};
    return b;
}

#else

namespace {

class HeadScaleAdjuster final : public Adjuster {
public:
    explicit HeadScaleAdjuster(const BuildContext& c)
        : path_(c.scope.path()), weight_H_(c.scope.declare("weight", {c.where.dims.heads}, {Initial::Kind::Ones})) {}

    Place place() const override { return Place::BeforeOutputProjection; }

    at::Tensor adjust(const at::Tensor& x_BSD, const at::Tensor&, const Forward& f) const override {
        const at::Tensor scale_H = f.pass(path_, kHeadScale, weight_H_);
        return (x_BSD.unflatten(-1, {scale_H.size(0), -1}) * scale_H.unsqueeze(-1)).flatten(-2);
    }

private:
    std::string path_;
    at::Tensor weight_H_;  // γ
};

}  // namespace

std::unique_ptr<Block> makeHeadScaleAdjuster(const BuildContext& context) {
    return std::make_unique<HeadScaleAdjuster>(context);
}

#endif

}  // namespace heddle
