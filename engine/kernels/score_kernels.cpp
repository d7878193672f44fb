// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/score_kernels.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/optional_operand.h"

#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

using ScoreContext = torch::autograd::AutogradContext;
using ScoreGradientList = torch::autograd::variable_list;

/// bias as [H,Q,K] without a copy; undefined stays undefined.
at::Tensor spread(const at::Tensor& bias, const at::Tensor& p_BHQK) {
    return bias.defined() ? bias.expand({p_BHQK.size(1), p_BHQK.size(2), p_BHQK.size(3)}) : bias;
}

cuda::ScoreGateArguments gateOf(const at::Tensor& p_BHQK, const at::Tensor& x_BHQK, const at::Tensor& bias_HQK,
                                cuda::GateActivation activation) {
    cuda::ScoreGateArguments of{};
    of.shape = scoreShapeOf(p_BHQK);
    of.p = readFrom(p_BHQK), of.x = readFrom(x_BHQK);
    of.scoreType = elementTypeOf(p_BHQK), of.mixedType = elementTypeOf(x_BHQK);
    of.activation = activation;
    for (int axis = 0; axis < 3; ++axis) of.xStrides[axis] = x_BHQK.stride(axis);
    if (!bias_HQK.defined()) return of;
    of.bias = bias_HQK.const_data_ptr<float>();
    for (int axis = 0; axis < 3; ++axis) of.biasStrides[axis] = bias_HQK.stride(axis);
    return of;
}

class GateFunction : public torch::autograd::Function<GateFunction> {
public:
    static at::Tensor forward(ScoreContext* context, const at::Tensor& p_BHQK, const at::Tensor& x_BHQK,
                              const std::optional<at::Tensor>& givenBias, std::int64_t activation) {
        const at::Tensor bias = givenBias.value_or(at::Tensor());
        at::Tensor y_BHQK = at::empty_like(p_BHQK);
        cuda::ScoreGateArguments of =
            gateOf(p_BHQK, x_BHQK, spread(bias, p_BHQK), static_cast<cuda::GateActivation>(activation));
        of.y = writeTo(y_BHQK);
        kernelsFor({p_BHQK})->scoreGate(of, p_BHQK.get_device());
        context->save_for_backward({p_BHQK, x_BHQK, bias});
        context->saved_data["activation"] = activation;
        return y_BHQK;
    }
    static ScoreGradientList backward(ScoreContext* context, const ScoreGradientList& gradients) {
        const ScoreGradientList saved = context->get_saved_variables();
        const at::Tensor &p_BHQK = saved[0], &x_BHQK = saved[1], &bias = saved[2], dy_BHQK = gradients[0].contiguous();
        const at::Tensor dp_BHQK = at::empty_like(p_BHQK);
        const at::Tensor dx_BHQK = at::empty_strided(x_BHQK.sizes(), x_BHQK.strides(), x_BHQK.options());
        const auto activation = static_cast<cuda::GateActivation>(context->saved_data["activation"].toInt());
        kernelsFor({p_BHQK})->scoreGateBackward(
            {gateOf(p_BHQK, x_BHQK, spread(bias, p_BHQK), activation), readFrom(dy_BHQK), writeTo(dp_BHQK), writeTo(dx_BHQK)},
            p_BHQK.get_device());
        // ATen sums in a fixed order, in float32 for all input types.
        const at::Tensor dbias = bias.defined() ? at::sum_to(dx_BHQK.sum(0, false, at::kFloat), bias.sizes()) : bias;
        return {dp_BHQK, dx_BHQK, dbias, at::Tensor()};
    }
};

/// Whether keys are contiguous in x and rows do not overlap.
bool hasDenseRows(const at::Tensor& x_BHQK) { return x_BHQK.stride(3) == 1 && x_BHQK.is_non_overlapping_and_dense(); }

}  // namespace

std::optional<at::Tensor> gatedScores(const at::Tensor& p_BHQK, const at::Tensor& x_BHQK, const at::Tensor& bias,
                                      cuda::GateActivation activation) {
    const bool isMixed = x_BHQK.scalar_type() == at::kFloat || x_BHQK.scalar_type() == at::kBFloat16;
    if (!isMixed || !kernelsFor(OwnKernel::CudaScoreGate, {p_BHQK}) || !typesFit(p_BHQK, x_BHQK) ||
        p_BHQK.sizes() != x_BHQK.sizes())
        return std::nullopt;
    if (!hasDenseRows(x_BHQK) || (bias.defined() && bias.scalar_type() != at::kFloat)) return std::nullopt;
    return GateFunction::apply(p_BHQK, x_BHQK, ifThere(bias), static_cast<std::int64_t>(activation));
}

}  // namespace heddle
