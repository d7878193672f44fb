// SPDX-License-Identifier: Apache-2.0
#include "engine/device/fused.h"

#include "engine/device/drop.h"
#include "engine/device/torch_pch.h"

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

namespace heddle {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kWidest = 8192;
constexpr std::int64_t kElementsAtOnce = 1 << 15;  // below, starting a thread costs more than it saves

class ReluDropout : public torch::autograd::Function<ReluDropout> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const RandomKey& key, double p) {
        const rows::Drop drop = dropOf(key, p);
        at::Tensor y = at::empty_like(x);
        const float* const in = x.const_data_ptr<float>();
        float* const out = y.data_ptr<float>();
        at::parallel_for(0, (x.numel() + kElementsAtOnce - 1) / kElementsAtOnce, 1, [&](std::int64_t begin, std::int64_t end) {
            const std::int64_t first = begin * kElementsAtOnce, last = std::min(end * kElementsAtOnce, x.numel());
            rows::reluDrop(in + first, out + first, first, last - first, drop);
        });
        context->save_for_backward({y});
        context->saved_data["scale"] = static_cast<double>(drop.scale);
        return y;
    }
    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const at::Tensor y = context->get_saved_variables()[0], dy = gradients[0].contiguous();
        at::Tensor dx = at::empty_like(y);
        const auto scale = static_cast<float>(context->saved_data["scale"].toDouble());
        const float *const values = y.const_data_ptr<float>(), *const above = dy.const_data_ptr<float>();
        float* const below = dx.data_ptr<float>();
        at::parallel_for(0, y.numel(), kElementsAtOnce, [&](std::int64_t begin, std::int64_t end) {
            rows::reluDropBackward(values + begin, above + begin, below + begin, end - begin, scale);
        });
        return {dx, at::Tensor(), at::Tensor()};
    }
};

/// Pointers to the operands; `gate` may be undefined.
rows::NormedSum operandsOf(const at::Tensor& r, const at::Tensor& s, const at::Tensor& gate) {
    rows::NormedSum in;
    in.width = r.size(-1);
    in.r = r.const_data_ptr<float>();
    in.s = s.const_data_ptr<float>();
    in.gate = gate.defined() ? gate.const_data_ptr<float>() : nullptr;
    return in;
}

/// What NormedResidual needs besides tensors.
struct JoinSettings {
    double eps = 0;
    RandomKey key;
    double p = 0;
};

class NormedResidual : public torch::autograd::Function<NormedResidual> {
public:
    // NOLINTNEXTLINE(readability-function-size): autograd knows only tensors that are arguments
    static at::Tensor forward(AutogradContext* context, const at::Tensor& r, const at::Tensor& s,
                              const std::optional<at::Tensor>& givenGate, const at::Tensor& weight, const at::Tensor& bias,
                              const JoinSettings& settings) {
        const auto& [eps, key, p] = settings;
        const at::Tensor gate = givenGate.value_or(at::Tensor());
        rows::NormedSum in = operandsOf(r, s, gate);
        in.weight = weight.const_data_ptr<float>();
        in.bias = bias.const_data_ptr<float>();
        in.eps = eps;
        in.drop = dropOf(key, p);
        const std::int64_t count = r.numel() / in.width;
        at::Tensor y = at::empty_like(r), mean_N = at::empty({count}, r.options()), inverse_N = at::empty({count}, r.options());
        float* const out = y.data_ptr<float>();
        const rows::RowMoments kept{mean_N.data_ptr<float>(), inverse_N.data_ptr<float>()};
        at::parallel_for(0, count, std::max<std::int64_t>(1, kElementsAtOnce / in.width),
                         [&](std::int64_t begin, std::int64_t end) { rows::normedSum(in, out, kept, begin, end); });
        context->save_for_backward({r, s, gate, weight, mean_N, inverse_N});
        context->saved_data["key"] = static_cast<std::int64_t>(key.key);
        context->saved_data["step"] = static_cast<std::int64_t>(key.step);
        context->saved_data["micro"] = static_cast<std::int64_t>(key.microStep);
        context->saved_data["p"] = p;
        return y;
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const variable_list saved = context->get_saved_variables();
        const at::Tensor &r = saved[0], &s = saved[1], &gate = saved[2], &weight = saved[3];
        rows::NormedSum in = operandsOf(r, s, gate);
        in.weight = weight.const_data_ptr<float>();
        in.drop = dropOf({static_cast<std::uint64_t>(context->saved_data["key"].toInt()),
                          static_cast<std::uint64_t>(context->saved_data["step"].toInt()),
                          static_cast<std::uint32_t>(context->saved_data["micro"].toInt())},
                         context->saved_data["p"].toDouble());
        const at::Tensor dy = gradients[0].contiguous();
        const std::int64_t count = r.numel() / in.width;
        // Rows are summed in blocks of a fixed size, so that the sums do not depend on the number of threads.
        const std::int64_t blockRows = std::max<std::int64_t>(1, kElementsAtOnce / in.width);
        const std::int64_t blocks = (count + blockRows - 1) / blockRows;
        at::Tensor dr = at::empty_like(r), ds = at::empty_like(s), dgate = gate.defined() ? at::empty_like(gate) : at::Tensor();
        at::Tensor dweight_KD = at::empty({blocks, in.width}, r.options()), dbias_KD = at::empty_like(dweight_KD);
        const rows::NormedSumGradients all{dr.data_ptr<float>(), ds.data_ptr<float>(),
                                           dgate.defined() ? dgate.data_ptr<float>() : nullptr, dweight_KD.data_ptr<float>(),
                                           dbias_KD.data_ptr<float>()};
        const float* const above = dy.const_data_ptr<float>();
        const rows::RowMoments kept{saved[4].data_ptr<float>(), saved[5].data_ptr<float>()};
        at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t block = begin; block < end; ++block) {
                rows::NormedSumGradients out = all;
                out.weight += block * in.width;
                out.bias += block * in.width;
                rows::normedSumBackward(in, above, kept, out, block * blockRows, std::min(count, (block + 1) * blockRows));
            }
        });
        return {dr, ds, dgate, dweight_KD.sum(0), dbias_KD.sum(0), at::Tensor()};
    }
};

}  // namespace

bool rowsFit(const at::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == at::kFloat && x.dim() > 0 && x.is_contiguous() && x.numel() > 0 &&
           x.size(-1) % rows::kLanes == 0 && x.size(-1) <= kWidest;
}

at::Tensor reluDropout(const RandomKey& key, double p, const at::Tensor& x) {
    return rowsFit(x) ? ReluDropout::apply(x, key, p) : dropout(key, p, at::relu(x));
}

at::Tensor normedResidual(const ResidualParts& sum, const LayerNormParts& norm) {
    std::optional<at::Tensor> gate;  // an undefined tensor would be taken for an operand
    if (sum.gate.defined()) gate = sum.gate;
    return NormedResidual::apply(sum.r, sum.s, gate, norm.weight, norm.bias, JoinSettings{norm.eps, sum.key, sum.p});
}

}  // namespace heddle
