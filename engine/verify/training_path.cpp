// SPDX-License-Identifier: Apache-2.0
// The fused passes of training, in float32 and with dropout, must equal the plain definitions in float64 with the same elements
// dropped.
#include "engine/device/torch_pch.h"
#include "engine/verify/properties.h"
#include "engine/verify/tiny_presets.h"

#include <functional>

namespace heddle::verify {

namespace {

struct Step {
    at::Tensor answer, gradient;  // float64; the gradient of ½ Σ answer² in all parameters, one after the other
};

Step stepOf(const ResolvedVariant& variant, at::ScalarType type, Forward::Path path, const at::Device& device = at::kCPU) {
    const auto model = buildModel(variant, 1, type);
    model->to(device);
    const at::Tensor y = toyAnswer(*model, {.training = true, .seed = 4, .step = 9, .path = path});
    backwardOfHalfSquares(y);
    std::vector<at::Tensor> gradients;
    for (const auto& [name, tensor] : model->parameters().entries())
        if (tensor.grad().defined()) gradients.push_back(tensor.grad().flatten().to(at::kCPU, at::kDouble));
    return {y.detach().to(at::kCPU, at::kDouble), at::cat(gradients)};
}

double relative(const at::Tensor& computed, const at::Tensor& expected) {
    return ((computed - expected).norm() / expected.norm()).item<double>();
}

bool iterates(const ResolvedVariant& variant) {
    for (const auto& [path, choice] : variant.stackSlots)
        if (choice.id == "fixed_point") return true;
    return false;
}

/// Every preset without a fixed point: an iteration stops at a distance from it that depends on the type.
void forEveryPreset(const std::function<void(const std::string& name, const ResolvedVariant& variant)>& check) {
    for (const std::string& name : presetNames())
        if (const ResolvedVariant variant = tinyPreset(name); !iterates(variant)) check(name, variant);
}

constexpr double kFloatTolerance = 1e-5, kDoubleTolerance = 1e-10;

void compareSteps(CaseChecks& checks, const std::string& what, const Step& computed, const Step& plain, double tolerance) {
    checks.bound(what + ": answer", relative(computed.answer, plain.answer), tolerance);
    checks.bound(what + ": gradient", relative(computed.gradient, plain.gradient), tolerance);
}

}  // namespace

void checkTrainingPath(CaseChecks& checks) {
    forEveryPreset([&](const std::string& name, const ResolvedVariant& variant) {
        const Step plain = stepOf(variant, at::kDouble, Forward::Path::Reference);
        compareSteps(checks, name, stepOf(variant, at::kFloat, Forward::Path::Fused), plain, kFloatTolerance);
    });
}

void checkTrainingPathOn(const at::Device& device, CaseChecks& checks) {
    forEveryPreset([&](const std::string& name, const ResolvedVariant& variant) {
        const Step plain = stepOf(variant, at::kDouble, Forward::Path::Reference);
        compareSteps(checks, name + ", float64", stepOf(variant, at::kDouble, Forward::Path::Reference, device), plain,
                     kDoubleTolerance);
        compareSteps(checks, name + ", float32", stepOf(variant, at::kFloat, Forward::Path::Fused, device), plain,
                     kFloatTolerance);
    });
}

}  // namespace heddle::verify
