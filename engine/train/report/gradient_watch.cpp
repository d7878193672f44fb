// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/gradient_watch.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/module_path.h"

#include <cmath>

namespace heddle {
namespace {

/// Squared norms of a step, summed by enclosing paths.
std::map<std::string, double> squaresOf(const std::vector<std::string>& paths, const at::Tensor& norms) {
    const at::Tensor host = norms.to(at::kCPU, at::kDouble).contiguous();
    const double* norm = host.const_data_ptr<double>();
    std::map<std::string, double> squares;
    for (const std::string& path : paths) {
        const double square = *norm * *norm;
        ++norm;
        for (const std::string& place : enclosingPaths(path)) squares[place] += square;
    }
    return squares;
}

}  // namespace

void GradientWatch::take(std::int64_t step, const Optimizer::Update& update) {
    taken_.push_back({step, {update.paths.begin(), update.paths.end()}, update.norms.clone()});
}

void GradientWatch::emit(Emitter& emitter) {
    if (taken_.empty()) return;
    std::map<std::string, std::vector<float>> values;
    for (std::size_t i = 0; i < taken_.size(); ++i)
        for (const auto& [path, square] : squaresOf(taken_[i].paths, taken_[i].norms)) {
            auto& norms = values[path];
            norms.resize(taken_.size());
            norms[i] = static_cast<float>(std::sqrt(square));
        }
    StepBlock block;
    for (auto& [path, norms] : values)
        block.series.push_back({"grad_norm", path, taken_.front().step, every_, std::move(norms), true});
    emitter.emitAt(taken_.back().step, std::move(block));
    taken_.clear();
}

}  // namespace heddle
