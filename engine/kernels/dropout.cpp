// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/dropout.h"

#include "engine/base/error.h"
#include "engine/device/meta_device.h"
#include "engine/device/random_words.h"
#include "engine/device/step_phase.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/cuda_kernels.h"
#include "engine/kernels/own_kernels.h"
#include "engine/kernels/reduced.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <bit>
#include <type_traits>

namespace heddle {
namespace {

/// Threshold and scale of dropout: elements with a word below the threshold become 0, others are multiplied by the scale.
struct DropRule {
    std::uint32_t threshold;
    double scale;
};

DropRule dropRule(double p) {
    if (!(p >= 0 && p < 1)) {
        throwInvalid("dropout probability " + std::to_string(p) + " is not in [0, 1)", "dropout",
                     "choose a probability of at least 0 and below 1");
    }
    return {static_cast<std::uint32_t>(p * 0x1p32), 1.0 / (1.0 - p)};
}

/// Masks the bits of the product by AND, since a branch would be mispredicted for every dropped element (3 times slower).
template <class T>
void multiplyByMask(const RandomKey& key, const DropRule& rule, const at::Tensor& x, at::Tensor& y) {
    if (x.is_meta()) return;
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T* const in = x.const_data_ptr<T>();
    T* const out = y.data_ptr<T>();
    const T scale = static_cast<T>(rule.scale);
    const std::uint32_t threshold = rule.threshold;
    forEachWords(key, x.numel(), [=](std::int64_t first, const std::uint32_t* words, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
            const Bits keep = Bits{0} - Bits{words[i] >= threshold};
            out[first + i] = std::bit_cast<T>(std::bit_cast<Bits>(in[first + i] * scale) & keep);
        }
    });
}

/// The mask as 0 and 1 in x's type, so that reduced types multiply by the exact scale only once at the end.
at::Tensor keepMask(const RandomKey& key, const DropRule& rule, const at::Tensor& x) {
    if (!x.device().is_cpu()) {
        const at::Tensor words = randomWordsByOperators(key, x.numel(), x.device());
        return words.ge(static_cast<std::int64_t>(rule.threshold)).reshape(x.sizes()).to(x.scalar_type());
    }
    at::Tensor keep = at::ones(x.sizes(), at::TensorOptions(at::kFloat));
    multiplyByMask<float>(key, {rule.threshold, 1.0}, keep, keep);
    return keep.to(x.scalar_type());
}

cuda::Drop cudaDrop(const RandomKey& key, const DropRule& rule) {
    return {deviceStreamOf(key), key.countersAt, rule.threshold, static_cast<float>(rule.scale)};
}

/// x is contiguous.
at::Tensor applyDropout(const RandomKey& key, const DropRule& rule, const at::Tensor& x) {
    const bool isFloating = x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble;
    if (takesCpuPath(x) && isFloating && isUsed(OwnKernel::Dropout)) {
        at::Tensor y = at::empty_like(x);
        if (x.scalar_type() == at::kFloat) {
            multiplyByMask<float>(key, rule, x, y);
        } else {
            multiplyByMask<double>(key, rule, x, y);
        }
        return y;
    }
    if (const CudaKernels* const kernels = kernelsFor(OwnKernel::CudaDropout, {x})) {
        at::Tensor y = at::empty_like(x);
        kernels->dropout({x.const_data_ptr(), y.data_ptr(), x.numel(), elementTypeOf(x), cudaDrop(key, rule), false},
                         x.get_device());
        return y;
    }
    const LaunchedAsOne dropoutOfTorch("native_dropout");  // a count compares kernels of ours with those of torch
    return x * keepMask(key, rule, x) * rule.scale;
}

class DropoutFunction : public torch::autograd::Function<DropoutFunction> {
public:
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const RandomKey& key, double p) {
        context->saved_data["key"] = packedKey(key);
        context->saved_data["p"] = p;
        return applyDropout(key, dropRule(p), x.contiguous());
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradients) {
        const RandomKey key = unpackedKey(context->saved_data["key"].toIntVector());
        const DropRule rule = dropRule(context->saved_data["p"].toDouble());
        return {applyDropout(key, rule, gradients[0].contiguous()), at::Tensor(), at::Tensor()};
    }
};

cuda::DropoutArguments dropoutArguments(const at::Tensor& x, const at::Tensor& y, const cuda::Drop& drop) {
    return {readFrom(x), writeTo(y), x.numel(), elementTypeOf(x), drop, false, {}, nullptr};
}

/// With the bfloat16 copy, for up to three products.
class DropoutWithCopy : public torch::autograd::Function<DropoutWithCopy> {
public:
    using Tensors = torch::autograd::variable_list;

    static Tensors forward(torch::autograd::AutogradContext* context, const at::Tensor& x, const RandomKey& key, double p) {
        context->saved_data["key"] = packedKey(key);
        context->saved_data["p"] = p;
        context->set_materialize_grads(false);
        const at::Tensor y = at::empty_like(x), y16 = at::empty_like(x, x.options().dtype(at::kBFloat16));
        cuda::DropoutArguments in = dropoutArguments(x, y, cudaDrop(key, dropRule(p)));
        in.y16 = writeTo(y16);
        kernelsFor({x})->dropout(in, x.get_device());
        return {y, y16, y16.detach(), y16.detach()};
    }
    static Tensors backward(torch::autograd::AutogradContext* context, const Tensors& gradients) {
        const RandomKey key = unpackedKey(context->saved_data["key"].toIntVector());
        const GradientsOfCopies of(gradients);
        if (!of.dy.defined()) return Tensors(3);
        return {droppedSum(of, key, context->saved_data["p"].toDouble()), at::Tensor(), at::Tensor()};
    }
};

}  // namespace

at::Tensor dropoutMask(const RandomKey& key, double p, at::IntArrayRef sizes, const at::TensorOptions& options) {
    return applyDropout(key, dropRule(p), at::ones(sizes, options));
}

rows::Drop dropOf(const RandomKey& key, double p) {
    const DropRule rule = dropRule(p);
    return {streamOf(key), rule.threshold, static_cast<float>(rule.scale)};
}

cuda::Drop cudaDropOf(const RandomKey& key, double p) { return cudaDrop(key, dropRule(p)); }

GradientsOfCopies::GradientsOfCopies(const std::vector<at::Tensor>& gradients) {
    const auto given = std::find_if(gradients.begin(), gradients.end(), [](const at::Tensor& g) { return g.defined(); });
    if (given == gradients.end()) return;
    const auto dense = [](const at::Tensor& g) { return g.defined() ? g.contiguous() : g; };
    dy = gradients[0].defined() ? dense(gradients[0]) : at::zeros(given->sizes(), given->options().dtype(at::kFloat));
    for (std::size_t i = 1; i < gradients.size(); ++i) ofCopies.push_back(dense(gradients[i]));
}

at::Tensor droppedSum(const GradientsOfCopies& gradients, const RandomKey& key, double p) {
    at::Tensor dx = at::empty_like(gradients.dy);
    cuda::DropoutArguments in = dropoutArguments(gradients.dy, dx, cudaDropOf(key, p));
    for (std::size_t i = 0; i < gradients.ofCopies.size(); ++i) in.added[i] = readFrom(gradients.ofCopies[i]);
    kernelsFor({gradients.dy})->dropout(in, dx.get_device());
    return dx;
}

at::Tensor dropout(const RandomKey& key, double p, const at::Tensor& x) { return DropoutFunction::apply(x, key, p); }

at::Tensor dropoutWithCopy(const RandomKey& key, double p, const at::Tensor& x) {
    const bool copies = reducedScopeIsOpen() && x.scalar_type() == at::kFloat && kernelsFor(OwnKernel::CudaDropout, {x});
    if (!copies) return dropout(key, p, x);
    const torch::autograd::variable_list made = DropoutWithCopy::apply(x, key, p);
    offerReduced(made[0], {made[1], made[2], made[3]});
    return made[0];
}

}  // namespace heddle
