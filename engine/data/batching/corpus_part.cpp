// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/corpus_part.h"

#include <algorithm>

namespace heddle {
namespace {

/// The indices from … to-1.
struct Range {
    std::int64_t from = 0, to = 0;
};

/// These entries of a column; empty if the column is.
template <class Entry>
std::vector<Entry> part(const std::vector<Entry>& column, Range range) {
    if (column.empty()) return {};
    return {column.begin() + range.from, column.begin() + range.to};
}

/// The offsets of these rows, starting at 0.
std::vector<std::int64_t> offsets(const std::vector<std::int64_t>& begin, Range rows) {
    std::vector<std::int64_t> own(begin.begin() + rows.from, begin.begin() + rows.to + 1);
    const std::int64_t first = own.front();
    for (std::int64_t& offset : own) offset -= first;
    return own;
}

Range tokensOf(const std::vector<std::int64_t>& begin, Range rows) {
    return {begin[static_cast<std::size_t>(rows.from)], begin[static_cast<std::size_t>(rows.to)]};
}

Range rowsOf(const EncodedCorpus& corpus, Range examples) {
    if (corpus.exampleOf.empty()) return examples;
    const auto rowOf = [&](std::int64_t example) {
        return std::lower_bound(corpus.exampleOf.begin(), corpus.exampleOf.end(), example) - corpus.exampleOf.begin();
    };
    return {rowOf(examples.from), rowOf(examples.to)};
}

}  // namespace

std::int64_t exampleCount(const EncodedCorpus& corpus) {
    return corpus.exampleOf.empty() ? corpus.size() : corpus.exampleOf.back() + 1;
}

EncodedCorpus examplesOf(const EncodedCorpus& corpus, std::int64_t first, std::int64_t count) {
    const std::int64_t all = exampleCount(corpus), from = std::min(first, all);
    const Range examples{from, from + std::min(count, all - from)}, rows = rowsOf(corpus, examples);
    const Range source = tokensOf(corpus.sourceBegin, rows), target = tokensOf(corpus.targetBegin, rows);
    const std::int64_t pixels = corpus.height * corpus.width;
    EncodedCorpus own;
    own.source = part(corpus.source, source);
    own.target = part(corpus.target, target);
    own.sourceBegin = offsets(corpus.sourceBegin, rows);
    own.targetBegin = offsets(corpus.targetBegin, rows);
    own.sourceText = part(corpus.sourceText, examples);
    own.targetText = part(corpus.targetText, examples);
    own.secondAt = part(corpus.secondAt, rows);
    own.labels = part(corpus.labels, rows);
    own.numbers = part(corpus.numbers, rows);
    own.answerFirst = part(corpus.answerFirst, rows);
    own.answerLast = part(corpus.answerLast, rows);
    own.pieceFirst = part(corpus.pieceFirst, source);
    own.textBegin = part(corpus.textBegin, source);
    own.textEnd = part(corpus.textEnd, source);
    own.answers = part(corpus.answers, examples);
    own.tags = part(corpus.tags, examples);
    own.pixels = part(corpus.pixels, {rows.from * pixels, rows.to * pixels});
    own.height = corpus.height;
    own.width = corpus.width;
    own.exampleOf = part(corpus.exampleOf, rows);
    for (std::int64_t& example : own.exampleOf) example -= examples.from;
    own.beginFrom = part(corpus.beginFrom, rows);
    own.beginTo = part(corpus.beginTo, rows);
    return own;
}

}  // namespace heddle
