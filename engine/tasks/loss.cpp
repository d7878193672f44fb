// SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/loss.h"

#include "engine/device/meta_device.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cpu/row_kernels.h"
#include "engine/kernels/cpu_kernels.h"
#include "engine/kernels/cuda_kernels.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <numeric>

namespace heddle {
namespace {

// Shapes: N rows (target positions), V classes. A block of rows goes through all passes while it lies in the second-level
// cache.
constexpr std::int64_t kBlockElements = std::int64_t{1} << 19;

/// Sums of bfloat16 would lose what they add up.
at::ScalarType workingType(const at::Tensor& logits) { return logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat; }

/// Accumulates one block of rows into `sums`; fills its part of the gradient and of the rows' values where they are wanted.
void addBlock(const at::Tensor& block_NV, const at::Tensor& targets_N, const LossOptions& options, LossSums& sums) {
    const auto logits_NV = block_NV.to(workingType(block_NV));
    const auto classes = static_cast<double>(logits_NV.size(1));
    const auto counted_N1 = targets_N.unsqueeze(1).ne(options.ignored).to(logits_NV.scalar_type());
    const auto targets_N1 = targets_N.unsqueeze(1).clamp_min(0);  // an ignored -1 names no class

    const auto maximum_N1 = at::amax(logits_NV, -1, true);
    auto exponentials_NV = (logits_NV - maximum_N1).exp_();
    const auto sum_N1 = exponentials_NV.sum(-1, true);
    const auto logSum_N1 = maximum_N1 + sum_N1.log();
    const auto chosen_N1 = logits_NV.gather(1, targets_N1);
    const auto nll_N1 = logSum_N1 - chosen_N1;
    const auto uniform_N1 = logSum_N1 - logits_NV.mean(-1, true);
    const auto objective_N1 = nll_N1 * (1 - options.smoothing) + uniform_N1 * options.smoothing;

    sums.objective += options.scaled((objective_N1 * counted_N1).sum());
    sums.nll += (nll_N1 * counted_N1).sum();
    sums.correct += (chosen_N1.ge(maximum_N1).to(logits_NV.scalar_type()) * counted_N1).sum();
    if (sums.nll_N.defined()) sums.nll_N.copy_((nll_N1 * counted_N1).squeeze(1));
    if (sums.best_N.defined()) sums.best_N.copy_(logits_NV.argmax(-1));
    if (!sums.gradient.defined()) return;

    // ∂/∂z_v = p_v - ε/V - (1-ε)[v = target], for counted rows
    const auto scale_N1 = options.scaled(counted_N1);
    auto gradient_NV = exponentials_NV.mul_(scale_N1 / sum_N1);
    gradient_NV.sub_(scale_N1 * (options.smoothing / classes));
    gradient_NV.scatter_add_(1, targets_N1, scale_N1 * (options.smoothing - 1));
    sums.gradient.copy_(gradient_NV);  // last of all: it may lie over the logits
}

LossSums sumBlocks(const at::Tensor& logits_NV, const at::Tensor& targets_N, const LossOptions& options, LossSums sums) {
    const at::NoGradGuard noGrad;
    const auto scalar = at::TensorOptions(workingType(logits_NV)).device(logits_NV.device());
    sums.objective = at::zeros({}, scalar);
    sums.nll = at::zeros({}, scalar);
    sums.correct = at::zeros({}, scalar);
    const auto rows = logits_NV.size(0);
    const auto blockRows = logits_NV.is_cpu() ? std::max<std::int64_t>(1, kBlockElements / logits_NV.size(1)) : rows;
    const auto gradient_NV = sums.gradient, nll_N = sums.nll_N, best_N = sums.best_N;
    for (std::int64_t first = 0; first < rows; first += blockRows) {
        const auto count = std::min(blockRows, rows - first);
        if (gradient_NV.defined()) sums.gradient = gradient_NV.narrow(0, first, count);
        if (nll_N.defined()) sums.nll_N = nll_N.narrow(0, first, count);
        if (best_N.defined()) sums.best_N = best_N.narrow(0, first, count);
        addBlock(logits_NV.narrow(0, first, count), targets_N.narrow(0, first, count), options, sums);
    }
    sums.gradient = gradient_NV;
    sums.nll_N = nll_N;
    sums.best_N = best_N;
    return sums;
}

void checkTargets(const std::int64_t* targets, std::int64_t count, std::int64_t classes, std::int64_t ignored) {
    for (std::int64_t row = 0; row < count; ++row)
        TORCH_CHECK_INDEX(targets[row] == ignored || (targets[row] >= 0 && targets[row] < classes), "target ", targets[row],
                          " is none of ", classes, " classes");
}

/// So many rows a piece of parallel work.
std::int64_t rowsAPiece(std::int64_t classes) { return std::max<std::int64_t>(1, kBlockElements / 16 / classes); }

at::Tensor scalarOf(double value) { return at::full({}, value, at::TensorOptions(at::kFloat)); }

/// By the row kernel, which goes over a row while it lies in the first-level cache.
LossSums sumRows(const at::Tensor& logits_NV, const at::Tensor& targets_N, const LossOptions& options, at::Tensor gradient_NV) {
    if (logits_NV.is_meta()) {
        const at::Tensor sum = at::empty({}, logits_NV.options());
        return {sum, sum, sum, std::move(gradient_NV), {}, {}};
    }
    const std::int64_t count = logits_NV.size(0), classes = logits_NV.size(1);
    const at::Tensor wanted_N = targets_N.contiguous();
    const std::int64_t* const targets = wanted_N.const_data_ptr<std::int64_t>();
    const float* const logits = logits_NV.const_data_ptr<float>();
    float* const gradient = gradient_NV.data_ptr<float>();
    const std::int64_t logitsStride = logits_NV.stride(0), gradientStride = gradient_NV.stride(0);
    checkTargets(targets, count, classes, options.ignored);
    std::vector<rows::RowLoss> losses(static_cast<std::size_t>(count));
    const double scale = options.scaleAt.defined() ? options.scaleAt.item<double>() : options.scale;
    at::parallel_for(0, count, rowsAPiece(classes), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            float* const out = gradient + row * gradientStride;
            if (targets[row] == options.ignored)
                std::fill_n(out, classes, 0.0F);
            else
                losses[static_cast<std::size_t>(row)] =
                    rows::crossEntropyRow(logits + row * logitsStride, out, classes, targets[row], options.smoothing, scale);
        }
    });
    double nll = 0, uniform = 0, correct = 0;
    for (const rows::RowLoss& loss : losses) {
        nll += loss.nll;
        uniform += loss.uniform;
        correct += loss.correct ? 1 : 0;
    }
    LossSums sums;
    sums.objective = scalarOf((nll * (1 - options.smoothing) + uniform * options.smoothing) * scale);
    sums.nll = scalarOf(nll);
    sums.correct = scalarOf(correct);
    sums.gradient = std::move(gradient_NV);
    return sums;
}

/// Values without smoothing, likewise; every row has its likeliest class, counted or not.
LossSums scoreRows(const at::Tensor& logits_NV, const at::Tensor& targets_N, const LossOptions& options) {
    const at::NoGradGuard noGrad;
    const std::int64_t count = logits_NV.size(0), classes = logits_NV.size(1);
    const at::Tensor wanted_N = targets_N.contiguous();
    const std::int64_t* const targets = wanted_N.const_data_ptr<std::int64_t>();
    const float* const logits = logits_NV.const_data_ptr<float>();
    const std::int64_t stride = logits_NV.stride(0);
    checkTargets(targets, count, classes, options.ignored);
    LossSums sums;
    sums.nll_N = at::zeros({count}, at::TensorOptions(at::kFloat));
    sums.best_N = at::empty({count}, at::TensorOptions(at::kLong));
    float* const nll = sums.nll_N.data_ptr<float>();
    std::int64_t* const best = sums.best_N.data_ptr<std::int64_t>();
    std::vector<char> correct(static_cast<std::size_t>(count));
    at::parallel_for(0, count, rowsAPiece(classes), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const float* const z = logits + row * stride;
            const rows::RowChoice choice = rows::likeliest(z, classes, 0, 0);
            best[row] = std::max<std::int64_t>(0, choice.index);
            if (targets[row] == options.ignored) continue;
            nll[row] = static_cast<float>(choice.logSum - static_cast<double>(z[targets[row]]));
            correct[static_cast<std::size_t>(row)] = z[targets[row]] >= choice.logit ? 1 : 0;
        }
    });
    const double sum = std::accumulate(nll, nll + count, 0.0);
    sums.nll = scalarOf(sum);
    sums.objective = options.scaled(sums.nll);
    sums.correct = scalarOf(static_cast<double>(std::count(correct.begin(), correct.end(), 1)));
    return sums;
}

/// Whether logits lie row by row; behind a row there may be something else (paddedAffine).
bool liesInRows(const at::Tensor& logits_NV) {
    return logits_NV.dim() == 2 && logits_NV.numel() > 0 && logits_NV.stride(1) == 1 &&
           logits_NV.stride(0) >= logits_NV.size(1);
}

/// Null where the kernels do not take them.
const CudaKernels* deviceKernelsFor(const at::Tensor& logits_NV) {
    return logits_NV.is_cuda() && liesInRows(logits_NV) ? kernelsFor({logits_NV.select(0, 0)}) : nullptr;
}

/// The same on a device, which is not waited for. A target that is no class makes all sums NaN. The gradient may be undefined:
/// then it is not made.
LossSums sumOnDevice(const at::Tensor& logits_NV, const at::Tensor& targets_N, const LossOptions& options,
                     at::Tensor gradient_NV) {
    const std::int64_t count = logits_NV.size(0);
    const at::TensorOptions numbers = logits_NV.options().dtype(at::kFloat);
    const at::Tensor losses_3N = at::empty({3, count}, numbers), sums_3 = at::empty({3}, numbers);
    const at::Tensor wanted_N = targets_N.contiguous();
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
    of.losses = losses_3N.data_ptr<float>(), of.sums = sums_3.data_ptr<float>();
    deviceKernelsFor(logits_NV)->crossEntropy(of, logits_NV.get_device());
    if (gradient_NV.defined()) return {sums_3[0], sums_3[1], sums_3[2], gradient_NV, {}, {}};
    return {sums_3[0], sums_3[1], sums_3[2], {}, losses_3N[1], logits_NV.argmax(-1)};
}

bool takesRowKernel(const at::Tensor& logits_NV) {
    return takesCpuPath(logits_NV) && logits_NV.scalar_type() == at::kFloat && liesInRows(logits_NV) &&
           isUsed(CpuKernel::CrossEntropy);
}

}  // namespace

at::Tensor LossOptions::scaled(const at::Tensor& x) const {
    return scaleAt.defined() ? (x * scaleAt).to(x.scalar_type()) : x * scale;
}

LossSums crossEntropyWithGradient(const at::Tensor& logits_NV, const at::Tensor& targets_N, const LossOptions& options) {
    const at::NoGradGuard noGrad;
    const at::Tensor values_NV = logits_NV.detach();
    at::Tensor gradient_NV = values_NV;
    if (options.gradient == LossOptions::Gradient::Own)
        gradient_NV = at::empty_like(values_NV);
    else
        values_NV.unsafeGetTensorImpl()->bump_version();  // autograd then refuses to use logits that it kept
    if (deviceKernelsFor(values_NV)) return sumOnDevice(values_NV, targets_N, options, std::move(gradient_NV));
    if (takesRowKernel(values_NV)) return sumRows(values_NV, targets_N, options, std::move(gradient_NV));
    LossSums sums;
    sums.gradient = std::move(gradient_NV);
    return sumBlocks(values_NV, targets_N, options, std::move(sums));
}

LossSums crossEntropy(const at::Tensor& logits_NV, const at::Tensor& targets_N, const LossOptions& options) {
    if (deviceKernelsFor(logits_NV)) {
        const at::NoGradGuard noGrad;
        return sumOnDevice(logits_NV, targets_N, options, {});
    }
    const at::Tensor values_NV = logits_NV.detach();
    if (takesRowKernel(values_NV) && options.smoothing == 0) return scoreRows(values_NV, targets_N, options);
    LossSums sums;
    const at::TensorOptions place = at::TensorOptions().device(logits_NV.device());
    sums.nll_N = at::empty({logits_NV.size(0)}, place.dtype(workingType(logits_NV)));
    sums.best_N = at::empty({logits_NV.size(0)}, place.dtype(at::kLong));
    return sumBlocks(values_NV, targets_N, options, std::move(sums));
}

}  // namespace heddle
