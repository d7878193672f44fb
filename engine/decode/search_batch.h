// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/decode/chooser.h"

#include <memory>
#include <vector>

namespace heddle {

/// One text to be written.
struct Job {
    Sentence prefix;         ///< read before the first token is chosen; at least <sos>
    std::int64_t limit = 0;  ///< most tokens to be written
    std::uint64_t line = 0;  ///< its number among all lines
};

/// The texts of one batch on their way, position by position; rows leave some time after they are done. A row whose prefix is
/// longer than another's reads on while that one writes, so that all rows stand at the same position and nothing is padded.
class SearchBatch {
public:
    /// `memory`: a row for each job, or none. The model must outlive it.
    SearchBatch(const Model& model, std::vector<Job> jobs, const Memory& memory, const DecodeOptions& options);

    bool done() const { return paths_.empty(); }
    void advance();                                     ///< one position
    std::vector<NBest>& results() { return results_; }  ///< of the jobs, when done

private:
    at::Tensor read();
    at::Tensor nextIds() const;
    void settleRows();
    bool isGiven(const Path& path) const;
    /// `rows` of the paths before, whose logits [rows, V] these are, get their next tokens.
    void extend(const std::vector<Path>& before, const std::vector<std::size_t>& rows, const at::Tensor& logits_RV);
    void finish(const Path& path, bool ended);
    bool isDecided(std::size_t job, double best) const;
    void dropDecided();

    const Model& model_;
    DecodeOptions options_;
    double penalty_;  ///< α
    std::vector<Job> jobs_;
    std::unique_ptr<Chooser> chooser_;
    std::unique_ptr<DecodingState> state_;
    Forward forward_;
    std::vector<Path> paths_;            ///< those of one job stand together
    std::vector<std::int64_t> rows_;     ///< of the state, one for each path
    std::vector<std::int64_t> parents_;  ///< while advancing: which path before each one goes on from
    std::int64_t stateRows_ = 0;  ///< with those whose texts have ended, which stay till it is worth while to leave them out
    std::vector<NBest> results_;
};

}  // namespace heddle
