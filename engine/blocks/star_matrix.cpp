// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/star_matrix.h"
#ifdef HEDDLE_MODULES
#include "engine/kernels/affine.h"
#endif

namespace heddle {

const OptionFields<BiasOptions>& starBiasOptions() {
    static const auto kFields = biasOptions("Whether every matrix has a bias; the paper's parameter counts include them.");
    return kFields;
}

const OptionFields<StarMatrixOptions>& starMatrixOptions() {
    static const auto kFields =
        OptionFields<StarMatrixOptions>()
            .add(starBiasOptions())
            .add(&StarMatrixOptions::constraint,
                 fields::choice<MatrixConstraint>(
                     "constraint", "Constraint on the matrix: none, orthogonal, or a spectral norm of at most norm_bound."))
            .add(&StarMatrixOptions::normBound,
                 fields::number("norm_bound", 0.9, {0.001, 0.999}, "Largest spectral norm with constraint spectral."));
    return kFields;
}

#ifndef HEDDLE_MODULES

BlockDescriptor describeStarMatrices(std::int64_t count) {
    BlockDescriptor b;
    b.parameters = starBiasOptions().schema();
    b.parameterCount = starBiasOptions().on([count](const BlockContext& where, const BiasOptions& o) {
        const std::int64_t d = where.dims.d;
        return count * (d * d + (o.bias ? d : 0));
    });
    b.flopsPerToken = [count](const BlockContext& where, const Json&) { return starMatrixFlops(count, where); };
    return b;
}

double starMatrixFlops(std::int64_t count, const BlockContext& where) {
    return 2.0 * static_cast<double>(count * where.dims.d * where.dims.d);
}

#else

StarMatrix::StarMatrix(const ParameterScope& scope, const BuildContext& c, const StarMatrixOptions& o)
    : free_(declareLinear(scope, c.where.dims.d, c.where.dims.d, WithBias{o.bias})),
      constraint_(o.constraint),
      bound_(o.normBound) {
    free_.isApartOnCpu = true;
}

at::Tensor StarMatrix::weight() const {
    switch (constraint_) {
    case MatrixConstraint::None: return free_.weight;
    case MatrixConstraint::Orthogonal: return at::matrix_exp(free_.weight - free_.weight.t());
    case MatrixConstraint::Spectral: break;
    }
    // Power iteration underestimates the norm and would violate the bound, so compute all singular values.
    const at::Tensor norm = at::linalg_svdvals(free_.weight).max();
    return free_.weight * (bound_ / norm.clamp_min(bound_));
}

at::Tensor StarMatrix::operator()(const LinearInput& x) const {
    return constraint_ == MatrixConstraint::None ? x.by(free_) : affine(x.x(), weight(), free_.bias);
}

std::vector<const Linear*> StarMatrix::maps() const {
    return constraint_ == MatrixConstraint::None ? std::vector<const Linear*>{&free_} : std::vector<const Linear*>{};
}

StarGate::StarGate(const BuildContext& c, const BiasOptions& o, const std::string& name)
    : w_(declareLinear(c.scope / ("w" + name), c.where.dims.d, c.where.dims.d, WithBias{o.bias})),
      v_(declareLinear(c.scope / ("v" + name), c.where.dims.d, c.where.dims.d, WithBias{o.bias})) {}

at::Tensor StarGate::operator()(const Combine::Inputs& in) const { return at::sigmoid(w_(in.mixed) + v_(in.input)); }

at::Tensor withDirect(const Combine::Inputs& in) { return in.direct.defined() ? in.mixed + in.direct : in.mixed; }

#endif

}  // namespace heddle
