// SPDX-License-Identifier: Apache-2.0
#include "engine/device/affine.h"

#include "engine/device/torch_pch.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
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

/// Torch's own name for a linear map by oneDNN that reads float32 as it is, never in a shorter format; registered, though not
/// in a header.
using OneDnnLinear = at::Tensor(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                                std::string_view activation, c10::List<std::optional<at::Scalar>> scalars,
                                std::optional<std::string_view> algorithm);
const std::optional<c10::TypedOperatorHandle<OneDnnLinear>>& oneDnnLinear() {
    static const auto found = []() -> std::optional<c10::TypedOperatorHandle<OneDnnLinear>> {
        const auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
        if (!schema) return std::nullopt;
        return schema->typed<OneDnnLinear>();
    }();
    return found;
}

/// a [M,K] times the transpose of b [N,K], plus a bias [N]. Without a gradient of its own, but where gradients are to have
/// gradients.
at::Tensor timesTransposed(const at::Tensor& a_MK, const at::Tensor& b_NK, const std::optional<at::Tensor>& bias_N = {}) {
    // Threads that each have work of their own (decoding) have few rows, always others: not worth a program.
    const bool isLarge = a_MK.numel() * b_NK.size(0) >= kLeastMultiplications && !at::in_parallel_region();
    if (!isLarge || at::GradMode::is_enabled()) return at::linear(a_MK, b_NK, bias_N);
    return oneDnnLinear()->call(a_MK, b_NK, bias_N, "none", c10::List<std::optional<at::Scalar>>(), std::nullopt);
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
        if (context->needs_input_grad(1)) made[1] = weightGradient(dy_NO, rowsOf(x));
        if (context->saved_data["bias"].toBool() && context->needs_input_grad(2)) made[2] = dy_NO.sum(0);
        return made;
    }

private:
    static at::Tensor weightGradient(const at::Tensor& dy_NO, const at::Tensor& x_NI) {
        if (dy_NO.size(1) < kManyOutputs) return at::mm(dy_NO.t(), x_NI);
        const at::Tensor gradient_IO = timesTransposed(x_NI.t(), dy_NO.t());
        return at::GradMode::is_enabled() ? gradient_IO.t().contiguous() : transposedCopy(gradient_IO);
    }
};

}  // namespace

bool hasOneDnn() { return oneDnnLinear().has_value(); }

ProductLibrary productLibrary() {
    static const ProductLibrary library = __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f") && hasOneDnn()
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
