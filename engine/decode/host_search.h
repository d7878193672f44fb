// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/decode/texts.h"

#include <memory>
#include <vector>

namespace heddle {

/// The search for the texts of one batch.
class TextSearch {
public:
    virtual ~TextSearch() = default;
    virtual bool done() const = 0;
    virtual void advance() = 0;                 ///< one to eight steps
    virtual std::vector<NBest>& results() = 0;  ///< of the jobs; call when done
};

/// Chooses on the host, one step at a time; removes finished rows in batches.
class HostSearch final : public TextSearch {
public:
    /// `memory`: one row per job, or none. The model must outlive it.
    HostSearch(const Model& model, std::vector<Job> jobs, const Memory& memory, const DecodeOptions& options);

    bool done() const override { return texts_.done(); }
    void advance() override;  ///< one step
    std::vector<NBest>& results() override { return texts_.results(); }

private:
    at::Tensor read();
    at::Tensor nextIds() const;
    void updateRows(const std::vector<std::int64_t>& parents);
    /// Extensions of the paths with these indices; logits of all paths, [paths, V].
    std::vector<Extension> choose(const std::vector<std::size_t>& extended, const at::Tensor& logits_RV) const;

    const Model& model_;
    DecodeOptions options_;
    Texts texts_;
    std::unique_ptr<Sampler> sampler_;
    std::unique_ptr<DecodingState> state_;
    Forward forward_;
    std::vector<std::int64_t> rows_;  ///< the row of every path in state_
    std::int64_t stateRows_ = 0;      ///< includes finished rows that have not been removed yet
};

/// float32 logits [R,V] of the next token for hidden states [R,W]. Throws Error(InvalidInput) when the head does not predict
/// tokens of the vocabulary.
at::Tensor nextLogits(const Model& model, const at::Tensor& hidden_RW);

}  // namespace heddle
