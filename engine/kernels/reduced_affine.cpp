// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/reduced_affine.h"

#include "engine/device/torch_pch.h"
#include "engine/device/torch_private.h"
#include "engine/kernels/optional_operand.h"
#include "engine/kernels/reduced.h"

#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

using ReducedContext = torch::autograd::AutogradContext;
using ReducedTensors = torch::autograd::variable_list;

/// The biases as inputs of a function on (x, weights, biases).
std::vector<SummedInput> summedBiases(const std::vector<std::int64_t>& rows, std::size_t biases) {
    std::vector<SummedInput> inputs;
    for (std::size_t i = 0; i < biases; ++i) inputs.push_back({1 + rows.size() + i, rows[i]});
    return inputs;
}

at::Tensor asRows(const at::Tensor& x) { return x.reshape({-1, x.size(-1)}); }

class ReducedAffine : public torch::autograd::Function<ReducedAffine> {
public:
    static at::Tensor forward(ReducedContext* context, const at::Tensor& x16, at::TensorList weights, at::TensorList biases) {
        const at::Tensor weight16_OI = reducedFactor(weights);
        const at::Tensor bias16_O = biases.empty() ? at::Tensor() : reducedFactor(biases);
        context->save_for_backward({x16, weight16_OI});
        std::vector<std::int64_t> rows;
        for (const at::Tensor& weight : weights) rows.push_back(weight.size(0));
        context->saved_data["rows"] = rows;
        context->saved_data["biases"] = static_cast<std::int64_t>(biases.size());
        return productOfReduced(x16, weight16_OI, bias16_O);
    }

    static ReducedTensors backward(ReducedContext* context, const ReducedTensors& gradients) {
        TORCH_CHECK(!at::GradMode::is_enabled(), "the gradients of products of reduced copies have no gradients");
        const ReducedTensors saved = context->get_saved_variables();
        const at::Tensor &x16 = saved[0], &weight16_OI = saved[1];
        const std::vector<std::int64_t> rows = context->saved_data["rows"].toIntVector();
        const auto biases = static_cast<std::size_t>(context->saved_data["biases"].toInt());
        const FactorGradients wanted = FactorGradients::wantedBy(*context, rows.size(), biases);
        const at::Tensor dy_NO = asRows(gradients[0]);
        ReducedTensors made(3);
        if (context->needs_input_grad(0)) made[0] = at::mm(dy_NO, weight16_OI).view(x16.sizes());
        const ParameterGradients own = parameterGradients(dy_NO, asRows(x16), wanted, summedBiases(rows, biases));
        made[1] = own.weight_OI, made[2] = own.bias_O;
        ReducedTensors all = partsOfGradients(made, rows, biases);
        all.pop_back();  // forward has only tensor arguments
        return all;
    }
};

class ReducedProducts : public torch::autograd::Function<ReducedProducts> {
public:
    struct FixedBiases {
        std::vector<at::Tensor> each;  ///< in a struct, so that autograd does not take them for operands
    };
    static ReducedTensors forward(ReducedContext* context, const at::Tensor& x16, at::TensorList weights,
                                  const FixedBiases& biases) {
        ReducedTensors saved{x16}, made;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            saved.push_back(reducedFactor(weights[i]));
            made.push_back(productOfReduced(x16, saved.back(), reducedFactor(biases.each[i])));
        }
        context->save_for_backward(std::move(saved));
        context->set_materialize_grads(false);
        return made;
    }

    static ReducedTensors backward(ReducedContext* context, const ReducedTensors& gradients) {
        TORCH_CHECK(!at::GradMode::is_enabled(), "the gradients of products of reduced copies have no gradients");
        const ReducedTensors saved = context->get_saved_variables();
        const at::Tensor& x16 = saved.front();
        at::Tensor dx_NI;
        ReducedTensors made(2 + gradients.size());
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            if (!gradients[i].defined()) continue;
            const at::Tensor dy_NO = asRows(gradients[i]), &weight16_OI = saved[1 + i];
            if (context->needs_input_grad(0))
                dx_NI = dx_NI.defined() ? dx_NI.addmm_(dy_NO, weight16_OI) : at::mm(dy_NO, weight16_OI);
            if (context->needs_input_grad(1 + i)) made[1 + i] = weightGradient(dy_NO, asRows(x16));
        }
        if (dx_NI.defined()) made[0] = dx_NI.view(x16.sizes());
        return made;
    }
};

}  // namespace

at::Tensor weightGradient(const at::Tensor& dy_NO, const at::Tensor& x_NI) {
    if (dy_NO.is_cuda()) return at::mm(dy_NO.t(), x_NI, at::kFloat);
    return at::mm(dy_NO.t(), x_NI).to(at::kFloat);  // on the CPU the product has the type of its operands
}

ParameterGradients parameterGradients(const at::Tensor& dy_NO, const at::Tensor& x_NI, const FactorGradients& wanted,
                                      const std::vector<SummedInput>& biases) {
    ParameterGradients made;
    if (wanted.ofWeights && wanted.ofBiases) made = gradientsByOneProduct(dy_NO, x_NI);
    if (made.weight_OI.defined()) return made;
    if (wanted.ofWeights) made.weight_OI = weightGradient(dy_NO, x_NI);
    if (wanted.ofBiases) made.bias_O = columnSumsFor(biases, dy_NO);
    return made;
}

FactorGradients FactorGradients::wantedBy(const torch::autograd::AutogradContext& context, std::size_t weights,
                                          std::size_t biases) {
    FactorGradients wanted;
    for (std::size_t i = 0; i < weights + biases; ++i) {
        const bool wants = context.needs_input_grad(1 + i);
        (i < weights ? wanted.ofWeights : wanted.ofBiases) |= wants;
    }
    return wanted;
}

std::vector<at::Tensor> partsOfGradients(const std::vector<at::Tensor>& made, const std::vector<std::int64_t>& rows,
                                         std::size_t biases) {
    std::vector<at::Tensor> all{made[0]};
    const auto addParts = [&](const at::Tensor& gradient, std::size_t count) {
        std::int64_t first = 0;
        for (std::size_t i = 0; i < count; ++i) {
            all.push_back(gradient.defined() ? gradient.narrow(0, first, rows[i]) : at::Tensor());
            first += rows[i];
        }
    };
    addParts(made[1], rows.size());
    addParts(made[2], biases);
    all.emplace_back();
    return all;
}

at::Tensor productOfReduced(const at::Tensor& x16, const at::Tensor& weight16_OI, const at::Tensor& bias16_O) {
    std::vector<std::int64_t> sizes = x16.sizes().vec();
    sizes.back() = weight16_OI.size(0);
    return torch_private::reshapeOwned(at::linear(asRows(x16), weight16_OI, ifThere(bias16_O)), sizes);
}

at::Tensor reducedAffine(const at::Tensor& x, at::TensorList weights, at::TensorList biases) {
    return ReducedAffine::apply(reduced(x), weights, biases);
}

std::vector<at::Tensor> reducedProducts(const at::Tensor& x, at::TensorList weights, at::TensorList biases) {
    return ReducedProducts::apply(reduced(x), weights, ReducedProducts::FixedBiases{biases.vec()});
}

bool isReducedProduct(const at::Tensor& x, const at::Tensor& weight) {
    const bool isFloat = x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16;
    return reducedScopeIsOpen() && isFloat && weight.scalar_type() == at::kFloat;
}

}  // namespace heddle
