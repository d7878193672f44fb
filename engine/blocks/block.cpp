// SPDX-License-Identifier: Apache-2.0
#ifdef HEDDLE_MODULES

#include "engine/blocks/block.h"

#include "engine/device/torch_pch.h"

namespace heddle {

at::Tensor Forward::dropout(const at::Tensor& x, double p, const std::string& stream) const {
    return training && p > 0 ? heddle::dropout(randomKey(seed, stream, step, microStep), p, x) : x;
}

at::Tensor Init::vector(const RandomKey& key, at::IntArrayRef sizes, std::int64_t fanIn) const {
    const double bound = fanIn > 0 ? 1 / std::sqrt(static_cast<double>(fanIn)) : 0;
    return uniform(key, sizes, -bound, bound);
}

at::Tensor Init::table(const RandomKey& key, at::IntArrayRef sizes, double) const { return matrix(key, sizes); }

std::optional<Scorer::Product> Scorer::product(const at::Tensor&, const at::Tensor&) const { return std::nullopt; }

at::Tensor Value::heads(const at::Tensor&) const { return {}; }

at::Tensor Value::merge(const at::Tensor&, const Adjuster*, const Forward&) const { return {}; }

}  // namespace heddle

#endif
