// SPDX-License-Identifier: Apache-2.0
// The fused passes of training, in float32 or bfloat16 and with dropout, must equal the plain definitions in float64 with the
// same elements dropped.
#include "engine/device/precision.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/reduced.h"
#include "engine/tasks/loss.h"
#include "engine/verify/checks.h"
#include "engine/verify/tiny_presets.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

namespace heddle::verify {

namespace {

struct Step {
    at::Tensor answer, gradient;  // float64; the gradient of ½ Σ answer² in all parameters, one after the other
    double loss = 0;              // the training's, in nats
    at::Tensor lossGradient_NV;   // in the answer's logits, float64
};

double relative(const at::Tensor& computed, const at::Tensor& expected) {
    return ((computed - expected).norm() / expected.norm()).item<double>();
}

struct Arithmetic {
    at::ScalarType type;  ///< of the weights
    Forward::Path path;
    Precision products = Precision::Float32;
};
constexpr Arithmetic kDefinition{at::kDouble, Forward::Path::Reference};
constexpr Arithmetic kTraining32{at::kFloat, Forward::Path::Fused};
constexpr Arithmetic kTraining16{at::kFloat, Forward::Path::Fused, Precision::BFloat16};

at::Tensor answerOf(const Model& model, const Arithmetic& arithmetic, const at::Device& device = at::kCPU) {
    std::unique_ptr<ReducedParameters> copies;
    if (arithmetic.products == Precision::BFloat16) copies = std::make_unique<ReducedParameters>(model.parameters().factors());
    const AutocastScope autocast(device, arithmetic.products);
    const ReducedScope reduced(copies.get());
    return toyAnswer(model, {.training = true, .seed = 4, .step = 9, .path = arithmetic.path});
}

/// The training's loss of the answer as logits [N,V], label n mod V in row n, and its gradient; on the answer's device.
LossSums lossOf(const at::Tensor& y) {
    const at::Tensor logits_NV = y.detach().reshape({-1, y.size(-1)});
    LossOptions options;
    options.smoothing = 0.1;
    options.scale = 1 / static_cast<double>(logits_NV.size(0));
    const at::Tensor label_N = at::arange(logits_NV.size(0), logits_NV.options().dtype(at::kLong)).remainder(y.size(-1));
    return crossEntropyWithGradient(logits_NV, label_N, options);
}

Step stepOf(const ResolvedVariant& variant, const Arithmetic& arithmetic, const at::Device& device = at::kCPU) {
    const auto model = buildModel(variant, 1, arithmetic.type);
    model->to(device);
    const at::Tensor y = answerOf(*model, arithmetic, device);
    const LossSums loss = lossOf(y);
    backwardOfHalfSquares(y);
    std::vector<at::Tensor> gradients;
    for (const auto& [name, tensor] : model->parameters().entries())
        if (tensor.grad().defined()) gradients.push_back(tensor.grad().flatten().to(at::kCPU, at::kDouble));
    const auto onHost = [](const at::Tensor& x) { return x.detach().to(at::kCPU, at::kDouble); };
    return {onHost(y), at::cat(gradients), onHost(loss.objective).item<double>(), onHost(loss.gradient)};
}

/// The relative change of the float64 answer when every weight is rounded to bfloat16 once.
double changeByRoundedWeights(const ResolvedVariant& variant, const at::Tensor& answer) {
    const at::NoGradGuard noGrad;
    const auto model = buildModel(variant, 1, kDefinition.type);
    for (const auto& [name, tensor] : model->parameters().entries()) at::Tensor(tensor).copy_(tensor.to(at::kBFloat16));
    return relative(answerOf(*model, kDefinition), answer);
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

/// A bfloat16 has 8 significant bits: rounding changes it by this share of itself at most (0.4 %).
constexpr double kRounding16 = 0x1p-8;
/// In bfloat16 each product rounds its weights, its input and its result. Errors of that kind grow through a model by what the
/// model does to them, which rounding the weights alone measures, in float64 and without the code under test: √3 times that
/// change where the three are alike. PyTorch's autocast, on five shapes of models (post-norm encoder and decoder, carried
/// scores, pre-norm, RMSNorm, norms of the branches) of this size with 40 seeds each, gave 1.5 to 1.6 times in the median of
/// each shape and 0.7 to 3.7 times in all.
constexpr double kAnswerOfRoundedWeights = 6;
/// Where a model lets errors grow by more, twice the largest error of any preset (olmo2 on a CPU, 0.0403).
constexpr double kAnswer16 = 0.081;
/// The gradient has no such measure of its own: a unit of a ReLU that opens or a weight of attention that saturates changes it
/// by a leap. The same 200 models gave errors of 0.002 to 0.16, in the median 0.003 to 0.022; the presets give up to 0.087 on a
/// CPU (thesis-T). The bound is what the largest of them needs.
constexpr double kGradient16 = 0.17;

void compareSteps(CaseChecks& checks, const std::string& what, const Step& computed, const Step& plain,
                  const Tolerance& tolerance) {
    checks.bound(what + ": answer", relative(computed.answer, plain.answer), tolerance.answer);
    checks.bound(what + ": gradient", relative(computed.gradient, plain.gradient), tolerance.gradient);
}

void compareSteps16(CaseChecks& checks, const std::string& what, const Step& computed, const Step& plain,
                    double changeByWeights) {
    compareSteps(checks, what, computed, plain, {std::min(kAnswerOfRoundedWeights * changeByWeights, kAnswer16), kGradient16});
    // If the logits of a row change by δ, its loss changes by at most √2 ‖δ‖, because the gradient p − q is no longer than √2.
    // The gradient itself changes by at most ‖δ‖ / 2, because no eigenvalue of a softmax's Jacobian is above 1/2. The loss is
    // the mean over N rows. With Δ, the change of all logits, the mean changes by at most √(2/N) ‖Δ‖, its gradient by at most
    // ‖Δ‖ / 2N. The gradient is then rounded to bfloat16; sums are float32.
    const double change = (computed.answer - plain.answer).norm().item<double>();
    const auto rows = static_cast<double>(plain.lossGradient_NV.size(0));
    const double sums = kWithin32.answer * (1 + std::abs(plain.loss));
    checks.bound(what + ": loss", std::abs(computed.loss - plain.loss), std::sqrt(2 / rows) * change + sums);
    checks.bound(what + ": gradient of the loss", (computed.lossGradient_NV - plain.lossGradient_NV).norm().item<double>(),
                 change / 2 / rows + kRounding16 * plain.lossGradient_NV.norm().item<double>() + sums / rows);
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
        compareSteps16(checks, name + ", bfloat16", stepOf(variant, kTraining16, device), plain,
                       changeByRoundedWeights(variant, plain.answer));
    });
}

}  // namespace heddle::verify
