// SPDX-License-Identifier: Apache-2.0
#include "engine/train/step/muon.h"

#include "engine/device/torch_pch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace heddle {

at::Tensor orthogonalised(const at::Tensor& matrices_NRC, std::int64_t iterations, at::ScalarType type) {
    constexpr double kA = 3.4445, kB = -4.7750, kC = 2.0315, kLeastNorm = 1e-7;
    const bool isTall = matrices_NRC.size(1) > matrices_NRC.size(2);
    at::Tensor x = matrices_NRC.to(type);
    if (isTall) x = x.transpose(1, 2);
    x = x / at::linalg_vector_norm(x, 2, {1, 2}, /*keepdim=*/true).clamp_min(kLeastNorm);
    for (std::int64_t i = 0; i < iterations; ++i) {
        const at::Tensor gram = at::bmm(x, x.transpose(1, 2));
        const at::Tensor polynomial = at::baddbmm(gram, gram, gram, kB, kC);
        x = at::baddbmm(x, polynomial, x, kA, 1);
    }
    return isTall ? x.transpose(1, 2) : x;
}

double Muon::scaleOf(double rows, double columns) const {
    if (spec_.scale == MuonScale::MatchRmsAdamW) return 0.2 * std::sqrt(std::max(rows, columns));
    return std::sqrt(std::max(1.0, rows / columns));
}

void Muon::update(const std::vector<MuonMatrix>& matrices, const MuonFactors& factors) const {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<MuonMatrix>> byShape;
    for (const MuonMatrix& one : matrices) byShape[{one.value.size(0), one.value.size(1)}].push_back(one);
    constexpr std::int64_t kElementsAtOnce = std::int64_t{1} << 24;  // bounds the memory for intermediate values
    for (const auto& [shape, alike] : byShape) {
        const auto atOnce = std::max<std::int64_t>(1, kElementsAtOnce / (shape.first * shape.second));
        for (auto first = alike.begin(); first != alike.end();) {
            const auto last = first + std::min<std::int64_t>(atOnce, alike.end() - first);
            updateAlike({first, last}, factors);
            first = last;
        }
    }
}

void Muon::updateAlike(const std::vector<MuonMatrix>& alike, const MuonFactors& factors) const {
    const at::Tensor isBad = factors.notFinite.ne(0);
    std::vector<at::Tensor> updates;
    for (const MuonMatrix& one : alike) {
        const at::Tensor gradient = at::where(isBad, one.momentum, one.gradient / factors.divisor);  // momentum then stays
        one.momentum.lerp_(gradient, 1 - spec_.momentum);
        updates.push_back(spec_.nesterov ? gradient.lerp(one.momentum, spec_.momentum) : one.momentum);
    }
    const at::Tensor orthogonal_NRC = orthogonalised(at::stack(updates), spec_.iterations, products_);

    const at::Tensor& first = alike.front().value;
    const at::Tensor rate = at::where(isBad, at::zeros_like(factors.learningRate), factors.learningRate).to(at::kDouble);
    const at::Tensor kept = (1 - rate * factors.weightDecay).to(at::kFloat);
    const at::Tensor length =
        (rate * scaleOf(static_cast<double>(first.size(0)), static_cast<double>(first.size(1)))).to(at::kFloat);
    const at::Tensor change_NRC = orthogonal_NRC.to(at::kFloat) * length;
    for (std::size_t i = 0; i < alike.size(); ++i)
        at::Tensor(alike[i].value).mul_(kept).sub_(change_NRC[static_cast<std::int64_t>(i)]);
}

}  // namespace heddle
