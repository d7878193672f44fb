// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/batch.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/task_kinds.h"

namespace heddle {

/// Makes a batch of sentence pairs. `targetIn` begins with <sos>; `source` and the labels end with <eos>.
Batch makePairBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// The rows of these examples with their token types, without labels: the common part of all encoder tasks.
Batch makeRowBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// Makes a batch with one label per row: a class, or a number.
Batch makeClassBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);
Batch makeNumberBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// Makes a batch whose labels are the classes of words, each at the position of the word's first token.
Batch makeTagBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// Makes a batch with two labels per row, the first and last position of the answer: all first positions, then all last ones.
Batch makeSpanBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// What the texts of a row are to each other. Joined: one running text. Apart: documents that do not see each other.
enum class Documents { Joined, Apart };
Documents documentsOf(const DataSpec& data);

/// Next-token labels at every position; `targetIn` is the row without its last token. Apart: an <eos> in it becomes the <sos>
/// of the next document, so that the labels are the same and none is predicted from another document.
Batch makeCausalBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices,
                      Documents documents = Documents::Joined);

/// The tokens that a row adds to the workTokens() of its batch, in a task with this target.
std::int64_t workTokensOf(const EncodedCorpus& corpus, std::int64_t row, TaskKind::Target target);

/// Square patches of `side` pixels, row by row, one "token" each; values 0 … 1. The image must be divisible into patches.
Batch makeImageBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t side);

/// How tokens are masked or replaced; see CorruptSpec.
struct Corruption {
    CorruptSpec spec;
    /// Denoise: random replacements, labels at every position; mlm: labels at the chosen positions.
    bool everyPosition = false;
    std::int32_t maskId = -1;  ///< mlm
    std::int64_t words = 0;    ///< size of the vocabulary from which replacements are drawn
    std::int32_t firstWord = kSpecials;
    std::uint64_t seed = 1;
    Documents documents = Documents::Joined;  ///< Apart: each begins with <sos>
};

/// Corrupts tokens and labels them with the originals. The draw of an example depends only on (seed, epoch, its number). mlm:
/// every row has at least one label (Devlin et al. 2019, appendix A.1, public code).
Batch makeCorruptBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t epoch,
                       const Corruption& how);

}  // namespace heddle
