// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/update_watch.h"

#include "engine/device/torch_pch.h"
#include "engine/device/torch_private.h"
#include "engine/spec/module_path.h"

#include <cmath>
#include <map>
#include <utility>

namespace heddle {

UpdateWatch::UpdateWatch(const ParameterStore& parameters, std::int64_t every) : every_(every) {
    if (every_ <= 0) return;
    for (const auto& [path, tensor] : parameters.entries()) {
        if (!tensor.requires_grad()) continue;
        paths_.push_back(path);
        isMatrix_.push_back(tensor.dim() >= 2);
        parameters_.push_back(tensor.detach());
    }
}

void UpdateWatch::begin() {
    before_.clear();
    for (const at::Tensor& parameter : parameters_) before_.push_back(parameter.clone());
}

void UpdateWatch::end(std::int64_t step) {
    const at::NoGradGuard noGrad;
    const at::Tensor ofWeights_P = at::stack(torch_private::norms(before_));
    for (std::size_t i = 0; i < before_.size(); ++i) before_[i].sub_(parameters_[i]);
    const at::Tensor ofUpdates_P = at::stack(torch_private::norms(before_));
    before_.clear();
    taken_.push_back({step, at::stack({ofUpdates_P, ofWeights_P})});
}

void UpdateWatch::emit(Emitter& emitter) {
    if (taken_.empty()) return;
    std::map<std::string, std::vector<float>> values;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        const at::Tensor host_2P = taken_[i].norms_2P.to(at::kCPU, at::kDouble).contiguous();
        const auto norms = host_2P.accessor<double, 2>();
        std::map<std::string, std::pair<double, double>> squares;
        const auto add = [&](const std::string& path, std::int64_t p) {
            squares[path].first += norms[0][p] * norms[0][p];
            squares[path].second += norms[1][p] * norms[1][p];
        };
        for (std::size_t p = 0; p < paths_.size(); ++p) {
            const auto number = static_cast<std::int64_t>(p);
            for (const std::string& place : enclosingPaths(paths_[p])) add(place, number);
            if (isMatrix_[p]) add(paths_[p], number);
        }
        for (const auto& [path, square] : squares) {
            auto& ratios = values[path];
            ratios.resize(taken_.size());
            ratios[i] = static_cast<float>(std::sqrt(square.first / square.second));
        }
    }
    StepBlock block;
    for (auto& [path, ratios] : values)
        block.series.push_back({"update_ratio", path, taken_.front().step, every_, std::move(ratios), true});
    emitter.emitAt(taken_.back().step, std::move(block));
    taken_.clear();
}

}  // namespace heddle
