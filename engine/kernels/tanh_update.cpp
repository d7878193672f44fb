// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/tanh_update.h"

#include "engine/device/torch_pch.h"
#include "engine/kernels/column_sums.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/joint_parts.h"
#include "engine/kernels/optional_operand.h"
#include "engine/kernels/own_kernels.h"
#include "engine/kernels/reduced.h"

#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

using UpdateContext = torch::autograd::AutogradContext;
using UpdateTensors = torch::autograd::variable_list;

/// The distance of two rows of x [..., D] in memory if it is the same for all and rows are dense; else 0.
std::int64_t rowStrideOf(const at::Tensor& x) {
    if (x.is_contiguous()) return x.size(-1);
    if (x.stride(-1) != 1) return 0;
    const std::int64_t step = x.stride(-2);
    std::int64_t expected = step * x.size(-2);
    for (std::int64_t axis = x.dim() - 3; axis >= 0; expected *= x.size(axis--))
        if (x.size(axis) > 1 && x.stride(axis) != expected) return 0;
    return step;
}

/// The update on a device with the kernels.
class TanhUpdateFunction : public torch::autograd::Function<TanhUpdateFunction> {
public:
    struct Settings {
        double weight = 1;
        RandomKey key;
        double p = 0;
        bool reduces = false;  ///< also compute a bfloat16 copy
    };

    // α before direct, so that autograd, which counts the tensors that are given, has it at kAlpha.
    // NOLINTNEXTLINE(readability-function-size): autograd knows only tensors that are arguments
    static UpdateTensors forward(UpdateContext* context, const at::Tensor& h, const at::Tensor& a,
                                 const std::optional<at::Tensor>& alpha, const std::optional<at::Tensor>& direct,
                                 const Settings& settings) {
        const at::Tensor y = at::empty_like(h);
        const at::Tensor y16 = settings.reduces ? at::empty_like(h, h.options().dtype(at::kBFloat16)) : at::Tensor();
        const UpdateTensors operands{a, alpha.value_or(at::Tensor()), direct.value_or(at::Tensor())};
        cuda::TanhUpdateArguments in = argumentsOf(operands, settings);
        in.h = h.const_data_ptr<float>();
        in.y = y.data_ptr<float>(), in.y16 = writeTo(y16);
        kernelsFor({h})->tanhUpdate(in, h.get_device());
        context->save_for_backward(operands);
        context->saved_data["weight"] = settings.weight;
        context->saved_data["key"] = packedKey(settings.key);
        context->saved_data["p"] = settings.p;
        context->set_materialize_grads(false);
        if (!settings.reduces) return {y};  // autograd does not accept undefined results
        return {y, y16, y16.detach()};      // the copy for two products
    }

    static UpdateTensors backward(UpdateContext* context, const UpdateTensors& gradients) {
        const UpdateTensors operands = context->get_saved_variables();
        const at::Tensor &a = operands[0], &alpha = operands[1], &direct = operands[2];
        const cuda::TanhUpdateArguments in =
            argumentsOf(operands, {context->saved_data["weight"].toDouble(),
                                   unpackedKey(context->saved_data["key"].toIntVector()), context->saved_data["p"].toDouble()});
        const auto dense = [](const at::Tensor& g) { return g.defined() ? g.contiguous() : g; };
        const at::Tensor dy = dense(gradients[0]), dy16 = gradients.size() > 1 ? dense(gradients[1]) : at::Tensor(),
                         other16 = gradients.size() > 1 ? dense(gradients[2]) : at::Tensor();
        const at::TensorOptions floats = a.options().dtype(at::kFloat);
        const bool isOneSum = dy.defined() && !dy16.defined() && !other16.defined();  // then dh is dy
        const at::Tensor dh = isOneSum ? dy : at::empty(a.sizes(), floats);
        at::Tensor da;  // the gradient of direct, too
        if (direct.defined()) da = placeOfGradient(alpha.defined() ? kAlpha + 1 : kAlpha, a);
        if (!da.defined()) da = at::empty_like(a);
        const bool wantsAlpha = alpha.defined() && context->needs_input_grad(kAlpha);
        const std::int64_t rowsOfSum = cuda::rowsPerPartial(in.rows, in.width);
        at::Tensor dalpha;
        if (wantsAlpha) {
            const std::int64_t columns = in.alphaElements > 1 ? in.width : 4;
            dalpha = at::empty({cuda::partialsOf(in.rows, rowsOfSum), columns}, floats);
        }
        kernelsFor({a})->tanhUpdateBackward({in,
                                             static_cast<const float*>(readFrom(dy)),
                                             {readFrom(dy16), readFrom(other16)},
                                             isOneSum ? nullptr : dh.data_ptr<float>(),
                                             writeTo(da),
                                             rowStrideOf(da),
                                             static_cast<float*>(writeTo(dalpha)),
                                             rowsOfSum},
                                            a.get_device());
        if (wantsAlpha)
            dalpha = areSummedLater({{dalpha, {{kAlpha, alpha.numel()}}}}) ? at::Tensor()
                                                                           : columnSums(dalpha).narrow(0, 0, alpha.numel());
        return {dh, da, dalpha, direct.defined() ? da : at::Tensor(), at::Tensor()};
    }

private:
    static constexpr std::size_t kAlpha = 2;

    /// `operands`: a, α, direct; the last two may be undefined.
    static cuda::TanhUpdateArguments argumentsOf(const UpdateTensors& operands, const Settings& settings) {
        const at::Tensor &a = operands[0], &alpha = operands[1], &direct = operands[2];
        cuda::TanhUpdateArguments in{};
        in.width = a.size(-1);
        in.rows = a.numel() / in.width;
        in.a = readFrom(a), in.direct = readFrom(direct);
        in.directStride = direct.defined() ? rowStrideOf(direct) : in.width;
        in.alpha = static_cast<const float*>(readFrom(alpha));
        in.alphaElements = alpha.defined() ? alpha.numel() : 1;
        in.weight = static_cast<float>(settings.weight);
        in.type = elementTypeOf(a);
        in.drop = cudaDropOf(settings.key, settings.p);
        return in;
    }
};

bool fitsTheKernel(const TanhUpdateParts& of) {
    const auto isFloat = [](const at::Tensor& x) { return x.scalar_type() == at::kFloat; };
    if (!updatesInOnePass(of.h) || !kernelsFor({of.h, of.a, of.alpha}) || of.a.sizes() != of.h.sizes()) return false;
    if (of.alpha.defined() && !isFloat(of.alpha)) return false;
    return !of.direct.defined() || (of.direct.scalar_type() == of.a.scalar_type() && of.direct.sizes() == of.a.sizes());
}

}  // namespace

bool updatesInOnePass(const at::Tensor& h) {
    if (h.dim() < 2 || h.scalar_type() != at::kFloat || h.size(-1) % 4 != 0 || h.size(-1) > 4 * cuda::kMostQuads) return false;
    return kernelsFor(OwnKernel::CudaUpdate, {h}) != nullptr;
}

at::Tensor tanhUpdate(const TanhUpdateParts& of) {
    if (!fitsTheKernel(of)) {
        const at::Tensor update = dropout(of.key, of.p, at::tanh(of.direct.defined() ? of.a + of.direct : of.a));
        return of.alpha.defined() ? at::addcmul(of.h, of.alpha, update) : at::add(of.h, update, of.weight);
    }
    at::Tensor direct = of.direct;
    if (direct.defined() && rowStrideOf(direct) == 0) direct = direct.contiguous();
    const bool reduces = reducedScopeIsOpen();
    const UpdateTensors made = TanhUpdateFunction::apply(of.h, of.a, ifThere(of.alpha), ifThere(direct),
                                                         TanhUpdateFunction::Settings{of.weight, of.key, of.p, reduces});
    if (reduces) offerReduced(made[0], {made[1], made[2]});
    return made[0];
}

}  // namespace heddle
