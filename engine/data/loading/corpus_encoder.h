// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/cancellation.h"
#include "engine/data/loading/run_data.h"
#include "engine/data/readers/parallel_split.h"
#include "engine/data/tokenizers/tokenizer_report.h"

namespace heddle {

/// Encodes the splits, counts tokens, and notes what was dropped or truncated.
class CorpusEncoder {
public:
    /// Takes the tokenizers that `data` has.
    CorpusEncoder(const LoadContext& context, const RunData& data, CancellationToken& cancellation);

    EncodedCorpus train(const ParallelText& text);
    EncodedCorpus evaluation(const ParallelText& text, const std::string& name);

    const std::vector<std::string>& notes() const { return notes_; }
    const std::vector<SplitWarning>& warnings() const { return warnings_; }
    const std::vector<TokenizerReport>& reports() const { return reports_; }  ///< source's, target's

private:
    struct Pair {
        std::vector<std::int32_t> source, target;
    };
    /// Calls `visit(pair)` for every pair of a text; counts it as the text `name`, if it has any.
    template <typename Visit>
    void forEachPair(const ParallelText& text, const std::string& name, Visit&& visit);

    const Tokenizer& source_;
    const Tokenizer& target_;
    CancellationToken& cancellation_;
    std::int64_t maxLen_, maxTokens_;
    std::vector<std::string> notes_;
    std::vector<SplitWarning> warnings_;
    std::vector<TokenizerReport> reports_;
};

}  // namespace heddle
