// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/affine.h"

#include "engine/device/meta_device.h"
#include "engine/device/torch_pch.h"
#include "engine/device/torch_private.h"
#include "engine/kernels/column_sums.h"
#include "engine/kernels/cpu/onednn.h"
#include "engine/kernels/optional_operand.h"
#include "engine/kernels/own_kernels.h"
#include "engine/kernels/reduced.h"
#include "engine/kernels/reduced_affine.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <bit>
#include <optional>

namespace heddle {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// For smaller products (a third of a millisecond on two cores) the libraries differ by a few percent, and oneDNN caches a
/// primitive per shape, 0.2 MiB each.
constexpr std::int64_t kMinMultiplications = std::int64_t{1} << 25;
/// From this number of outputs on, the weight gradient is computed transposed, so that its other operand is the narrow one.
constexpr std::int64_t kManyOutputs = 4096;

/// Whether oneDNN computes a product of M·N·K multiplications. Not inside parallel regions (decoding), whose few rows vary too
/// much to cache primitives, and not for double backward, which oneDNN's results do not support.
bool usesOneDnn(ProductLibrary library, std::int64_t multiplications) {
    return library == ProductLibrary::OneDnn && multiplications >= kMinMultiplications && !at::in_parallel_region() &&
           !at::GradMode::is_enabled();
}

/// a [M,K] times the transpose of b [N,K], plus a bias [N].
at::Tensor timesTransposed(ProductLibrary library, const at::Tensor& a_MK, const at::Tensor& b_NK,
                           const std::optional<at::Tensor>& bias_N = {}) {
    return usesOneDnn(library, a_MK.numel() * b_NK.size(0)) ? onednn::timesTransposed(a_MK, b_NK, bias_N)
                                                            : at::linear(a_MK, b_NK, bias_N);
}

/// A contiguous transpose of x [M,N]. ATen's own copy is single-threaded.
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
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, at::TensorList weights, at::TensorList biases,
                              ProductLibrary library) {
        variable_list saved = weights.vec();
        saved.push_back(x);
        context->save_for_backward(std::move(saved));
        context->saved_data["biases"] = static_cast<std::int64_t>(biases.size());
        context->saved_data["library"] = static_cast<std::int64_t>(library);
        const at::Tensor weight_OI = concatenated(weights);
        const at::Tensor bias_O = biases.empty() ? at::Tensor() : concatenated(biases);
        std::vector<std::int64_t> sizes = x.sizes().vec();
        sizes.back() = weight_OI.size(0);
        // A view created here would forbid later in-place changes of y.
        return torch_private::reshapeOwned(timesTransposed(library, rowsOf(x), weight_OI, ifThere(bias_O)), sizes);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        variable_list weights = context->get_saved_variables();
        const at::Tensor x = weights.back();
        weights.pop_back();
        const auto library = static_cast<ProductLibrary>(context->saved_data["library"].toInt());
        const auto biases = static_cast<std::size_t>(context->saved_data["biases"].toInt());
        const FactorGradients wanted = FactorGradients::wantedBy(*context, weights.size(), biases);
        const at::Tensor dy_NO = rowsOf(gradients[0]).contiguous();
        at::Tensor dx, dweight, dbias;
        if (context->needs_input_grad(0)) dx = timesTransposed(library, dy_NO, concatenated(weights).t()).view(x.sizes());
        if (wanted.ofWeights)
            std::tie(dweight, dbias) = parameterGradients(library, dy_NO, rowsOf(x), wanted.ofBiases);
        else if (wanted.ofBiases)
            dbias = columnSums(dy_NO);
        std::vector<std::int64_t> rows;
        for (const at::Tensor& weight : weights) rows.push_back(weight.size(0));
        return partsOfGradients({dx, dweight, dbias}, rows, biases);
    }

private:
    static std::pair<at::Tensor, at::Tensor> parameterGradients(ProductLibrary library, const at::Tensor& dy_NO,
                                                                const at::Tensor& x_NI, bool hasBias) {
        const bool isLarge = usesOneDnn(library, dy_NO.numel() * x_NI.size(1));
        if (isLarge && dy_NO.size(1) < kManyOutputs) return onednn::parameterGradients(dy_NO, x_NI, hasBias);
        return {isLarge ? transposedCopy(timesTransposed(library, x_NI.t(), dy_NO.t())) : at::mm(dy_NO.t(), x_NI),
                hasBias ? columnSums(dy_NO) : at::Tensor()};
    }
};

/// The library for these operands.
ProductLibrary libraryFor(const at::Tensor& x, const at::Tensor& weight) {
    const bool fits = takesCpuPath(x) && x.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat && x.numel() > 0 &&
                      !at::autocast::is_autocast_enabled(at::kCPU);
    return fits ? productLibrary() : ProductLibrary::Torch;
}

/// Whose autocast rules hold for x: the meta device, which has none, takes the paths of the CPU.
c10::DeviceType autocastDevice(const at::Tensor& x) { return takesCpuPath(x) ? at::kCPU : x.device().type(); }

/// Whether autocast computes this product in bfloat16.
bool isCastToBFloat16(const at::Tensor& x, const at::Tensor& weight) {
    const c10::DeviceType device = autocastDevice(x);
    return at::autocast::is_autocast_enabled(device) && at::autocast::get_autocast_dtype(device) == at::kBFloat16 &&
           x.scalar_type() != at::kDouble && weight.scalar_type() != at::kDouble;
}

/// x [O,...] in bfloat16, the parameter's copy if it has one, padded with zero rows to paddedOutputs(O).
at::Tensor reducedAndPadded(const at::Tensor& x) {
    std::vector<std::int64_t> sizes = x.sizes().vec();
    sizes[0] = paddedOutputs(x.size(0));
    if (at::Tensor kept = reducedScopeIsOpen() ? paddedFactor(x, sizes[0]) : at::Tensor(); kept.defined()) return kept;
    at::Tensor padded = at::empty(sizes, x.options().dtype(at::kBFloat16));
    padded.narrow(0, 0, x.size(0)).copy_(reducedScopeIsOpen() ? reducedFactor(x) : x);
    padded.narrow(0, x.size(0), sizes[0] - x.size(0)).zero_();
    return padded;
}

/// The first O columns of rows_NP as [..., O], not an autograd view, so that later in-place changes are allowed.
at::Tensor firstColumns(const at::Tensor& rows_NP, const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> strides(sizes.size(), 1);
    std::int64_t step = rows_NP.size(1);
    for (std::size_t axis = sizes.size() - 1; axis-- > 0; step *= sizes[axis]) strides[axis] = step;
    at::Tensor first = at::empty({0}, rows_NP.options());
    return first.set_(rows_NP.storage(), rows_NP.storage_offset(), sizes, strides);
}

/// Whether x [..., O] has the layout of firstColumns().
bool isFirstColumns(const at::Tensor& x, std::int64_t columns) {
    if (x.stride(-1) != 1) return false;
    std::int64_t step = columns;
    for (std::int64_t axis = x.dim() - 1; axis-- > 0; step *= x.size(axis))
        if (x.stride(axis) != step) return false;
    return true;
}

class PaddedAffine : public torch::autograd::Function<PaddedAffine> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight_OI,
                              const std::optional<at::Tensor>& bias_O) {
        const at::Tensor x_NI = rowsOf(reducedScopeIsOpen() ? reduced(x) : x.to(at::kBFloat16));
        const at::Tensor weight_PI = reducedAndPadded(weight_OI);
        const at::Tensor y_NP =
            bias_O ? at::addmm(reducedAndPadded(*bias_O), x_NI, weight_PI.t()) : at::mm(x_NI, weight_PI.t());
        std::vector<std::int64_t> sizes = x.sizes().vec();
        sizes.back() = weight_OI.size(0);
        context->save_for_backward({x_NI, weight_PI});
        context->saved_data["x_sizes"] = x.sizes();
        context->saved_data["x_type"] = static_cast<std::int64_t>(x.scalar_type());
        context->saved_data["weight_type"] = static_cast<std::int64_t>(weight_OI.scalar_type());
        context->saved_data["bias"] = bias_O.has_value();
        context->saved_data["memory"] = std::bit_cast<std::int64_t>(y_NP.const_data_ptr());
        return firstColumns(y_NP, sizes);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &x_NI = saved[0], &weight_PI = saved[1];
        const auto typeOf = [&](const char* key) { return static_cast<at::ScalarType>(context->saved_data[key].toInt()); };
        const at::Tensor dy_NP = asPaddedRows(gradients[0], weight_PI.size(0), context->saved_data["memory"].toInt());
        const auto ofOutputs = [&](const at::Tensor& all) {
            return all.narrow(0, 0, gradients[0].size(-1)).to(typeOf("weight_type"));
        };
        variable_list made(3);
        if (context->needs_input_grad(0))
            made[0] = at::mm(dy_NP, weight_PI).to(typeOf("x_type")).view(context->saved_data["x_sizes"].toIntVector());
        const FactorGradients wanted{context->needs_input_grad(1),
                                     context->saved_data["bias"].toBool() && context->needs_input_grad(2)};
        const ParameterGradients own = parameterGradients(dy_NP, x_NI, wanted, {{2, gradients[0].size(-1)}});
        if (own.weight_OI.defined()) made[1] = ofOutputs(own.weight_OI);
        if (own.bias_O.defined()) made[2] = ofOutputs(own.bias_O);
        return made;
    }

private:
    /// dy [..., O] as [N,P]: without a copy if dy is stored over y.
    static at::Tensor asPaddedRows(const at::Tensor& dy, std::int64_t columns, std::int64_t memory) {
        const bool isOverOutput = std::bit_cast<std::int64_t>(dy.const_data_ptr()) == memory &&
                                  dy.scalar_type() == at::kBFloat16 && isFirstColumns(dy, columns);
        if (isOverOutput) return dy.as_strided({dy.numel() / dy.size(-1), columns}, {columns, 1});
        return at::constant_pad_nd(rowsOf(dy).to(at::kBFloat16), {0, columns - dy.size(-1)});
    }
};

}  // namespace

ProductLibrary productLibrary() {
    static const ProductLibrary library =
        mklIsSlowHere() && onednn::isThere() && isUsed(OwnKernel::Products) ? ProductLibrary::OneDnn : ProductLibrary::Torch;
    return library;
}

bool mklIsSlowHere() { return __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f"); }

std::string productLibraryName() { return productLibrary() == ProductLibrary::OneDnn ? "onednn" : "torch"; }

at::Tensor affineBy(ProductLibrary library, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (library == ProductLibrary::Torch) return at::linear(x, weight, bias);
    return Affine::apply(x, at::TensorList(weight), bias.defined() ? at::TensorList(bias) : at::TensorList(), library);
}

at::Tensor affineBy(ProductLibrary library, const at::Tensor& x, at::TensorList weights, at::TensorList biases) {
    return Affine::apply(x, weights, biases, library);
}

at::Tensor affine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (isReducedProduct(x, weight)) return reducedAffine(x, weight, bias.defined() ? at::TensorList(bias) : at::TensorList());
    return affineBy(libraryFor(x, weight), x, weight, bias);
}

std::vector<at::Tensor> productsWithFixedBiases(const at::Tensor& x, at::TensorList weights, at::TensorList biases) {
    if (isReducedProduct(x, weights.front())) return reducedProducts(x, weights, biases);
    std::vector<at::Tensor> made;
    for (std::size_t i = 0; i < weights.size(); ++i)
        made.push_back(affineBy(libraryFor(x, weights[i]), x, weights[i], biases[i].detach()));
    return made;
}

at::Tensor affine(const at::Tensor& x, at::TensorList weights, at::TensorList biases) {
    if (isReducedProduct(x, weights.front())) return reducedAffine(x, weights, biases);
    const bool liesInPlace = joined(weights).defined() && (biases.empty() || joined(biases).defined());
    const bool isCast = at::autocast::is_autocast_enabled(autocastDevice(x));
    if (liesInPlace && at::GradMode::is_enabled() && !isCast)
        return affineBy(libraryFor(x, weights.front()), x, weights, biases);
    const auto all = [&](at::TensorList factors) {
        return factors.empty() ? at::Tensor() : liesInPlace && !at::GradMode::is_enabled() ? joined(factors) : at::cat(factors);
    };
    return affine(x, all(weights), all(biases));
}

at::Tensor paddedAffine(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    const bool isPadded = weight.size(0) != paddedOutputs(weight.size(0)) && x.numel() > 0 && isCastToBFloat16(x, weight);
    if (!isPadded) return affine(x, weight, bias);
    return PaddedAffine::apply(x, weight, ifThere(bias));
}

}  // namespace heddle
