// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/block.h"

#include "engine/base/error.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/dropout.h"

namespace heddle {

RandomKey Forward::key(const std::string& stream) const {
    RandomKey key = randomKey(seed, stream, step, microStep);
    key.stepAt = stepAt;
    return key;
}

at::Tensor Forward::dropout(const at::Tensor& x, double p, const std::string& stream) const {
    return training && p > 0 ? heddle::dropout(key(stream), p, x) : x;
}

at::Tensor activated(const std::string& name, const at::Tensor& x) {
    if (name == "relu") return at::relu(x);
    if (name == "gelu") return at::gelu(x);
    if (name == "gelu_tanh") return at::gelu(x, "tanh");
    if (name == "silu") return at::silu(x);
    if (name == "sigmoid") return at::sigmoid(x);
    if (name == "tanh") return at::tanh(x);
    if (name != "none")
        throwInvalid("unknown activation \"" + name + "\"", "act", "use relu, gelu, gelu_tanh, silu, sigmoid, tanh or none");
    return x;
}

at::Tensor Init::vector(const RandomKey& key, at::IntArrayRef sizes, std::int64_t fanIn) const {
    const double bound = fanIn > 0 ? 1 / std::sqrt(static_cast<double>(fanIn)) : 0;
    return uniform(key, sizes, -bound, bound);
}

at::Tensor Init::table(const RandomKey& key, at::IntArrayRef sizes, double) const { return matrix(key, sizes); }

std::optional<Scorer::Product> Scorer::product(const LinearInput&, const LinearInput&) const { return std::nullopt; }

at::Tensor Embedding::padding(const at::Tensor& ids_BS) const { return ids_BS.eq(kPad); }

at::Tensor Head::pool(const at::Tensor& hidden_BSW, const at::Tensor&, const Forward&) const { return hidden_BSW; }

at::Tensor ScoreRule::gateFor(std::int64_t, const at::Tensor&, const Forward&) const { return {}; }

at::Tensor Value::heads(const LinearInput&) const { return {}; }

at::Tensor Value::merge(const at::Tensor&, const Adjuster*, const Forward&) const { return {}; }

}  // namespace heddle

#endif
