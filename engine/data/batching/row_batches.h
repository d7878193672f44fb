// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"

namespace heddle {

/// The rows of these examples with their token types, nothing asked yet: what every task of an encoder begins with.
Batch makeRowBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// One answer a row: its class or its number, whichever the corpus has.
Batch makeLabelBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// The class of every position whose `target` is not negative.
Batch makeTagBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// First and last position of the answer: two targets a row, all the first ones before all the last ones.
Batch makeSpanBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// The next token at every position of the rows: `targetIn` is a row without its last token.
Batch makeCausalBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// Squares of `side` pixels, row by row, as one "token" each; values 0 … 1. The image must divide into them.
Batch makeImageBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t side);

/// How words are hidden or replaced; see CorruptSpec.
struct Corruption {
    CorruptSpec spec;
    bool everyPosition = false;  ///< denoise: replace by random words, ask for every position; mlm: ask for the chosen ones
    std::int32_t maskId = -1;    ///< mlm
    std::int64_t words = 0;      ///< size of the vocabulary that random words are drawn from
    std::int32_t firstWord = kSpecials;
    std::uint64_t seed = 1;
};

/// Damages words and asks for them. The draw of an example depends on (seed, epoch, its number) alone, so that a batch is the
/// same whoever makes it. mlm: every row asks for at least one word (Devlin et al. 2019, appendix A.1, public code).
Batch makeCorruptBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t epoch,
                       const Corruption& how);

}  // namespace heddle
