// SPDX-License-Identifier: Apache-2.0
#include "engine/train/report/gradient_watch.h"

#include "engine/device/torch_pch.h"
#include "engine/spec/module_path.h"

#include <cmath>
#include <map>

namespace heddle {
namespace {

/// The norms of a step by enclosing path.
std::map<std::string, double> normsByPath(const GradientNorms& taken) {
    const at::Tensor host = taken.norms.to(at::kCPU, at::kDouble).contiguous();
    const double* norm = host.const_data_ptr<double>();
    std::map<std::string, double> sums;  // of squares
    for (const std::string& path : taken.paths) {
        const double square = *norm * *norm;
        ++norm;
        for (const std::string& place : enclosingPaths(path)) sums[place] += square;
    }
    for (auto& [path, sum] : sums) sum = std::sqrt(sum);
    return sums;
}

}  // namespace

void GradientWatch::take(std::int64_t step, const Optimizer::Update& update) {
    taken_.push_back({step, {update.paths.begin(), update.paths.end()}, update.norms.clone()});
}

void GradientWatch::emit(Emitter& emitter) { emitByPath("grad_norm", emitter, normsByPath); }

}  // namespace heddle
