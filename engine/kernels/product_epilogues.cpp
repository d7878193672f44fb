// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/product_epilogues.h"

#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/affine.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/fused.h"
#include "engine/kernels/reduced.h"
#include "engine/kernels/reduced_affine.h"

#include <torch/csrc/autograd/custom_function.h>

#include <bit>
#include <optional>

namespace heddle {
namespace {

using EpilogueContext = torch::autograd::AutogradContext;
using EpilogueTensors = torch::autograd::variable_list;

/// How many bytes the product needs to work in; nothing where there is none of this shape.
std::optional<std::int64_t> memoryOf(const cuda::ProductShape& shape, const at::Tensor& like) {
    if (!like.is_cuda() || !isUsed(OwnKernel::CudaEpilogues) || !cudaKernelsOn(like.get_device())) return {};
    const std::int64_t bytes = cudaTable()->productMemory(shape, like.get_device());
    return bytes < 0 ? std::nullopt : std::optional(bytes);
}

bool isAligned(std::int64_t bytes) { return bytes % cuda::kProductAlignment == 0; }

/// Whether a product can read rows of this matrix.
bool isFactor(const at::Tensor& x_NC) {
    if (x_NC.scalar_type() != at::kBFloat16 || x_NC.numel() == 0 || x_NC.stride(1) != 1) return false;
    const std::int64_t size = x_NC.element_size();
    return isAligned(x_NC.size(1) * size) && x_NC.stride(0) >= x_NC.size(1) && isAligned(x_NC.stride(0) * size) &&
           isAligned(std::bit_cast<std::int64_t>(x_NC.const_data_ptr()));
}

/// The same values, contiguous, in memory that a product can read.
at::Tensor asFactorRows(const at::Tensor& x_NC) {
    const at::Tensor dense = x_NC.contiguous();
    return isFactor(dense) ? dense : dense.clone();
}

void runProduct(cuda::ProductArguments of, const at::Tensor& dy_NO, const at::Tensor& factor) {
    of.memoryBytes = memoryOf(of.shape, dy_NO).value();
    const at::Tensor memory = at::empty({of.memoryBytes}, dy_NO.options().dtype(at::kByte));
    of.dy = readFrom(dy_NO), of.factor = readFrom(factor);
    of.memory = writeTo(memory);
    cudaKernelsOn(dy_NO.get_device())->product(of, dy_NO.get_device());
}

/// Of the product that makes the gradient of ReLU's operand [N,F] from that of the second map's result.
cuda::ProductShape reluGradientShape(std::int64_t rows, const at::Tensor& weight_OF) {
    const std::int64_t inputs = weight_OF.size(1), outputs = weight_OF.size(0);
    return {cuda::ProductEpilogue::ReluGradient, rows, inputs, outputs, outputs, inputs};
}

/// ReLU, dropout and the second map, of a product h [..., F] in bfloat16. The bias gets no gradient.
class ReluDropoutProduct : public torch::autograd::Function<ReluDropoutProduct> {
public:
    struct Settings {
        at::Tensor fixedBias;  ///< in a struct, so that autograd does not take it for an operand
        RandomKey key;
        double p = 0;
    };

    static at::Tensor forward(EpilogueContext* context, const at::Tensor& h, const at::Tensor& weight_OF,
                              const Settings& settings) {
        const cuda::Drop drop = cudaDropOf(settings.key, settings.p);
        const at::Tensor y = at::empty_like(h), mask = at::empty({h.numel() / 32}, h.options().dtype(at::kInt));
        cudaKernelsOn(h.get_device())
            ->reluDropout(
                {readFrom(h), writeTo(y), static_cast<std::uint32_t*>(writeTo(mask)), h.numel(), elementTypeOf(h), drop},
                h.get_device());
        const at::Tensor weight16_OF = asFactorRows(reducedFactor(weight_OF));
        context->save_for_backward({y, mask, weight16_OF});
        context->saved_data["scale"] = static_cast<double>(drop.scale);
        const at::Tensor& bias = settings.fixedBias;
        return productOfReduced(y, weight16_OF, bias.defined() ? reducedFactor(bias) : bias);
    }

    static EpilogueTensors backward(EpilogueContext* context, const EpilogueTensors& gradients) {
        TORCH_CHECK(!at::GradMode::is_enabled(), "the gradients of products of reduced copies have no gradients");
        const EpilogueTensors saved = context->get_saved_variables();
        const at::Tensor &y = saved[0], &mask = saved[1], &weight16_OF = saved[2];
        const at::Tensor y_NF = y.view({-1, y.size(-1)}),
                         dz_NO = asFactorRows(gradients[0].reshape({-1, gradients[0].size(-1)}));
        EpilogueTensors made(3);
        if (context->needs_input_grad(0)) {
            made[0] = at::empty_like(y);
            cuda::ProductArguments of{};
            of.shape = reluGradientShape(y_NF.size(0), weight16_OF);
            of.made = writeTo(made[0]);
            of.mask = static_cast<const std::uint32_t*>(readFrom(mask));
            of.scale = static_cast<float>(context->saved_data["scale"].toDouble());
            runProduct(of, dz_NO, weight16_OF);
        }
        if (context->needs_input_grad(1)) made[1] = weightGradient(dz_NO, y_NF);
        return made;
    }
};

/// Whether ReluDropoutProduct takes these maps of x; asked before the first one, which then computes the gradient of its bias.
bool takesMaps(const at::Tensor& x, const ReluDropoutMaps& maps) {
    const at::Tensor& weight_OF = maps.second.weight;
    const auto isReduced = [&](const at::Tensor& weight) { return isReducedProduct(x, weight); };
    const bool areWhole = weight_OF.size(1) % cuda::kMaskedColumns == 0 &&
                          isAligned(weight_OF.size(0) * static_cast<std::int64_t>(sizeof(at::BFloat16)));
    return at::GradMode::is_enabled() && x.numel() > 0 && areWhole && isReduced(maps.first.weight) && isReduced(weight_OF) &&
           isUsed(OwnKernel::CudaDropout) && memoryOf(reluGradientShape(x.numel() / x.size(-1), weight_OF), x);
}

}  // namespace

ParameterGradients gradientsByOneProduct(const at::Tensor& dy_NO, const at::Tensor& x_NI) {
    if (!dy_NO.is_cuda() || !isFactor(dy_NO) || !isFactor(x_NI)) return {};
    const std::int64_t rows = dy_NO.size(0), inputs = x_NI.size(1), outputs = dy_NO.size(1);
    cuda::ProductArguments of{};
    of.shape = {cuda::ProductEpilogue::BiasGradient, rows, inputs, outputs, dy_NO.stride(0), x_NI.stride(0)};
    if (!memoryOf(of.shape, dy_NO)) return {};
    const at::TensorOptions floats = dy_NO.options().dtype(at::kFloat);
    ParameterGradients made{at::empty({outputs, inputs}, floats), at::empty({outputs}, floats)};
    of.made = writeTo(made.weight_OI), of.dbias = static_cast<float*>(writeTo(made.bias_O));
    of.scale = 1;
    runProduct(of, dy_NO, x_NI);
    return made;
}

BiasedProduct throughReluDropout(const at::Tensor& x, const ReluDropoutMaps& maps) {
    const auto& [first, second, key, p] = maps;
    if (!takesMaps(x, maps))
        return biasedProduct(reluDropout(key, p, biasedProduct(x, first.weight, first.bias)), second.weight, second.bias);
    const at::Tensor y = ReluDropoutProduct::apply(affine(x, first.weight, first.bias), second.weight,
                                                   ReluDropoutProduct::Settings{second.bias, key, p});
    return {y, second.bias.defined() && second.bias.requires_grad() ? second.bias : at::Tensor()};
}

}  // namespace heddle
