// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block.h"
#include "engine/verify/checks.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::verify {

/// An encoder of self-attentions with given scores; the chain of scores, masks and normaliser are those of every model. The
/// stream holds the values: all layers but the last leave it unchanged, and the last returns the mixed values. If the scores
/// have different numbers of queries and keys, it is a decoder of cross-attentions to the values.
class ScoreStack {
public:
    /// `score`: the rule; `scores`: of every layer, [B,H,Q,K]; `mask`: "none" or "causal"; `maxLen`: dims.max_len.
    struct Choice {
        Json score;
        std::vector<at::Tensor> scores;
        std::string mask = "none";
        std::int64_t maxLen = 0;  ///< 0: as long as the scores
        std::int64_t valueWidth = 1;
    };
    explicit ScoreStack(const Choice& choice);
    ScoreStack(ScoreStack&&) noexcept;
    ~ScoreStack();

    const ParameterStore& store() const;
    /// "encoder.layers.<layer>.self.score" ("decoder.layers.<layer>.cross.score"), or another slot's; a negative layer counts
    /// from the last.
    std::string path(std::int64_t layer, const std::string& slot = "score") const;
    /// Parameters of the rule in that layer.
    Counts counts(std::int64_t layer) const;

    /// Values [B,H,K,E] → mixed values [B,H,Q,E]; f.taps is not used.
    at::Tensor run(const at::Tensor& values_BHSE, Forward f = {}) const;
    /// The value of a tap in the last run: seen(path(-1) + ".gated"), seen(path(-1, "weight")).
    const at::Tensor& seen(const std::string& tap) const;

private:
    class Given;
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace heddle::verify
