// SPDX-License-Identifier: Apache-2.0
// What blocks offer to decoding, which asks for one position after the other and keeps what earlier ones left. A block says so
// by deriving from one of these besides its slot's interface; a stack with one that does not is run on the whole prefix at
// every position (Model::stepObstacle). Blocks of the other slots work on every position by itself, and need say nothing.
#pragma once

#include "engine/blocks/block.h"

#include <string>

namespace heddle {

/// Slot "scorer": score(q, k, f) in two halves, score(q, k, f) = scoreKept(q, 0, keep(k, 0), f). What givesWeights() gives here
/// never looks at a later key.
class SteppingScorer {
public:
    virtual ~SteppingScorer() = default;
    /// k_BKD at positions first…first+K-1 → what the scores of later queries need of them, [B,H,K,·].
    virtual at::Tensor keep(const at::Tensor& k_BKD, std::int64_t first) const = 0;
    /// Raw scores [B,H,Q,K] of q_BQD at positions first…first+Q-1 with all keys that were kept.
    virtual at::Tensor scoreKept(const at::Tensor& q_BQD, std::int64_t first, const at::Tensor& kept_BHKE,
                                 const Forward& f) const = 0;
};

/// Slot "value": aggregate(p, x, inner, f) = mixKept(p, keep(x), inner, f). Fewer queries than keys are the last ones.
class SteppingValue {
public:
    virtual ~SteppingValue() = default;
    virtual at::Tensor keep(const at::Tensor& x_BKD) const = 0;  ///< [B,H,K,·]
    virtual at::Tensor mixKept(const at::Tensor& weights_BHQK, const at::Tensor& kept_BHKE, const Adjuster* inner,
                               const Forward& f) const = 0;
};

/// Slot "score": a rule that can be given the rows of some queries alone.
class SteppingRule {
public:
    virtual ~SteppingRule() = default;
    enum class Keys { Growing, Fixed };  ///< of the queries' own sequence, where later ones are hidden, or of another one
    /// Why those rows would not be the rows of the whole; empty: they are.
    virtual std::string stepObstacle(Keys keys) const = 0;
};

/// Slot "share": the stream goes through the same layers whatever it is.
class SteppingShare {
public:
    virtual ~SteppingShare() = default;
};

}  // namespace heddle
