// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shape legend: B batch, S/Q/K sequence (query, key), D model width, H heads, E key width per head, F feed-forward width.

#include "engine/blocks/parameters.h"
#include "engine/blocks/taps.h"
#include "engine/device/random.h"
#include "engine/spec/block_descriptor.h"

#include <ATen/core/Tensor.h>

#include <memory>

namespace heddle {

/// What a forward pass carries along: the random key of this step, whether it trains, and who watches.
struct Forward {
    bool training = false;
    std::uint64_t seed = 0, step = 0;
    std::uint32_t microStep = 0;
    Taps* taps = nullptr;  ///< never null after construction by the model
    /// Dropout with probability p on the stream named by `path`: identity when not training or p = 0.
    at::Tensor dropout(const at::Tensor& x, double p, const std::string& path) const;
    at::Tensor pass(const std::string& module, const char* exposure, const at::Tensor& x) const {
        return taps ? taps->pass(module, exposure, x) : x;
    }
};

// One interface per slot. Every block is built by its factory from (scope, context, parameters) and is const afterwards.

class Scorer {  // slot "scorer"
public:
    virtual ~Scorer() = default;
    /// Raw scores before any mask. q_BQD, k_BKD → [B,H,Q,K].
    virtual at::Tensor score(const at::Tensor& q_BQD, const at::Tensor& k_BKD, const Forward& f) const = 0;
};

class Value {  // slot "value"
public:
    virtual ~Value() = default;
    /// weights_BHQK (after softmax and dropout), x_BKD → [B,Q,D] before/after the output projection as the block defines.
    /// `inner` is applied to the merged heads before the output projection (EAU's before_wo); may be null.
    virtual at::Tensor aggregate(const at::Tensor& weights_BHQK, const at::Tensor& x_BKD, const class Adjuster* inner,
                                 const Forward& f) const = 0;
};

class Adjuster {  // slot "adjuster"
public:
    virtual ~Adjuster() = default;
    virtual at::Tensor adjust(const at::Tensor& x_BSD, const Forward& f) const = 0;
};

class Residual {  // slot "residual"
public:
    virtual ~Residual() = default;
    /// r: un-normalised skip value; u: what the mixer saw (N(r) if pre-norm); s: sublayer output. → [B,S,D]
    virtual at::Tensor join(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const at::Tensor& s_BSD,
                            const Forward& f) const = 0;
};

class Norm {  // slot "norm"
public:
    virtual ~Norm() = default;
    virtual at::Tensor normalise(const at::Tensor& x_BSD) const = 0;
};

class FeedForward {  // slot "ffn"
public:
    virtual ~FeedForward() = default;
    virtual at::Tensor transform(const at::Tensor& x_BSD, const Forward& f) const = 0;
};

class Position {  // slot "position"
public:
    virtual ~Position() = default;
    /// x_BSD of absolute positions first…first+S-1 → x with positions added.
    virtual at::Tensor add(const at::Tensor& x_BSD, std::int64_t first) const = 0;
};

/// Everything a block is built from. `scope` is the block's own path ("encoder.layers.0.self.residual").
struct BuildContext {
    ParameterScope scope;
    BlockContext where;
    Json params;
    at::ScalarType type = at::kFloat;
};

}  // namespace heddle
