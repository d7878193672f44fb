// SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/loss.h"

#include "engine/device/meta_device.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"

#include <algorithm>

namespace heddle {
namespace {

// Shapes: N rows (positions with a label), V classes. A block of rows goes through all passes while it lies in the second-level
// cache.
constexpr std::int64_t kBlockElements = std::int64_t{1} << 19;

/// Sums in bfloat16 would lose small terms.
at::ScalarType workingType(const at::Tensor& logits) { return logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat; }

/// Withdraws the rows in which an earlier class equals the label's logit: the first of equals is the prediction.
template <class T>
void withdrawTies(const at::Tensor& logits_NV, const at::Tensor& labels_N1, const at::Tensor& isRight_N1) {
    const auto logits = logits_NV.accessor<T, 2>();
    const auto labels = labels_N1.accessor<std::int64_t, 2>();
    auto isRight = isRight_N1.accessor<bool, 2>();
    for (std::int64_t row = 0; row < logits.size(0); ++row) {
        const std::int64_t label = labels[row][0];
        for (std::int64_t i = 0; i < label && isRight[row][0]; ++i) isRight[row][0] = logits[row][i] < logits[row][label];
    }
}

/// [N,1]: whether argmax gives the label. On a CPU, only rows whose label has the maximum are searched: argmax would take as
/// long as the exponentials.
at::Tensor areRight(const at::Tensor& logits_NV, const at::Tensor& labels_N1, const at::Tensor& chosen_N1,
                    const at::Tensor& maximum_N1) {
    if (!logits_NV.is_cpu()) return logits_NV.argmax(-1, true).eq(labels_N1);
    const at::Tensor isRight_N1 = chosen_N1.ge(maximum_N1);
    if (logits_NV.scalar_type() == at::kDouble)
        withdrawTies<double>(logits_NV, labels_N1, isRight_N1);
    else
        withdrawTies<float>(logits_NV, labels_N1, isRight_N1);
    return isRight_N1;
}

/// Accumulates one block of rows into `sums`; fills its part of the gradient and of the rows' values where they are wanted.
void addBlock(const at::Tensor& block_NV, const at::Tensor& labels_N, const LossOptions& options, LossSums& sums) {
    const auto logits_NV = block_NV.to(workingType(block_NV));
    const auto classes = static_cast<double>(logits_NV.size(1));
    const auto counted_N1 = labels_N.unsqueeze(1).ne(options.ignored).to(logits_NV.scalar_type());
    const auto labels_N1 = labels_N.unsqueeze(1).clamp_min(0);  // an ignored -1 names no class

    const auto maximum_N1 = at::amax(logits_NV, -1, true);
    auto exponentials_NV = (logits_NV - maximum_N1).exp_();
    const auto sum_N1 = exponentials_NV.sum(-1, true);
    const auto logSum_N1 = maximum_N1 + sum_N1.log();
    const auto chosen_N1 = logits_NV.gather(1, labels_N1);
    const auto nll_N1 = logSum_N1 - chosen_N1;
    auto objective_N1 = nll_N1;
    if (options.smoothing > 0) {
        const auto uniform_N1 = logSum_N1 - logits_NV.mean(-1, true);
        objective_N1 = nll_N1 * (1 - options.smoothing) + uniform_N1 * options.smoothing;
    }
    if (options.zLoss > 0) objective_N1 = objective_N1 + logSum_N1.square() * options.zLoss;

    sums.objective += options.scaled((objective_N1 * counted_N1).sum());
    sums.nll += (nll_N1 * counted_N1).sum();
    const auto isRight_N1 = areRight(logits_NV, labels_N1, chosen_N1, maximum_N1);
    sums.correct += (isRight_N1.to(logits_NV.scalar_type()) * counted_N1).sum();
    if (sums.nll_N.defined()) sums.nll_N.copy_((nll_N1 * counted_N1).squeeze(1));
    if (sums.best_N.defined()) sums.best_N.copy_(logits_NV.argmax(-1));
    if (!sums.gradient.defined()) return;

    // ∂/∂z_v = (1 + 2ζ log Z) p_v - ε/V - (1-ε)[v = label], for counted rows
    const auto scale_N1 = options.scaled(counted_N1);
    auto ofExponential_N1 = scale_N1 / sum_N1;
    if (options.zLoss > 0) ofExponential_N1.mul_(logSum_N1 * (2 * options.zLoss) + 1);
    auto gradient_NV = exponentials_NV.mul_(ofExponential_N1);
    if (options.smoothing > 0) gradient_NV.sub_(scale_N1 * (options.smoothing / classes));
    gradient_NV.scatter_add_(1, labels_N1, scale_N1 * (options.smoothing - 1));
    sums.gradient.copy_(gradient_NV);  // last, because it may be stored over the logits
}

/// Only on the CPU, where reading labels needs no synchronisation.
void checkLabels(const at::Tensor& labels_N, std::int64_t classes, std::int64_t ignored) {
    if (!labels_N.is_cpu()) return;
    const at::Tensor wanted_N = labels_N.contiguous();
    const std::int64_t* const labels = wanted_N.const_data_ptr<std::int64_t>();
    for (std::int64_t row = 0; row < wanted_N.numel(); ++row)
        TORCH_CHECK_INDEX(labels[row] == ignored || (labels[row] >= 0 && labels[row] < classes), "label ", labels[row],
                          " is none of ", classes, " classes");
}

LossSums sumBlocks(const at::Tensor& logits_NV, const at::Tensor& labels_N, const LossOptions& options, LossSums sums) {
    const at::NoGradGuard noGrad;
    checkLabels(labels_N, logits_NV.size(1), options.ignored);
    const auto scalar = at::TensorOptions(workingType(logits_NV)).device(logits_NV.device());
    sums.objective = at::zeros({}, scalar);
    sums.nll = at::zeros({}, scalar);
    sums.correct = at::zeros({}, scalar);
    const auto rows = logits_NV.size(0);
    const auto blockRows = takesCpuPath(logits_NV) ? std::max<std::int64_t>(1, kBlockElements / logits_NV.size(1)) : rows;
    const auto gradient_NV = sums.gradient, nll_N = sums.nll_N, best_N = sums.best_N;
    for (std::int64_t first = 0; first < rows; first += blockRows) {
        const auto count = std::min(blockRows, rows - first);
        if (gradient_NV.defined()) sums.gradient = gradient_NV.narrow(0, first, count);
        if (nll_N.defined()) sums.nll_N = nll_N.narrow(0, first, count);
        if (best_N.defined()) sums.best_N = best_N.narrow(0, first, count);
        addBlock(logits_NV.narrow(0, first, count), labels_N.narrow(0, first, count), options, sums);
    }
    sums.gradient = gradient_NV;
    sums.nll_N = nll_N;
    sums.best_N = best_N;
    return sums;
}

/// Whether logits are stored row by row; rows may be padded (paddedAffine).
bool liesInRows(const at::Tensor& logits_NV) {
    return logits_NV.dim() == 2 && logits_NV.numel() > 0 && logits_NV.stride(1) == 1 &&
           logits_NV.stride(0) >= logits_NV.size(1);
}

/// The kernels for these logits; null: they do not support them.
const CudaKernels* deviceKernelsFor(const at::Tensor& logits_NV) {
    return logits_NV.is_cuda() && liesInRows(logits_NV) ? kernelsFor(OwnKernel::CudaLoss, {logits_NV.select(0, 0)}) : nullptr;
}

/// Computes the sums with the CUDA kernels, without synchronisation. A label that is no class makes all sums NaN. An undefined
/// gradient is not computed.
LossSums sumOnDevice(const at::Tensor& logits_NV, const at::Tensor& labels_N, const LossOptions& options,
                     at::Tensor gradient_NV) {
    const std::int64_t count = logits_NV.size(0);
    const at::TensorOptions numbers = logits_NV.options().dtype(at::kFloat);
    const at::Tensor losses_3N = at::empty({3, count}, numbers), sums_3 = at::empty({3}, numbers);
    const at::Tensor wanted_N = labels_N.contiguous();
    cuda::CrossEntropyArguments of{};
    of.rows = count, of.classes = logits_NV.size(1);
    of.logitsStride = logits_NV.stride(0);
    of.gradientStride = gradient_NV.defined() ? gradient_NV.stride(0) : 0;
    of.logits = readFrom(logits_NV);
    of.gradient = writeTo(gradient_NV);
    of.type = elementTypeOf(logits_NV);
    of.targets = wanted_N.const_data_ptr<std::int64_t>();
    of.ignored = options.ignored;
    of.smoothing = options.smoothing, of.scale = options.scale;
    of.scaleAt = options.scaleAt.defined() ? options.scaleAt.const_data_ptr<double>() : nullptr;
    of.zLoss = options.zLoss;
    of.losses = losses_3N.data_ptr<float>(), of.sums = sums_3.data_ptr<float>();
    deviceKernelsFor(logits_NV)->crossEntropy(of, logits_NV.get_device());
    if (gradient_NV.defined()) return {sums_3[0], sums_3[1], sums_3[2], gradient_NV, {}, {}};
    return {sums_3[0], sums_3[1], sums_3[2], {}, losses_3N[1], logits_NV.argmax(-1)};
}

}  // namespace

at::Tensor LossOptions::scaled(const at::Tensor& x) const {
    return scaleAt.defined() ? (x * scaleAt).to(x.scalar_type()) : x * scale;
}

LossSums crossEntropyWithGradient(const at::Tensor& logits_NV, const at::Tensor& labels_N, const LossOptions& options) {
    const at::NoGradGuard noGrad;
    const at::Tensor values_NV = logits_NV.detach();
    at::Tensor gradient_NV = values_NV;
    if (options.gradient == LossOptions::Gradient::Own)
        gradient_NV = at::empty_like(values_NV);
    else
        values_NV.unsafeGetTensorImpl()->bump_version();  // autograd then refuses to use logits that it kept
    if (deviceKernelsFor(values_NV)) return sumOnDevice(values_NV, labels_N, options, std::move(gradient_NV));
    LossSums sums;
    sums.gradient = std::move(gradient_NV);
    return sumBlocks(values_NV, labels_N, options, std::move(sums));
}

LossSums crossEntropy(const at::Tensor& logits_NV, const at::Tensor& labels_N, const LossOptions& options) {
    if (deviceKernelsFor(logits_NV)) {
        const at::NoGradGuard noGrad;
        return sumOnDevice(logits_NV, labels_N, options, {});
    }
    const at::Tensor values_NV = logits_NV.detach();
    LossSums sums;
    const at::TensorOptions place = at::TensorOptions().device(logits_NV.device());
    sums.nll_N = at::empty({logits_NV.size(0)}, place.dtype(workingType(logits_NV)));
    sums.best_N = at::empty({logits_NV.size(0)}, place.dtype(at::kLong));
    return sumBlocks(values_NV, labels_N, options, std::move(sums));
}

}  // namespace heddle
