// SPDX-License-Identifier: Apache-2.0
// The fused passes of training, in float32 or bfloat16 and with dropout, must equal the plain definitions in float64 with the
// same elements dropped.
#include "engine/device/precision.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/reduced.h"
#include "engine/verify/checks.h"
#include "engine/verify/tiny_presets.h"

#include <functional>
#include <memory>

namespace heddle::verify {

namespace {

struct Step {
    at::Tensor answer, gradient;  // float64; the gradient of ½ Σ answer² in all parameters, one after the other
};

struct Arithmetic {
    at::ScalarType type;  ///< of the weights
    Forward::Path path;
    Precision products = Precision::Float32;
};
constexpr Arithmetic kDefinition{at::kDouble, Forward::Path::Reference};
constexpr Arithmetic kTraining32{at::kFloat, Forward::Path::Fused};
constexpr Arithmetic kTraining16{at::kFloat, Forward::Path::Fused, Precision::BFloat16};

Step stepOf(const ResolvedVariant& variant, const Arithmetic& arithmetic, const at::Device& device = at::kCPU) {
    const auto model = buildModel(variant, 1, arithmetic.type);
    model->to(device);
    std::unique_ptr<ReducedParameters> copies;
    if (arithmetic.products == Precision::BFloat16) copies = std::make_unique<ReducedParameters>(model->parameters().factors());
    at::Tensor y;
    {
        const AutocastScope autocast(device, arithmetic.products);
        const ReducedScope reduced(copies.get());
        y = toyAnswer(*model, {.training = true, .seed = 4, .step = 9, .path = arithmetic.path});
    }
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
        if (path.ends_with(".share") && builtinCatalogue().at("share", choice.id).iterates) return true;
    return false;
}

/// Every preset without a fixed point: an iteration stops at a distance from it that depends on the type.
void forEveryPreset(const std::function<void(const std::string& name, const ResolvedVariant& variant)>& check) {
    for (const std::string& name : presetNames())
        if (const ResolvedVariant variant = tinyPreset(name); !iterates(variant)) check(name, variant);
}

struct Tolerance {
    double answer, gradient;
};
constexpr Tolerance kWithin64{1e-10, 1e-10}, kWithin32{1e-5, 1e-5};
/// Twice the largest error of any preset on an H100 (presets before olmo2) and on a CPU (answer: olmo2, 0.0403; gradient:
/// thesis-T, 0.087); a bfloat16 has 8 significant bits (2⁻⁸ = 0.4 %).
constexpr Tolerance kWithin16{0.081, 0.17};

void compareSteps(CaseChecks& checks, const std::string& what, const Step& computed, const Step& plain,
                  const Tolerance& tolerance) {
    checks.bound(what + ": answer", relative(computed.answer, plain.answer), tolerance.answer);
    checks.bound(what + ": gradient", relative(computed.gradient, plain.gradient), tolerance.gradient);
}

}  // namespace

void checkTrainingPath(CaseChecks& checks) {
    forEveryPreset([&](const std::string& name, const ResolvedVariant& variant) {
        compareSteps(checks, name, stepOf(variant, kTraining32), stepOf(variant, kDefinition), kWithin32);
    });
}

void checkTrainingPathOn(const at::Device& device, CaseChecks& checks) {
    forEveryPreset([&](const std::string& name, const ResolvedVariant& variant) {
        const Step plain = stepOf(variant, kDefinition);
        compareSteps(checks, name + ", float64", stepOf(variant, kDefinition, device), plain, kWithin64);
        compareSteps(checks, name + ", float32", stepOf(variant, kTraining32, device), plain, kWithin32);
        compareSteps(checks, name + ", bfloat16", stepOf(variant, kTraining16, device), plain, kWithin16);
    });
}

}  // namespace heddle::verify
