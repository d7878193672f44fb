// SPDX-License-Identifier: Apache-2.0
// What blocks offer to a sublayer that does several things in one pass (engine/kernels/fused.h, carried_weights.h). A block
// says so by deriving from one of these besides its slot's interface; where one of the three does not, each works by itself.
#pragma once

#include "engine/blocks/block.h"
#include "engine/kernels/fused.h"

#include <optional>

namespace heddle {

/// Slot "residual": join(r, u, s, f) = r + σ(a) ⊙ s, or r + s.
class AddingResidual {
public:
    virtual ~AddingResidual() = default;
    struct Gate {
        at::Tensor before_BSD;  ///< a; undefined: there is none
    };
    /// Nothing where a depends on s, or where somebody replaces the gate. Shows the gate to those who watch.
    virtual std::optional<Gate> gate(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const Forward& f) const = 0;
};

/// Slot "norm": normalise(x) = layer_norm(x).
class AffineLayerNorm {
public:
    virtual ~AffineLayerNorm() = default;
    virtual LayerNormParts parts() const = 0;
};

/// Slot "dropout": sublayer(s, f) = dropout(key, p, s) when training, and attention(w, f) likewise.
class KeyedDropout {
public:
    virtual ~KeyedDropout() = default;
    struct Draw {
        RandomKey key;
        double p = 0;
    };
    virtual Draw sublayerDraw(const Forward& f) const = 0;
    virtual Draw attentionDraw(const Forward& f) const = 0;
};

/// Slot "score": add(s, …) = {s + a, (s + a) / c}.
class AddingScoreRule {
public:
    virtual ~AddingScoreRule() = default;
    struct Added {
        at::Tensor added_BHQK;  ///< a; undefined: nothing is added
        double divisor = 1;     ///< c
        bool keepsSum = false;  ///< whether a later layer reads s + a
    };
    /// What is added to raw_BHQK; nothing where somebody replaces the logits. Shows all to those who watch.
    virtual std::optional<Added> added(const at::Tensor& raw_BHQK, const ScoreRule::Earlier& earlier,
                                       const Forward& f) const = 0;
};

}  // namespace heddle
