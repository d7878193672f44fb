// SPDX-License-Identifier: Apache-2.0
// Interfaces for fused paths of a sublayer (engine/kernels/fused.h, carried_weights.h, short_attention.h) and of a stack's
// input (embedding.h). A block supports fusion by deriving from one of these besides its slot's interface; if one block of the
// sublayer does not, the blocks run separately.
#pragma once

#include "engine/blocks/block.h"
#include "engine/kernels/fused.h"
#include "engine/kernels/short_attention.h"

#include <optional>

namespace heddle {

/// Slot "residual": join(r, u, s, f) = r + σ(a) ⊙ s, or r + s.
class AddingResidual {
public:
    virtual ~AddingResidual() = default;
    struct Gate {
        BiasedProduct before_BSD;  ///< a; undefined: no gate
    };
    /// Nothing if a depends on s or a tap replaces the gate. Passes the gate to the taps.
    virtual std::optional<Gate> gate(const at::Tensor& r_BSD, const at::Tensor& u_BSD, const Forward& f) const = 0;
};

/// Slot "combine": combine(in, f) = tanh(A + V x), or tanh(A).
class TanhCombining {
public:
    virtual ~TanhCombining() = default;
    struct Argument {
        at::Tensor mixed_BSD, direct_BSD;  ///< A and V x; direct undefined: none
    };
    /// Nothing if a tap replaces the update. Passes the update to the taps that want it.
    virtual std::optional<Argument> beforeTanh(const Combine::Inputs& in, const Forward& f) const = 0;
};

/// Slot "scorer": score(q, k, f) = scale · q′ k′ᵀ, in one head.
class OneHeadProduct {
public:
    virtual ~OneHeadProduct() = default;
    struct Factors {
        at::Tensor query_BQD, key_BKD;
        double scale = 1;
    };
    /// Nothing if the block's options make it another form.
    virtual std::optional<Factors> factors(const LinearInput& q, const LinearInput& k) const = 0;
};

/// Slot "value": aggregate(w, x, …) = Σ_{k ≤ q + lastLeft} w_qk left_k + Σ_{k ≥ q + firstRight} w_qk right_k, in one head.
class DirectionalValues {
public:
    virtual ~DirectionalValues() = default;
    struct Sides {
        at::Tensor left_BKD, right_BKD;
        std::int64_t lastLeft = 0, firstRight = 0;
    };
    /// For queries at all positions of x. Nothing if there are several heads, or a tap wants or replaces what aggregate()
    /// computes on the way.
    virtual std::optional<Sides> sides(const LinearInput& x, const Forward& f) const = 0;
};

/// Slot "residual": join(r, u, s, f) = r + α ⊙ s.
class WeighingResidual {
public:
    virtual ~WeighingResidual() = default;
    struct Weight {
        at::Tensor alpha;  ///< [1] or [D]; undefined: `fixed`
        double fixed = 1;
    };
    /// Whether join() has this form in this pass: α does not depend on the stream, and no tap replaces it.
    virtual bool weighs(const Forward& f) const = 0;
    /// α, if weighs(f). Passes it to the taps.
    virtual Weight weight(const Forward& f) const = 0;
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

/// Slot "embed": finish(side, x, f) = dropout(key, p, x), and embed(side, in) = scale · E[in.ids].
class PlainLookUp {
public:
    virtual ~PlainLookUp() = default;
    struct Rows {
        at::Tensor table_VD;
        double scale = 1;
        KeyedDropout::Draw draw;
    };
    /// Nothing if there are token types, a norm, or no vectors.
    virtual std::optional<Rows> rows(Embedding::Side side, const Forward& f) const = 0;
};

/// Slot "position": add(x, first) = x + P, or x.
class AddedPosition {
public:
    virtual ~AddedPosition() = default;
    /// P of positions first…first+count-1; undefined: nothing is added.
    virtual at::Tensor added_SD(std::int64_t first, std::int64_t count) const = 0;
};

/// Slot "score": add(s, …) = {s + a, (s + a) / c}.
class AddingScoreRule {
public:
    virtual ~AddingScoreRule() = default;
    struct Added {
        at::Tensor added_BHQK;  ///< a; undefined: none
        double divisor = 1;     ///< c
        bool keepsSum = false;  ///< whether a later layer reads s + a
    };
    /// The term added to raw_BHQK; nothing if a tap replaces the logits. Passes all exposures to the taps.
    virtual std::optional<Added> added(const at::Tensor& raw_BHQK, const ScoreRule::Earlier& earlier,
                                       const Forward& f) const = 0;
    /// The same where neither s nor a is ever a tensor; nothing if a has another form than a CarriedTerm or a tap replaces an
    /// exposure. Asked only where all layers have this rule with these options. Passes nothing to the taps.
    virtual std::optional<CarriedTerm> term(const ScoreRule::Earlier& earlier, const Forward& f) const = 0;
    virtual bool isWatched(const Forward& f) const = 0;  ///< a tap wants an exposure
};

}  // namespace heddle
