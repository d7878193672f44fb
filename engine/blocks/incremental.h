// SPDX-License-Identifier: Apache-2.0
// Incremental decoding: the model computes one position after the other and caches what later positions need. A block supports
// it by deriving from one of these classes besides its slot's interface; a stack with a block that does not is run on the whole
// prefix at every position (Model::stepObstacle). Blocks of the other slots treat every position by itself and derive from
// nothing here.
#pragma once

#include "engine/blocks/block.h"

#include <string>

namespace heddle {

/// Where the position of a step comes from: the host, or the device's memory, for steps that the device replays. A replayed
/// step has one query, and the room for later keys behind it is masked.
enum class Steps { Placed, Replayed };

/// Where the rows of a step stand in their sequence.
struct StepPosition {
    std::int64_t first = 0;      ///< of the first row
    at::Tensor onDevice_1 = {};  ///< int64 [1]: of the only row of a replayed step; undefined: `first` holds it
};

/// Slot "position": a position that can be read on the device.
class IncrementalPosition {
public:
    virtual ~IncrementalPosition() = default;
    /// add(x_B1D, p) for p = position_1 (int64 [1]).
    virtual at::Tensor addAt(const at::Tensor& x_B1D, const at::Tensor& position_1) const = 0;
};

/// Slot "scorer": score(q, k, f) in two halves, score(q, k, f) = scoreCached(q, {0}, keep(k, {0}), f). What givesWeights()
/// gives here never looks at a later key.
class IncrementalScorer {
public:
    virtual ~IncrementalScorer() = default;
    /// k_BKD at these positions → what the scores of later queries need of them, [B,H,K,·].
    virtual at::Tensor keep(const at::Tensor& k_BKD, const StepPosition& at) const = 0;
    /// Raw scores [B,H,Q,K] of q_BQD at these positions with all cached keys.
    virtual at::Tensor scoreCached(const at::Tensor& q_BQD, const StepPosition& at, const at::Tensor& cached_BHKE,
                                   const Forward& f) const = 0;
};

/// Slot "value": aggregate(p, x, inner, f) = mixCached(p, {keep(x)}, inner, f).
class IncrementalValue {
public:
    virtual ~IncrementalValue() = default;
    struct Cached {
        const at::Tensor& values_BHKE;
        /// Where the device finds the position of the only query; undefined: fewer queries than keys are the last ones.
        at::Tensor queryOnDevice_1 = {};
    };
    virtual at::Tensor keep(const at::Tensor& x_BKD) const = 0;  ///< [B,H,K,·]
    virtual at::Tensor mixCached(const at::Tensor& weights_BHQK, const Cached& cached, const Adjuster* inner,
                                 const Forward& f) const = 0;
};

/// Slot "score": a rule that can be given the rows of some queries alone.
class IncrementalScoreRule {
public:
    virtual ~IncrementalScoreRule() = default;
    /// Of the queries' own sequence, where later ones are hidden: the queries are the last ones, or there is room after them;
    /// or of another sequence.
    enum class Keys { Growing, Roomy, Fixed };
    /// Why those rows would not be the rows of the whole; empty: they are.
    virtual std::string stepObstacle(Keys keys) const = 0;
};

/// Slot "share": the stream goes through the same layers whatever it is.
class IncrementalShare {
public:
    virtual ~IncrementalShare() = default;
};

}  // namespace heddle
