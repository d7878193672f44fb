// SPDX-License-Identifier: Apache-2.0
// What blocks offer to decoding, which asks for one position after the other and keeps what earlier ones left. A block says so
// by deriving from one of these besides its slot's interface; a stack with one that does not is run on the whole prefix at
// every position (Model::stepObstacle). Blocks of the other slots work on every position by itself, and need say nothing.
#pragma once

#include "engine/blocks/block.h"

#include <string>

namespace heddle {

/// Who says where a step stands in its sequence: the host, or the device's memory, for steps that the device repeats. Then
/// there is one query, and there is room for keys after it, which are hidden.
enum class Steps { Placed, Repeated };

/// Where the rows of a step stand in their sequence.
struct StepPosition {
    std::int64_t first = 0;      ///< of the first row
    at::Tensor onDevice_1 = {};  ///< int64 [1]: of the only row of a repeated step; undefined: `first` says it
};

/// Slot "position": a position that can be read on the device.
class SteppingPosition {
public:
    virtual ~SteppingPosition() = default;
    /// add(x_B1D, p) for p = position_1 (int64 [1]).
    virtual at::Tensor addAt(const at::Tensor& x_B1D, const at::Tensor& position_1) const = 0;
};

/// Slot "scorer": score(q, k, f) in two halves, score(q, k, f) = scoreKept(q, {0}, keep(k, {0}), f). What givesWeights() gives
/// here never looks at a later key.
class SteppingScorer {
public:
    virtual ~SteppingScorer() = default;
    /// k_BKD at these positions → what the scores of later queries need of them, [B,H,K,·].
    virtual at::Tensor keep(const at::Tensor& k_BKD, const StepPosition& at) const = 0;
    /// Raw scores [B,H,Q,K] of q_BQD at these positions with all keys that were kept.
    virtual at::Tensor scoreKept(const at::Tensor& q_BQD, const StepPosition& at, const at::Tensor& kept_BHKE,
                                 const Forward& f) const = 0;
};

/// Slot "value": aggregate(p, x, inner, f) = mixKept(p, {keep(x)}, inner, f).
class SteppingValue {
public:
    virtual ~SteppingValue() = default;
    struct Kept {
        const at::Tensor& values_BHKE;
        /// Where the device finds the position of the only query; undefined: fewer queries than keys are the last ones.
        at::Tensor queryOnDevice_1 = {};
    };
    virtual at::Tensor keep(const at::Tensor& x_BKD) const = 0;  ///< [B,H,K,·]
    virtual at::Tensor mixKept(const at::Tensor& weights_BHQK, const Kept& kept, const Adjuster* inner,
                               const Forward& f) const = 0;
};

/// Slot "score": a rule that can be given the rows of some queries alone.
class SteppingRule {
public:
    virtual ~SteppingRule() = default;
    /// Of the queries' own sequence, where later ones are hidden: the queries are the last ones, or there is room after them;
    /// or of another sequence.
    enum class Keys { Growing, Roomy, Fixed };
    /// Why those rows would not be the rows of the whole; empty: they are.
    virtual std::string stepObstacle(Keys keys) const = 0;
};

/// Slot "share": the stream goes through the same layers whatever it is.
class SteppingShare {
public:
    virtual ~SteppingShare() = default;
};

}  // namespace heddle
