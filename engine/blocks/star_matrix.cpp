// SPDX-License-Identifier: Apache-2.0
#include "engine/blocks/star_matrix.h"
#ifdef HEDDLE_MODULES
#include "engine/device/affine.h"
#endif

namespace heddle {

#ifndef HEDDLE_MODULES

FieldSchema starBias() { return fields::flag("bias", true, "Whether every matrix has a bias, as the paper's counts need."); }

std::vector<FieldSchema> starMatrixFields() {
    return {starBias(),
            fields::choice("constraint", {"none", "orthogonal", "spectral"},
                           "What holds a matrix: nothing, orthogonality, or a spectral norm of at most norm_bound."),
            fields::number("norm_bound", 0.9, {0.001, 0.999}, "Largest spectral norm under constraint spectral.")};
}

std::int64_t starMatrixCount(std::int64_t count, const BlockContext& where, const Json& params) {
    const std::int64_t d = where.dims.d;
    return count * (d * d + (params.at("bias").get<bool>() ? d : 0));
}

double starMatrixFlops(std::int64_t count, const BlockContext& where) {
    return 2.0 * static_cast<double>(count * where.dims.d * where.dims.d);
}

std::vector<double> starMatrixKept(std::int64_t count, const BlockContext& where, const Json& params) {
    const std::string constraint = params.at("constraint");
    const std::size_t squares = constraint == "none" ? 0 : constraint == "orthogonal" ? 2 : 3;
    return std::vector(static_cast<std::size_t>(count) * squares, where.bytesOf(where.dims.d * where.dims.d));
}

#else

namespace {

WithBias biasOf(const BuildContext& c) { return c.params.at("bias").get<bool>() ? WithBias::Yes : WithBias::No; }

}  // namespace

StarMatrix::StarMatrix(const ParameterScope& scope, const BuildContext& c)
    : free_(declareLinear(scope, c.where.dims.d, c.where.dims.d, biasOf(c))),
      constraint_(c.params.at("constraint")),
      bound_(c.params.at("norm_bound").get<double>()) {}

at::Tensor StarMatrix::weight() const {
    if (constraint_ == "orthogonal") return at::matrix_exp(free_.weight - free_.weight.t());
    if (constraint_ == "none") return free_.weight;
    // Any power iteration gives too small a norm, and the bound would not hold: all singular values, then.
    const at::Tensor norm = at::linalg_svdvals(free_.weight).max();
    return free_.weight * (bound_ / norm.clamp_min(bound_));
}

at::Tensor StarMatrix::operator()(const at::Tensor& x) const { return affine(x, weight(), free_.bias); }

StarGate::StarGate(const BuildContext& c, const std::string& name)
    : w_(declareLinear(c.scope / ("w" + name), c.where.dims.d, c.where.dims.d, biasOf(c))),
      v_(declareLinear(c.scope / ("v" + name), c.where.dims.d, c.where.dims.d, biasOf(c))) {}

at::Tensor StarGate::operator()(const Combine::Inputs& in) const { return at::sigmoid(w_(in.mixed) + v_(in.input)); }

at::Tensor withDirect(const Combine::Inputs& in) { return in.direct.defined() ? in.mixed + in.direct : in.mixed; }

#endif

}  // namespace heddle
