// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/update_watch.h"

#include "engine/device/torch_pch.h"
#include "engine/device/torch_private.h"
#include "engine/spec/module_path.h"

#include <cmath>

namespace heddle {

UpdateWatch::UpdateWatch(const ParameterStore& parameters, std::int64_t every) : StepWatch(every) {
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

std::map<std::string, double> UpdateWatch::ratiosByPath(const UpdateNorms& taken) const {
    const at::Tensor host_2P = taken.norms_2P.to(at::kCPU, at::kDouble).contiguous();
    const auto norms = host_2P.accessor<double, 2>();
    struct Squares {
        double update = 0, weights = 0;
    };
    std::map<std::string, Squares> sums;
    for (std::size_t p = 0; p < paths_.size(); ++p) {
        const auto number = static_cast<std::int64_t>(p);
        std::vector<std::string> places = enclosingPaths(paths_[p]);
        if (isMatrix_[p]) places.push_back(paths_[p]);
        for (const std::string& place : places) {
            sums[place].update += norms[0][number] * norms[0][number];
            sums[place].weights += norms[1][number] * norms[1][number];
        }
    }
    std::map<std::string, double> ratios;
    for (const auto& [path, sum] : sums) ratios[path] = std::sqrt(sum.update / sum.weights);
    return ratios;
}

void UpdateWatch::emit(Emitter& emitter) {
    emitByPath("update_ratio", emitter, [this](const UpdateNorms& taken) { return ratiosByPath(taken); });
}

}  // namespace heddle
