// SPDX-License-Identifier: Apache-2.0
// The matrices of the StarSaber paper: M, U, Q and V of eq. 4, and the pairs W, V of the gates of eq. 6.
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// Options of every block with such matrices (variants.md table 2.6 S2).
const OptionFields<BiasOptions>& starBiasOptions();

enum class MatrixConstraint { None, Orthogonal, Spectral };
template <>
struct ChoiceWords<MatrixConstraint> {
    static constexpr ChoiceWord<MatrixConstraint> kAll[] = {{"none", MatrixConstraint::None},
                                                            {"orthogonal", MatrixConstraint::Orthogonal},
                                                            {"spectral", MatrixConstraint::Spectral}};
};

/// Options for the constraint on a matrix's norm (section 3.2 of the paper; variants.md 5.1).
struct StarMatrixOptions : BiasOptions {
    MatrixConstraint constraint{};
    double normBound = 0;
};
const OptionFields<StarMatrixOptions>& starMatrixOptions();

#ifndef HEDDLE_MODULES

/// The common part of the descriptors of blocks with `count` matrices [D,D]: the option `bias`, count and FLOPs.
BlockDescriptor describeStarMatrices(std::int64_t count);

/// FLOPs of multiplying a vector by `count` matrices [D,D], a multiply-add as two.
double starMatrixFlops(std::int64_t count, const BlockContext& where);

#else

/// One matrix [D,D] under the block's constraint, y = W x + b. As in PyTorch's parametrisations, the learned and saved
/// parameter is the unconstrained matrix F:
///   none        W = F
///   orthogonal  W = exp(F − Fᵀ): WᵀW = 1; every rotation can be represented
///   spectral    W = F · min(1, c / σ₁(F)): ‖W‖₂ ≤ c = norm_bound < 1
class StarMatrix {
public:
    StarMatrix(const ParameterScope& scope, const BuildContext& context, const StarMatrixOptions& o);
    at::Tensor operator()(const LinearInput& x) const;
    at::Tensor weight() const;  ///< W [D,D]
    /// The map, which may be computed jointly with others of its input; none under a constraint.
    std::vector<const Linear*> maps() const;

private:
    Linear free_;
    MatrixConstraint constraint_;
    double bound_;
};

/// A gate σ(W A + V x) of eq. 6 and of the recurrent cells of variants.md 5.1; declares "<path>.w<name>" and "<path>.v<name>".
class StarGate {
public:
    StarGate(const BuildContext& context, const BiasOptions& o, const std::string& name);
    at::Tensor operator()(const Combine::Inputs& in) const;

private:
    Linear w_, v_;
};

/// A + V x; A alone without a direct path.
at::Tensor withDirect(const Combine::Inputs& in);

#endif

}  // namespace heddle
