// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/run_spec.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace heddle {

/// A matrix that Muon updates; float32 [rows,columns].
struct MuonMatrix {
    at::Tensor value, gradient, momentum;
};

/// Inputs of an update on the device, float32 scalars.
struct MuonFactors {
    at::Tensor learningRate;
    at::Tensor divisor, notFinite;  ///< gradients are divided by `divisor`; no update where `notFinite` is not 0
    double weightDecay = 0;
};

/// Returns the [N,R,C] matrices made nearly orthogonal: each keeps its singular vectors, and its singular values become about 1
/// (0.7 to 1.2). Beginning with X = G ÷ ‖G‖, it computes X ← aX + (bA + cA²)X, A = XXᵀ, `iterations` times, with
/// (a, b, c) = (3.4445, −4.7750, 2.0315) (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon). A tall matrix is
/// transposed for this. `type` is the type of the products and of the result.
at::Tensor orthogonalised(const at::Tensor& matrices_NRC, std::int64_t iterations, at::ScalarType type);

/// Muon (Jordan et al. 2024) with decoupled weight decay λ (Liu et al. 2025, equation 3): with momentum μ and gradient G,
///   M ← μM + (1−μ)G,  U = (1−μ)G + μM (Nesterov) or M,  W ← (1 − ηλ)W − η·s·orthogonalised(U), s by MuonSpec::scale,
/// as torch.optim.Muon 2.11 computes it. Each stored parameter is one matrix; queries, keys and values are separate
/// parameters. Matrices of one shape are computed together. Never synchronises. One thread.
class Muon {
public:
    /// `products`: the type of the products, float32, or bfloat16 as published.
    Muon(const MuonSpec& spec, at::ScalarType products) : spec_(spec), products_(products) {}

    void update(const std::vector<MuonMatrix>& matrices, const MuonFactors& factors) const;

private:
    void updateAlike(const std::vector<MuonMatrix>& alike, const MuonFactors& factors) const;
    double scaleOf(double rows, double columns) const;

    MuonSpec spec_;
    at::ScalarType products_;
};

}  // namespace heddle
