// SPDX-License-Identifier: Apache-2.0
// What training computes: in float32, with dropout, by the passes that do several things at once, it must be what the plain
// definitions give in float64 with the same elements dropped.
#include "engine/device/torch_pch.h"
#include "engine/verify/properties.h"
#include "engine/verify/tiny_presets.h"

namespace heddle::verify {

namespace {

struct Step {
    at::Tensor answer, gradient;  // float64; the gradient of ½ Σ answer² in all parameters, one after the other
};

Step stepOf(const ResolvedVariant& variant, at::ScalarType type, Forward::Path path) {
    const auto model = buildModel(variant, 1, type);
    Forward f;
    f.training = true;
    f.seed = 4;
    f.step = 9;
    f.path = path;
    const at::Tensor y = toyAnswer(*model, f);
    backwardOfHalfSquares(y);
    std::vector<at::Tensor> gradients;
    for (const auto& [name, tensor] : model->parameters().entries())
        if (tensor.grad().defined()) gradients.push_back(tensor.grad().flatten().to(at::kDouble));
    return {y.detach().to(at::kDouble), at::cat(gradients)};
}

double relative(const at::Tensor& computed, const at::Tensor& expected) {
    return ((computed - expected).norm() / expected.norm()).item<double>();
}

bool iterates(const ResolvedVariant& variant) {
    for (const auto& [path, choice] : variant.stackSlots)
        if (choice.id == "fixed_point") return true;
    return false;
}

}  // namespace

void checkTrainingPath(CaseChecks& checks) {
    constexpr double kTolerance = 1e-5;
    for (const std::string& name : presetNames()) {
        const ResolvedVariant variant = tinyPreset(name);
        if (iterates(variant)) continue;  // stands still at another distance from its fixed point in each type
        const Step fast = stepOf(variant, at::kFloat, Forward::Path::Fused);
        const Step plain = stepOf(variant, at::kDouble, Forward::Path::Reference);
        checks.bound(name + ": answer", relative(fast.answer, plain.answer), kTolerance);
        checks.bound(name + ": gradient", relative(fast.gradient, plain.gradient), kTolerance);
    }
}

}  // namespace heddle::verify
