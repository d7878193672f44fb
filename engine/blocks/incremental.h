// SPDX-License-Identifier: Apache-2.0
// Incremental decoding: the model computes one position after the other and caches keys and values. A block supports it by
// deriving from one of these classes besides its slot's interface; a stack with a block that does not re-reads the whole prefix
// at every position (Model::stepObstacle). Blocks of other slots act on each position independently and need no interface here.
#pragma once

#include "engine/blocks/block.h"

#include <string>

namespace heddle {

/// Where the position of a step comes from: the host, or device memory in replayed steps. A replayed step has one query, and
/// the unused capacity after it is masked.
enum class Steps { Placed, Replayed };

/// Slot "position": a position block that reads positions from device memory.
class IncrementalPosition {
public:
    virtual ~IncrementalPosition() = default;
    /// add() at these positions, int64 [1] for all rows or [B,S], each below dims.max_len.
    virtual at::Tensor addAt(const at::Tensor& x_BSD, const at::Tensor& positions) const = 0;
};

/// Slot "scorer": score(q, k, f) in two halves, score(q, k, f) = scoreCached(q, {0}, keep(k, {0}), f). Weights of a scorer with
/// givesWeights() never depend on later keys.
class IncrementalScorer {
public:
    virtual ~IncrementalScorer() = default;
    /// k_BKD at these positions → the key cache entries for later queries, [B,G,K,·] with a G that divides H.
    virtual at::Tensor keep(const at::Tensor& k_BKD, const StepPosition& at) const = 0;
    /// Raw scores [B,H,Q,K] of q_BQD at these positions against all cached keys.
    virtual at::Tensor scoreCached(const at::Tensor& q_BQD, const StepPosition& at, const at::Tensor& cached_BGKE,
                                   const Forward& f) const = 0;
};

/// Slot "value": aggregate(p, x, inner, f) = mixCached(p, {normedValues(keep(x))}, inner, f).
class IncrementalValue {
public:
    virtual ~IncrementalValue() = default;
    struct Cached {
        const at::Tensor& values_BGKE;
        /// Device memory with the position of the only query; undefined: the queries are the last positions of the keys.
        at::Tensor queryOnDevice_1 = {};
    };
    virtual at::Tensor keep(const at::Tensor& x_BKD) const = 0;  ///< [B,G,K,·] with a G that divides H
    virtual at::Tensor mixCached(const at::Tensor& weights_BHQK, const Cached& cached, const InnerAdjuster* inner,
                                 const Forward& f) const = 0;
};

/// Slot "score": a rule that can be evaluated for some of the query rows.
class IncrementalScoreRule {
public:
    virtual ~IncrementalScoreRule() = default;
    /// Growing: keys of the queries' own sequence under a causal mask, the queries being the last. Roomy: likewise, with unused
    /// capacity after the queries. Fixed: keys of another sequence.
    enum class Keys { Growing, Roomy, Fixed };
    /// Why these rows would differ from those of the full evaluation; empty: they do not.
    virtual std::string stepObstacle(Keys keys) const = 0;
};

/// Slot "share": the stream passes through the same layers whatever its values.
class IncrementalShare {
public:
    virtual ~IncrementalShare() = default;
};

}  // namespace heddle
