// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/fused.h"

#include "engine/device/meta_device.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cpu/row_threads.h"
#include "engine/kernels/cpu_kernels.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/reduced.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kElementsAtOnce = 1 << 15;  // for less work, starting a thread costs more than it saves

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

/// The operands [...,D] of a normalised residual sum and, in backward, the saved row statistics; `gate` may be undefined.
struct AddNormOperands {
    const at::Tensor &r, &s, &gate, &weight;
    RandomKey key;
    double p = 0;

    std::int64_t width() const { return r.size(-1); }
    std::int64_t rows() const { return r.numel() / width(); }
};

rows::AddNorm onCpu(const AddNormOperands& of) {
    rows::AddNorm in;
    in.width = of.width();
    in.r = of.r.const_data_ptr<float>();
    in.s = of.s.const_data_ptr<float>();
    in.gate = of.gate.defined() ? of.gate.const_data_ptr<float>() : nullptr;
    in.weight = of.weight.const_data_ptr<float>();
    in.drop = dropOf(of.key, of.p);
    return in;
}

cuda::AddNormArguments onCuda(const AddNormOperands& of) {
    cuda::AddNormArguments in{};
    in.rows = of.rows();
    in.width = of.width();
    in.r = of.r.const_data_ptr<float>();
    in.s = readFrom(of.s);
    in.gate = readFrom(of.gate);
    in.weight = of.weight.const_data_ptr<float>();
    in.type = elementTypeOf(of.s);
    in.drop = cudaDropOf(of.key, of.p);
    return in;
}

/// Mean and 1/√(var + eps) of each row: result of forward, input of backward.
struct Moments {
    at::Tensor mean_N, inverse_N;
};

/// What NormedResidual needs besides tensors.
struct AddNormSettings {
    double eps = 0;
    RandomKey key;
    double p = 0;
    bool reduces = false;  ///< also compute a bfloat16 copy
};

struct NormOf {
    const at::Tensor& bias;
    double eps;
};
/// y and optionally y in bfloat16.
struct AddNormResult {
    at::Tensor y, y16;
};
void addNormInto(const AddNormOperands& of, const NormOf& norm, const AddNormResult& made, const Moments& kept) {
    if (of.r.is_meta()) return;
    float* const out = made.y.data_ptr<float>();
    float *const mean = kept.mean_N.data_ptr<float>(), *const inverse = kept.inverse_N.data_ptr<float>();
    if (const CudaKernels* const kernels = kernelsFor({of.r})) {
        cuda::AddNormArguments in = onCuda(of);
        in.bias = norm.bias.const_data_ptr<float>();
        in.eps = norm.eps;
        in.mean = mean, in.inverse = inverse, in.y = out, in.y16 = writeTo(made.y16);
        kernels->addNorm(in, of.r.get_device());
        return;
    }
    rows::AddNorm in = onCpu(of);
    in.bias = norm.bias.const_data_ptr<float>();
    in.eps = norm.eps;
    forRows(of.rows(), in.width, [&](std::int64_t begin, std::int64_t end) {
        rows::addNorm(in, out, {mean, inverse}, begin, end);
    });
    if (made.y16.defined()) at::Tensor(made.y16).copy_(made.y);
}

/// dweight and dbias: partial sums per block of rows. Blocks have a fixed size, so that sums do not depend on the number of
/// threads.
struct AddNormGradients {
    at::Tensor dr, ds, dgate, partial_2KD;
    at::Tensor dweight_KD = partial_2KD.select(0, 0), dbias_KD = partial_2KD.select(0, 1);

    /// [D] each. On a device by one kernel; the CPU's sums keep the order that recorded runs depend on.
    std::pair<at::Tensor, at::Tensor> sums() const {
        if (!partial_2KD.is_cuda()) return {dweight_KD.sum(0), dbias_KD.sum(0)};
        const at::Tensor both_2D = partial_2KD.sum(1);
        return {both_2D.select(0, 0), both_2D.select(0, 1)};
    }
};
std::int64_t rowsOfBlock(const AddNormOperands& of) {
    return of.r.is_cuda() ? cuda::rowsPerPartial(of.rows(), of.width())
                          : std::max<std::int64_t>(1, kElementsAtOnce / of.width());
}
AddNormGradients emptyGradients(const AddNormOperands& of) {
    const std::int64_t blocks = (of.rows() + rowsOfBlock(of) - 1) / rowsOfBlock(of);
    return {at::empty_like(of.r), at::empty_like(of.s), of.gate.defined() ? at::empty_like(of.gate) : at::Tensor(),
            at::empty({2, blocks, of.width()}, of.r.options())};
}

/// Gradients of y and of its copy; undefined: zeros.
struct OutputGradients {
    at::Tensor dy, dy16;
};
/// Their sum in float32.
at::Tensor summed(const OutputGradients& above) {
    if (!above.dy16.defined()) return above.dy;
    const at::Tensor dy = above.dy16.to(at::kFloat);
    return above.dy.defined() ? dy.add_(above.dy) : dy;
}

AddNormGradients addNormBackward(const AddNormOperands& of, const Moments& kept, const OutputGradients& gradients) {
    AddNormGradients made = emptyGradients(of);
    if (of.r.is_meta()) return made;
    const rows::RowMoments moments{kept.mean_N.data_ptr<float>(), kept.inverse_N.data_ptr<float>()};
    float *const dr = made.dr.data_ptr<float>(), *const dweight = made.dweight_KD.data_ptr<float>(),
                 *const dbias = made.dbias_KD.data_ptr<float>();
    if (const CudaKernels* const kernels = kernelsFor({of.r})) {
        cuda::AddNormArguments in = onCuda(of);
        in.mean = moments.mean, in.inverse = moments.inverse;
        kernels->addNormBackward({in, static_cast<const float*>(readFrom(gradients.dy)), dr, writeTo(made.ds),
                                  writeTo(made.dgate), dweight, dbias, rowsOfBlock(of), readFrom(gradients.dy16)},
                                 of.r.get_device());
        return made;
    }
    const at::Tensor dy = summed(gradients);
    const float* const above = dy.const_data_ptr<float>();
    const rows::AddNorm in = onCpu(of);
    const rows::AddNormGradients all{dr, made.ds.data_ptr<float>(), static_cast<float*>(writeTo(made.dgate)), dweight, dbias};
    at::parallel_for(0, made.dweight_KD.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            rows::AddNormGradients out = all;
            out.weight += block * in.width;
            out.bias += block * in.width;
            const std::int64_t first = block * rowsOfBlock(of);
            rows::addNormBackward(in, above, moments, out, first, std::min(of.rows(), first + rowsOfBlock(of)));
        }
    });
    return made;
}

class AddNormFunction : public torch::autograd::Function<AddNormFunction> {
public:
    // NOLINTNEXTLINE(readability-function-size): autograd knows only tensors that are arguments
    static variable_list forward(AutogradContext* context, const at::Tensor& r, const at::Tensor& s,
                                 const std::optional<at::Tensor>& givenGate, const at::Tensor& weight, const at::Tensor& bias,
                                 const AddNormSettings& settings) {
        const at::Tensor gate = givenGate.value_or(at::Tensor());
        const AddNormOperands of{r, s, gate, weight, settings.key, settings.p};
        const at::Tensor y16 = settings.reduces ? at::empty_like(r, r.options().dtype(at::kBFloat16)) : at::Tensor();
        const AddNormResult made{at::empty_like(r), y16};
        const Moments kept{at::empty({of.rows()}, r.options()), at::empty({of.rows()}, r.options())};
        addNormInto(of, {bias, settings.eps}, made, kept);
        context->save_for_backward({r, s, gate, weight, kept.mean_N, kept.inverse_N});
        context->saved_data["key"] = packedKey(settings.key);
        context->saved_data["p"] = settings.p;
        context->set_materialize_grads(false);
        if (!settings.reduces) return {made.y};  // autograd does not accept undefined results
        return {made.y, made.y16};
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list saved = context->get_saved_variables();
        const AddNormOperands of{saved[0],
                                 saved[1],
                                 saved[2],
                                 saved[3],
                                 unpackedKey(context->saved_data["key"].toIntVector()),
                                 context->saved_data["p"].toDouble()};
        const auto dense = [](const at::Tensor& g) { return g.defined() ? g.contiguous() : g; };
        const OutputGradients above{dense(gradients[0]), gradients.size() > 1 ? dense(gradients[1]) : at::Tensor()};
        const AddNormGradients made = addNormBackward(of, {saved[4], saved[5]}, above);
        const auto [dweight, dbias] = made.sums();
        return {made.dr, made.ds, made.dgate, dweight, dbias, at::Tensor()};
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

bool rowsFit(const at::Tensor& x) {
    if (x.dim() == 0 || x.size(-1) % rows::kLanes != 0 || x.size(-1) > rows::kWidestRow) return false;
    if (!takesCpuPath(x)) return kernelsFor({x}) != nullptr;
    return x.scalar_type() == at::kFloat && x.is_contiguous() && x.numel() > 0;
}

at::Tensor toRowKernelLayout(const at::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == at::kBFloat16 && reducedScopeIsOpen() ? x.to(at::kFloat) : x;
}

at::Tensor reluDropout(const RandomKey& key, double p, const at::Tensor& x) {
    const bool isFused = rowsFit(x) && (!takesCpuPath(x) || isUsed(CpuKernel::ReluDropout));
    return isFused ? ReluDropout::apply(x, key, p) : dropout(key, p, at::relu(x));
}

at::Tensor normedResidual(const ResidualParts& sum, const LayerNormParts& norm) {
    const auto& [r, s, gate, key, p] = sum;
    const bool isOneType = s.scalar_type() == (gate.defined() ? gate : s).scalar_type();
    const bool isFused = !takesCpuPath(r) || isUsed(CpuKernel::AddNorm);
    if (!isFused || r.scalar_type() != at::kFloat || norm.weight.scalar_type() != at::kFloat || !isOneType) {
        const at::Tensor dropped = dropout(key, p, s);
        const at::Tensor z = r + (gate.defined() ? at::sigmoid(gate) * dropped : dropped);
        return at::layer_norm(z, {z.size(-1)}, norm.weight, norm.bias, norm.eps);
    }
    std::optional<at::Tensor> given;  // an undefined tensor would count as an operand
    if (gate.defined()) given = gate;
    const bool reduces = reducedScopeIsOpen();
    const variable_list made =
        AddNormFunction::apply(r, s, given, norm.weight, norm.bias, AddNormSettings{norm.eps, key, p, reduces});
    if (reduces) offerReduced(made[0], made[1]);
    return made[0];
}

bool adjustsInOnePass(const at::Tensor& x) { return kernelsFor({x}) != nullptr; }

at::Tensor adjusted(const at::Tensor& x, const at::Tensor& a, const at::Tensor& e) {
    const bool fit = kernelsFor({x, a, e}) && a.scalar_type() == e.scalar_type() && typesFit(x, a) && x.sizes() == a.sizes() &&
                     x.sizes() == e.sizes();
    return fit ? Adjusted::apply(x, a, e) : x + at::tanh(a) * at::sigmoid(e);
}

}  // namespace heddle
