// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/encoded_corpus.h"
#include "engine/data/readers/examples.h"
#include "engine/data/tokenizers/tokenizer.h"

#include <string>
#include <vector>

namespace heddle {

/// Writes texts as rows of an encoder: <sos> first <eos> [second <eos>] (Devlin et al. 2019, section 3: [CLS] and [SEP]). A row
/// of more than `maxLen` tokens is truncated, token by token from the longer text (for spans from the context), and counted.
class RowEncoder {
public:
    RowEncoder(const Tokenizer& tokenizer, std::int64_t maxLen);

    /// Appends one row; sets `secondAt` if the example has a second text.
    void add(EncodedCorpus& corpus, const Example& example);
    /// The same with pieces of words and TagLabels: the tag of each word, at its first piece.
    void addWords(EncodedCorpus& corpus, const Example& example, const std::vector<std::int64_t>& tags);
    /// Question and context with SpanLabels, in one row or in windows of the context that begin `stride` tokens apart (0: it is
    /// cut; at most half of the context's room, so that a short answer is whole in a window). The first answer contained in the
    /// row is its answer, from the token of its first character to that of its last one. Answers may begin only at tokens for
    /// which this window has the most context (public code of Devlin et al. 2019).
    void addQuestion(EncodedCorpus& corpus, const Example& example, std::int64_t stride);

    std::int64_t cut() const { return cut_; }            ///< rows that were cut so far
    std::int64_t windowed() const { return windowed_; }  ///< contexts that were read in several windows so far
    std::int64_t closer() const { return closer_; }  ///< of them, those whose windows begin fewer than `stride` tokens apart
    std::int64_t wider() const { return wider_; }    ///< questions whose answer begins or ends within a token
    std::int64_t longAnswers() const { return longAnswers_; }  ///< questions all of whose answers exceed longestAnswer()

private:
    struct Context;
    struct Window;
    std::size_t capacity(std::size_t marks) const;
    struct AnswerTokens;
    std::vector<AnswerTokens> answersIn(const Context& context, const Example& example);
    static void closeWindow(EncodedCorpus& corpus, const std::vector<AnswerTokens>& answers, const Window& window,
                            std::size_t marks);
    const Tokenizer& tokenizer_;
    std::int64_t maxLen_;
    std::int64_t cut_ = 0, windowed_ = 0, closer_ = 0, wider_ = 0, longAnswers_ = 0;
};

/// The longest answer that is given, in tokens: 30, as the public code of BERT has it; as many words where a token is a
/// character.
std::int64_t longestAnswer(const Tokenizer& tokenizer);

}  // namespace heddle
