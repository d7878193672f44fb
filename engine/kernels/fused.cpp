// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/fused.h"

#include "engine/device/meta_device.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/column_sums.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/own_kernels.h"
#include "engine/kernels/reduced.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kElementsAtOnce = 1 << 15;  // for less work, starting a thread costs more than it saves
constexpr std::int64_t kWidthStep = 16;            // widths that the tests cover

void reluDropoutOnCpu(const at::Tensor& x, at::Tensor& y, const rows::Drop& drop) {
    if (x.is_meta()) return;
    const float* const in = x.const_data_ptr<float>();
    float* const out = y.data_ptr<float>();
    at::parallel_for(0, (x.numel() + kElementsAtOnce - 1) / kElementsAtOnce, 1, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t first = begin * kElementsAtOnce, last = std::min(end * kElementsAtOnce, x.numel());
        rows::reluDropout(in + first, out + first, first, last - first, drop);
    });
}

void reluDropoutBackwardOnCpu(const at::Tensor& y, const at::Tensor& dy, at::Tensor& dx, float scale) {
    if (y.is_meta()) return;
    const float *const values = y.const_data_ptr<float>(), *const above = dy.const_data_ptr<float>();
    float* const below = dx.data_ptr<float>();
    at::parallel_for(0, y.numel(), kElementsAtOnce, [&](std::int64_t begin, std::int64_t end) {
        rows::reluDropoutBackward(values + begin, above + begin, below + begin, end - begin, scale);
    });
}

class ReluDropout : public torch::autograd::Function<ReluDropout> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const RandomKey& key, double p) {
        const cuda::Drop drop = cudaDropOf(key, p);
        at::Tensor y = at::empty_like(x);
        if (const CudaKernels* const kernels = kernelsFor({x}))
            kernels->dropout({readFrom(x), writeTo(y), x.numel(), elementTypeOf(x), drop, true}, x.get_device());
        else
            reluDropoutOnCpu(x, y, dropOf(key, p));
        context->save_for_backward({y});
        context->saved_data["scale"] = static_cast<double>(drop.scale);
        return y;
    }
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const at::Tensor y = context->get_saved_variables()[0], dy = gradients[0].contiguous();
        at::Tensor dx = at::empty_like(y);
        const auto scale = static_cast<float>(context->saved_data["scale"].toDouble());
        if (const CudaKernels* const kernels = kernelsFor({y}))
            kernels->reluDropoutBackward({readFrom(y), readFrom(dy), writeTo(dx), y.numel(), elementTypeOf(y), scale},
                                         y.get_device());
        else
            reluDropoutBackwardOnCpu(y, dy, dx, scale);
        return {dx, at::Tensor(), at::Tensor()};
    }
};

/// The operands [...,D] of a normalised residual sum, and the mean and 1/√(var + eps) of each row: results of forward, operands
/// of backward. `gate` may be undefined.
struct AddNormOperands {
    const at::Tensor &r, &s, &gate, &weight, &mean_N, &inverse_N;
    RandomKey key;
    double p = 0;
};

cuda::AddNormArguments argumentsOf(const AddNormOperands& of) {
    cuda::AddNormArguments in{};
    in.rows = of.mean_N.numel();
    in.width = of.r.size(-1);
    in.r = of.r.const_data_ptr<float>();
    in.s = readFrom(of.s);
    in.gate = readFrom(of.gate);
    in.weight = of.weight.const_data_ptr<float>();
    in.type = elementTypeOf(of.s);
    in.drop = cudaDropOf(of.key, of.p);
    in.mean = of.mean_N.data_ptr<float>(), in.inverse = of.inverse_N.data_ptr<float>();
    return in;
}

class AddNormFunction : public torch::autograd::Function<AddNormFunction> {
public:
    struct Settings {
        double eps = 0;
        RandomKey key;
        double p = 0;
        bool reduces = false;  ///< also compute a bfloat16 copy
    };

    // NOLINTNEXTLINE(readability-function-size): autograd knows only tensors that are arguments
    static variable_list forward(AutogradContext* context, const at::Tensor& r, const at::Tensor& s,
                                 const std::optional<at::Tensor>& givenGate, const at::Tensor& weight, const at::Tensor& bias,
                                 const Settings& settings) {
        const at::Tensor gate = givenGate.value_or(at::Tensor()), y = at::empty_like(r);
        const at::Tensor y16 = settings.reduces ? at::empty_like(r, r.options().dtype(at::kBFloat16)) : at::Tensor();
        const at::Tensor mean_N = at::empty({r.numel() / r.size(-1)}, r.options()), inverse_N = at::empty_like(mean_N);
        cuda::AddNormArguments in = argumentsOf({r, s, gate, weight, mean_N, inverse_N, settings.key, settings.p});
        in.bias = bias.const_data_ptr<float>();
        in.eps = settings.eps;
        in.y = y.data_ptr<float>(), in.y16 = writeTo(y16);
        kernelsFor({r})->addNorm(in, r.get_device());
        context->save_for_backward({r, s, gate, weight, mean_N, inverse_N});
        context->saved_data["key"] = packedKey(settings.key);
        context->saved_data["p"] = settings.p;
        context->set_materialize_grads(false);
        if (!settings.reduces) return {y};  // autograd does not accept undefined results
        return {y, y16};
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &r = saved[0], &s = saved[1], &gate = saved[2];
        const cuda::AddNormArguments in =
            argumentsOf({r, s, gate, saved[3], saved[4], saved[5], unpackedKey(context->saved_data["key"].toIntVector()),
                         context->saved_data["p"].toDouble()});
        const auto dense = [](const at::Tensor& g) { return g.defined() ? g.contiguous() : g; };
        const at::Tensor dy = dense(gradients[0]), dy16 = gradients.size() > 1 ? dense(gradients[1]) : at::Tensor();
        const at::Tensor dr = at::empty_like(r), ds = at::empty_like(s),
                         dgate = gate.defined() ? at::empty_like(gate) : at::Tensor();
        const std::int64_t rowsOfSum = cuda::rowsPerPartial(in.rows, in.width);
        const at::Tensor partial_2KD = at::empty({2, (in.rows + rowsOfSum - 1) / rowsOfSum, in.width}, r.options());
        const at::Tensor dweight_KD = partial_2KD.select(0, 0), dbias_KD = partial_2KD.select(0, 1);
        kernelsFor({r})->addNormBackward(
            {in, static_cast<const float*>(readFrom(dy)), dr.data_ptr<float>(), writeTo(ds), writeTo(dgate),
             dweight_KD.data_ptr<float>(), dbias_KD.data_ptr<float>(), rowsOfSum, readFrom(dy16)},
            r.get_device());
        const at::Tensor both_2D = columnSums(partial_2KD);
        return {dr, ds, dgate, both_2D.select(0, 0), both_2D.select(0, 1), at::Tensor()};
    }
};

/// y = x + tanh(a) ⊙ sigmoid(e) on a device with the kernels.
class Adjusted : public torch::autograd::Function<Adjusted> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& a, const at::Tensor& e) {
        at::Tensor y = at::empty_like(x);
        kernelsFor({x})->adjust(
            {readFrom(x), readFrom(a), readFrom(e), writeTo(y), x.numel(), elementTypeOf(x), elementTypeOf(a)}, x.get_device());
        context->save_for_backward({a, e});
        return y;
    }
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &a = saved[0], &e = saved[1], dy = gradients[0].contiguous();
        const at::Tensor da = at::empty_like(a), de = at::empty_like(e);
        kernelsFor({dy})->adjustBackward(
            {readFrom(dy), readFrom(a), readFrom(e), writeTo(da), writeTo(de), dy.numel(), elementTypeOf(dy), elementTypeOf(a)},
            dy.get_device());
        return {dy, da, de};
    }
};

}  // namespace

bool normsInOnePass(const at::Tensor& x) {
    if (x.dim() == 0 || x.size(-1) % kWidthStep != 0 || x.size(-1) > 4 * cuda::kMostQuads) return false;
    return kernelsFor(OwnKernel::CudaNorm, {x}) != nullptr;
}

at::Tensor reluDropout(const RandomKey& key, double p, const at::Tensor& x) {
    const bool isFused = takesCpuPath(x) ? x.scalar_type() == at::kFloat && x.is_contiguous() && isUsed(OwnKernel::Dropout)
                                         : kernelsFor(OwnKernel::CudaDropout, {x}) != nullptr;
    return isFused ? ReluDropout::apply(x, key, p) : dropout(key, p, at::relu(x));
}

at::Tensor normedResidual(const ResidualParts& sum, const LayerNormParts& norm) {
    const auto& [r, s, gate, key, p] = sum;
    const bool isOneType = s.scalar_type() == (gate.defined() ? gate : s).scalar_type();
    if (!normsInOnePass(r) || r.scalar_type() != at::kFloat || norm.weight.scalar_type() != at::kFloat || !isOneType) {
        const at::Tensor dropped = dropout(key, p, s);
        const at::Tensor z = r + (gate.defined() ? at::sigmoid(gate) * dropped : dropped);
        return at::layer_norm(z, {z.size(-1)}, norm.weight, norm.bias, norm.eps);
    }
    std::optional<at::Tensor> given;  // an undefined tensor would count as an operand
    if (gate.defined()) given = gate;
    const bool reduces = reducedScopeIsOpen();
    const variable_list made =
        AddNormFunction::apply(r, s, given, norm.weight, norm.bias, AddNormFunction::Settings{norm.eps, key, p, reduces});
    if (reduces) offerReduced(made[0], made[1]);
    return made[0];
}

bool adjustsInOnePass(const at::Tensor& x) { return kernelsFor(OwnKernel::CudaAdjust, {x}) != nullptr; }

at::Tensor adjusted(const at::Tensor& x, const at::Tensor& a, const at::Tensor& e) {
    const bool fit = kernelsFor(OwnKernel::CudaAdjust, {x, a, e}) && a.scalar_type() == e.scalar_type() && typesFit(x, a) &&
                     x.sizes() == a.sizes() && x.sizes() == e.sizes();
    return fit ? Adjusted::apply(x, a, e) : x + at::tanh(a) * at::sigmoid(e);
}

}  // namespace heddle
