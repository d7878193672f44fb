// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/dataset.h"
#include "engine/data/examples.h"

#include <string>
#include <vector>

namespace heddle {

/// Writes texts as rows of an encoder: <sos> first <eos> [second <eos>] (Devlin et al. 2019, section 3: [CLS] and [SEP]). A row
/// of more than `maxLen` tokens is cut, word by word from the longer text, of a span from the context, and counted.
class RowEncoder {
public:
    RowEncoder(const Tokenizer& tokenizer, std::int64_t maxLen);

    /// Appends one row; `secondAt` is written where the example has a second text.
    void add(EncodedCorpus& corpus, const Example& example);
    /// The same with pieces of words: `pieceFirst` marks where a word begins; `target` gets the tag of each word, at its first
    /// piece, and -1 elsewhere.
    void addWords(EncodedCorpus& corpus, const Example& example, const std::vector<std::int64_t>& tags);
    /// Question and context: `textBegin` and `textEnd` say which characters a token of the context covers; the first answer
    /// that is whole in the row becomes `answerFirst` and `answerLast`, else position 0 stands for "none".
    void addQuestion(EncodedCorpus& corpus, const Example& example);

    std::int64_t cut() const { return cut_; }  ///< rows that were cut so far

private:
    std::size_t room(std::size_t marks) const;
    const Tokenizer& tokenizer_;
    std::int64_t maxLen_;
    std::int64_t cut_ = 0;
};

}  // namespace heddle
