// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/decode/texts.h"

#include <memory>
#include <vector>

namespace heddle {

/// The search for the texts of one batch.
class BatchSearch {
public:
    virtual ~BatchSearch() = default;
    virtual bool done() const = 0;
    virtual void advance() = 0;                 ///< some positions, eight at most
    virtual std::vector<NBest>& results() = 0;  ///< of the jobs, when done
};

/// Chooses on the host, a position at a time; rows leave some time after they are done.
class SearchBatch final : public BatchSearch {
public:
    /// `memory`: a row for each job, or none. The model must outlive it.
    SearchBatch(const Model& model, std::vector<Job> jobs, const Memory& memory, const DecodeOptions& options);

    bool done() const override { return texts_.done(); }
    void advance() override;  ///< one position
    std::vector<NBest>& results() override { return texts_.results(); }

private:
    at::Tensor read();
    at::Tensor nextIds() const;
    void settleRows(const std::vector<std::int64_t>& parents);
    /// Extensions of the paths of these numbers among all, whose logits [paths, V] these are.
    std::vector<Extension> choose(const std::vector<std::size_t>& choosing, const at::Tensor& logits_RV) const;

    const Model& model_;
    DecodeOptions options_;
    Texts texts_;
    std::unique_ptr<Sampler> sampler_;
    std::unique_ptr<DecodingState> state_;
    Forward forward_;
    std::vector<std::int64_t> rows_;  ///< of the state, one for each path
    std::int64_t stateRows_ = 0;  ///< with those whose texts have ended, which stay till it is worth while to leave them out
};

/// float32 logits [R,V] of the tokens after these hidden states [R,W]. Throws Error(InvalidInput) for a model whose head gives
/// none.
at::Tensor nextLogits(const Model& model, const at::Tensor& hidden_RW);

}  // namespace heddle
