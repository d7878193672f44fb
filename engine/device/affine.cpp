// SPDX-License-Identifier: Apache-2.0
#include "engine/device/affine.h"

#include "engine/device/onednn.h"
#include "engine/device/torch_pch.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

namespace heddle {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Below (a third of a millisecond on two cores) the libraries are within a few percent of each other, and oneDNN keeps a
/// program for every shape, 0.2 MiB each.
constexpr std::int64_t kLeastMultiplications = std::int64_t{1} << 25;
/// From so many outputs on, the gradient of the weights is worked out transposed: its other operand is then the narrow one.
constexpr std::int64_t kManyOutputs = 4096;

/// Whether a product of M·N·K multiplications is oneDNN's. Threads that each have work of their own (decoding) have few rows,
/// always others: not worth a program. Its results have no gradients, so not where gradients are to have gradients.
bool isOneDnns(std::int64_t multiplications) {
    return multiplications >= kLeastMultiplications && !at::in_parallel_region() && !at::GradMode::is_enabled();
}

/// a [M,K] times the transpose of b [N,K], plus a bias [N].
at::Tensor timesTransposed(const at::Tensor& a_MK, const at::Tensor& b_NK, const std::optional<at::Tensor>& bias_N = {}) {
    return isOneDnns(a_MK.numel() * b_NK.size(0)) ? onednn::timesTransposed(a_MK, b_NK, bias_N)
                                                  : at::linear(a_MK, b_NK, bias_N);
}

/// The transpose of x [M,N], row by row; ATen's own copy of a transpose takes one thread.
at::Tensor transposedCopy(const at::Tensor& x_MN) {
    constexpr std::int64_t kRowsAtOnce = 512;
    at::Tensor made_NM = at::empty({x_MN.size(1), x_MN.size(0)}, x_MN.options());
    at::parallel_for(0, x_MN.size(1), kRowsAtOnce, [&](std::int64_t begin, std::int64_t end) {
        const at::NoGradGuard onThisThread;
        made_NM.narrow(0, begin, end - begin).copy_(x_MN.narrow(1, begin, end - begin).t());
    });
    return made_NM;
}

at::Tensor rowsOf(const at::Tensor& x) { return x.reshape({-1, x.size(-1)}); }

class Affine : public torch::autograd::Function<Affine> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight_OI,
                              const std::optional<at::Tensor>& bias_O) {
        context->save_for_backward({x, weight_OI});
        context->saved_data["bias"] = bias_O.has_value();
        std::vector<std::int64_t> sizes = x.sizes().vec();
        sizes.back() = weight_OI.size(0);
        // What reads y may change it in place, which a view made in here would not allow.
        return at::_unsafe_view(timesTransposed(rowsOf(x), weight_OI, bias_O), sizes);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &weight_OI = saved[1];
        const at::Tensor dy_NO = rowsOf(gradients[0]).contiguous();
        variable_list made(3);
        if (context->needs_input_grad(0)) made[0] = timesTransposed(dy_NO, weight_OI.t()).view(x.sizes());
        const bool hasBias = context->saved_data["bias"].toBool() && context->needs_input_grad(2);
        if (context->needs_input_grad(1)) {
            std::tie(made[1], made[2]) = parameterGradients(dy_NO, rowsOf(x), hasBias);
        } else if (hasBias) {
            made[2] = dy_NO.sum(0);
        }
        return made;
    }

private:
    static std::pair<at::Tensor, at::Tensor> parameterGradients(const at::Tensor& dy_NO, const at::Tensor& x_NI, bool hasBias) {
        const bool isLarge = isOneDnns(dy_NO.numel() * x_NI.size(1));
        if (isLarge && dy_NO.size(1) < kManyOutputs) return onednn::parameterGradients(dy_NO, x_NI, hasBias);
        return {isLarge ? transposedCopy(timesTransposed(x_NI.t(), dy_NO.t())) : at::mm(dy_NO.t(), x_NI),
                hasBias ? dy_NO.sum(0) : at::Tensor()};
    }
};

}  // namespace

ProductLibrary productLibrary() {
    static const ProductLibrary library = __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f") && onednn::isThere()
                                              ? ProductLibrary::OneDnn
                                              : ProductLibrary::Torch;
    return library;
}

std::string productLibraryName() { return productLibrary() == ProductLibrary::OneDnn ? "onednn" : "torch"; }

at::Tensor affineBy(ProductLibrary library, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (library == ProductLibrary::Torch) return at::linear(x, weight, bias);
    std::optional<at::Tensor> given;  // an undefined tensor would be taken for an operand
    if (bias.defined()) given = bias;
    return Affine::apply(x, weight, given);
}

at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    const bool fits = x.is_cpu() && x.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat && x.numel() > 0 &&
                      !at::autocast::is_autocast_enabled(at::kCPU);
    return affineBy(fits ? productLibrary() : ProductLibrary::Torch, x, weight, bias);
}

}  // namespace heddle
