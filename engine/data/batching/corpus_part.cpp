// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/corpus_part.h"

#include "engine/base/overload.h"

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
    const auto* spans = std::get_if<SpanLabels>(&corpus.labels);
    if (!spans) return examples;
    const std::vector<std::int64_t>& all = spans->exampleOf;
    const auto rowOf = [&](std::int64_t example) { return std::lower_bound(all.begin(), all.end(), example) - all.begin(); };
    return {rowOf(examples.from), rowOf(examples.to)};
}

SpanLabels windows(const SpanLabels& all, Range rows, Range source, Range examples) {
    SpanLabels own{part(all.exampleOf, rows), part(all.first, rows),      part(all.last, rows),
                   part(all.beginFrom, rows), part(all.beginTo, rows),    part(all.textBegin, source),
                   part(all.textEnd, source), part(all.answers, examples)};
    for (std::int64_t& example : own.exampleOf) example -= examples.from;
    return own;
}

}  // namespace

std::int64_t exampleCount(const EncodedCorpus& corpus) {
    return corpus.size() == 0 ? 0 : corpus.exampleOf(corpus.size() - 1) + 1;
}

EncodedCorpus examplesOf(const EncodedCorpus& corpus, std::int64_t first, std::int64_t count) {
    const std::int64_t all = exampleCount(corpus), from = std::min(first, all);
    const Range examples{from, from + std::min(count, all - from)}, rows = rowsOf(corpus, examples);
    const Range source = tokensOf(corpus.sourceBegin, rows), target = tokensOf(corpus.targetBegin, rows);
    const std::int64_t height = corpus.images.height, width = corpus.images.width, pixels = height * width;
    EncodedCorpus own;
    own.source = part(corpus.source, source);
    own.target = part(corpus.target, target);
    own.sourceBegin = offsets(corpus.sourceBegin, rows);
    own.targetBegin = offsets(corpus.targetBegin, rows);
    own.sourceText = part(corpus.sourceText, examples);
    own.targetText = part(corpus.targetText, examples);
    own.secondAt = part(corpus.secondAt, rows);
    own.images = {part(corpus.images.pixels, {rows.from * pixels, rows.to * pixels}), height, width};
    using Labels = decltype(own.labels);
    own.labels = std::visit(Overload{[](std::monostate) { return Labels(); },
                                     [&](const ClassLabels& of) { return Labels(ClassLabels{part(of.classes, rows)}); },
                                     [&](const NumberLabels& of) { return Labels(NumberLabels{part(of.numbers, rows)}); },
                                     [&](const TagLabels& of) {
                                         return Labels(TagLabels{part(of.classes, source), part(of.tags, examples)});
                                     },
                                     [&](const SpanLabels& of) { return Labels(windows(of, rows, source, examples)); }},
                            corpus.labels);
    return own;
}

}  // namespace heddle
