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
/// of backward. `gate` and z may be undefined; backward has no r where it has z, and without a gate no s.
struct AddNormOperands {
    const at::Tensor &r, &s, &gate, &weight, &mean_N, &inverse_N, &z;
    at::ScalarType type;  ///< of s
    RandomKey key;
    double p = 0;
};

cuda::AddNormArguments argumentsOf(const AddNormOperands& of) {
    cuda::AddNormArguments in{};
    in.rows = of.mean_N.numel();
    in.width = of.weight.numel();
    in.r = static_cast<const float*>(readFrom(of.r));
    in.s = readFrom(of.s);
    in.gate = readFrom(of.gate);
    in.weight = of.weight.const_data_ptr<float>();
    in.type = elementTypeOf(of.type);
    in.drop = cudaDropOf(of.key, of.p);
    in.mean = of.mean_N.data_ptr<float>(), in.inverse = of.inverse_N.data_ptr<float>();
    in.z = static_cast<float*>(writeTo(of.z));
    return in;
}

class AddNormFunction : public torch::autograd::Function<AddNormFunction> {
public:
    struct Settings {
        double eps = 0;
        RandomKey key;
        double p = 0;
        bool reduces = false;   ///< also compute a bfloat16 copy
        bool keepsSum = false;  ///< also return z, as the last result
    };

    // NOLINTNEXTLINE(readability-function-size): autograd knows only tensors that are arguments
    static variable_list forward(AutogradContext* context, const at::Tensor& r, const at::Tensor& s,
                                 const std::optional<at::Tensor>& givenGate, const at::Tensor& weight, const at::Tensor& bias,
                                 const Settings& settings) {
        const at::Tensor gate = givenGate.value_or(at::Tensor()), y = at::empty_like(r);
        const at::Tensor y16 = settings.reduces ? at::empty_like(r, r.options().dtype(at::kBFloat16)) : at::Tensor();
        const at::Tensor mean_N = at::empty({r.numel() / r.size(-1)}, r.options()), inverse_N = at::empty_like(mean_N);
        const at::Tensor z = settings.keepsSum ? at::empty_like(r) : at::Tensor(), none;
        cuda::AddNormArguments in =
            argumentsOf({r, s, gate, weight, mean_N, inverse_N, z, s.scalar_type(), settings.key, settings.p});
        in.bias = bias.const_data_ptr<float>();
        in.eps = settings.eps;
        in.y = y.data_ptr<float>(), in.y16 = writeTo(y16);
        kernelsFor({r})->addNorm(in, r.get_device());
        const bool needsBranch = !settings.keepsSum || gate.defined();
        context->save_for_backward({settings.keepsSum ? none : r, needsBranch ? s : none, gate, weight, mean_N, inverse_N, z});
        context->saved_data["type"] = static_cast<std::int64_t>(s.scalar_type());
        context->saved_data["key"] = packedKey(settings.key);
        context->saved_data["p"] = settings.p;
        context->set_materialize_grads(false);
        variable_list made{y};  // autograd does not accept undefined results
        if (settings.reduces) made.push_back(y16);
        if (settings.keepsSum) made.push_back(z);
        return made;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &r = saved[0], &s = saved[1], &gate = saved[2], &z = saved[6];
        const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
        const cuda::AddNormArguments in =
            argumentsOf({r, s, gate, saved[3], saved[4], saved[5], z, type,
                         unpackedKey(context->saved_data["key"].toIntVector()), context->saved_data["p"].toDouble()});
        const auto dense = [](const at::Tensor& g) { return g.defined() ? g.contiguous() : g; };
        const bool isReduced = gradients.size() > (z.defined() ? 2U : 1U);
        const at::Tensor dy = dense(gradients[0]), dy16 = isReduced ? dense(gradients[1]) : at::Tensor(),
                         dz = z.defined() ? dense(gradients.back()) : at::Tensor();
        const at::Tensor dr = at::empty_like(z.defined() ? z : r), ds = at::empty_like(dr, dr.options().dtype(type)),
                         dgate = gate.defined() ? at::empty_like(gate) : at::Tensor();
        const std::int64_t rowsOfSum = cuda::rowsPerPartial(in.rows, in.width);
        const at::Tensor partial_2KD = at::empty({2, cuda::partialsOf(in.rows, rowsOfSum), in.width}, dr.options());
        const at::Tensor dweight_KD = partial_2KD.select(0, 0), dbias_KD = partial_2KD.select(0, 1);
        kernelsFor({dr})->addNormBackward({in, static_cast<const float*>(readFrom(dy)), dr.data_ptr<float>(), writeTo(ds),
                                           writeTo(dgate), dweight_KD.data_ptr<float>(), dbias_KD.data_ptr<float>(), rowsOfSum,
                                           readFrom(dy16), static_cast<const float*>(readFrom(dz))},
                                          dr.get_device());
        const std::size_t weightInput = gate.defined() ? 3 : 2;
        if (kernelsFor(OwnKernel::CudaSums, {partial_2KD}) &&
            areSummedLater({{dweight_KD, {{weightInput, in.width}}}, {dbias_KD, {{weightInput + 1, in.width}}}}))
            return {dr, ds, dgate, at::Tensor(), at::Tensor(), at::Tensor()};
        const at::Tensor both_2D = columnSums(partial_2KD);
        return {dr, ds, dgate, both_2D.select(0, 0), both_2D.select(0, 1), at::Tensor()};
    }
};

bool sumsInOnePass(const ResidualParts& sum, const LayerNormParts& norm) {
    const bool isOneType = !sum.gate.defined() || sum.gate.scalar_type() == sum.s.scalar_type();
    return normsInOnePass(sum.r) && sum.r.scalar_type() == at::kFloat && norm.weight.scalar_type() == at::kFloat && isOneType;
}

/// z is undefined unless it is kept.
SumAndNorm addNorm(const ResidualParts& sum, const LayerNormParts& norm, bool keepsSum) {
    std::optional<at::Tensor> given;  // an undefined tensor would count as an operand
    if (sum.gate.defined()) given = sum.gate;
    const bool reduces = reducedScopeIsOpen();
    const variable_list made = AddNormFunction::apply(sum.r, sum.s, given, norm.weight, norm.bias,
                                                      AddNormFunction::Settings{norm.eps, sum.key, sum.p, reduces, keepsSum});
    if (reduces) offerReduced(made[0], {made[1]});
    return {keepsSum ? made.back() : at::Tensor(), made[0]};
}

SumAndNorm byOperators(const ResidualParts& sum, const LayerNormParts& norm) {
    const at::Tensor dropped = dropout(sum.key, sum.p, sum.s);
    const at::Tensor z = sum.r + (sum.gate.defined() ? at::sigmoid(sum.gate) * dropped : dropped);
    return {z, at::layer_norm(z, {z.size(-1)}, norm.weight, norm.bias, norm.eps)};
}

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
    return sumsInOnePass(sum, norm) ? addNorm(sum, norm, false).normed : byOperators(sum, norm).normed;
}

SumAndNorm residualAndNorm(const ResidualParts& sum, const LayerNormParts& norm) {
    return sumsInOnePass(sum, norm) ? addNorm(sum, norm, true) : byOperators(sum, norm);
}

bool adjustsInOnePass(const at::Tensor& x) { return kernelsFor(OwnKernel::CudaAdjust, {x}) != nullptr; }

at::Tensor adjusted(const at::Tensor& x, const at::Tensor& a, const at::Tensor& e) {
    const bool fit = kernelsFor(OwnKernel::CudaAdjust, {x, a, e}) && a.scalar_type() == e.scalar_type() && typesFit(x, a) &&
                     x.sizes() == a.sizes() && x.sizes() == e.sizes();
    return fit ? Adjusted::apply(x, a, e) : x + at::tanh(a) * at::sigmoid(e);
}

}  // namespace heddle
