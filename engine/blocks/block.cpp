// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/block.h"

#include "engine/data/tokenizers/tokenizer.h"
#include "engine/device/torch_pch.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/fused.h"

namespace heddle {

RandomKey Forward::key(const std::string& stream) const {
    RandomKey key = randomKey(seed, stream, step, microStep);
    key.countersAt = countersAt;
    return key;
}

at::Tensor Forward::dropout(const at::Tensor& x, double p, const std::string& stream) const {
    return training && p > 0 ? heddle::dropout(key(stream), p, x) : x;
}

at::Tensor activated(Activation act, const BiasedProduct& x) {
    switch (act) {
    case Activation::Sigmoid: return at::sigmoid(x);
    case Activation::Relu: return rectified(x);
    case Activation::Gelu: return gelu(x, "none");
    case Activation::GeluTanh: return gelu(x, "tanh");
    case Activation::Silu: return at::silu(x);
    case Activation::Tanh: return at::tanh(x);
    case Activation::Hardtanh: return at::hardtanh(x);
    case Activation::Relu2: return at::relu(x).square();
    case Activation::None: break;
    }
    return x;
}

at::Tensor Init::vector(const RandomKey& key, at::IntArrayRef sizes, std::int64_t fanIn) const {
    const double bound = fanIn > 0 ? 1 / std::sqrt(static_cast<double>(fanIn)) : 0;
    return uniform(key, sizes, -bound, bound);
}

at::Tensor Init::table(const RandomKey& key, at::IntArrayRef sizes, double) const { return matrix(key, sizes); }

double Init::tableDeviation(at::IntArrayRef sizes, double) const { return matrixDeviation(sizes); }

at::Tensor RelativePosition::placed(const at::Tensor& x_BHSE, const StepPosition&) const { return x_BHSE; }

at::Tensor RelativePosition::biased(const at::Tensor& score_BHQK, const StepPosition&) const { return score_BHQK; }

std::optional<Scorer::Product> Scorer::product(const LinearInput&, const LinearInput&) const { return std::nullopt; }

at::Tensor Embedding::padding(const at::Tensor& ids_BS) const { return ids_BS.eq(kPad); }

at::Tensor Head::pool(const at::Tensor& hidden_BSW, const at::Tensor&, const Forward&) const { return hidden_BSW; }

at::Tensor ScoreRule::gateFor(std::int64_t, const at::Tensor&, const Forward&) const { return {}; }

at::Tensor Dropout::keepsSublayer(const at::TensorOptions&, const Forward&) const { return {}; }

at::Tensor Value::heads(const LinearInput&) const { return {}; }

at::Tensor Value::normedValues(const at::Tensor& v_BGKE) const { return v_BGKE; }

BiasedProduct Value::merge(const at::Tensor&, const InnerAdjuster*, const Forward&) const { return {}; }

}  // namespace heddle

#endif
