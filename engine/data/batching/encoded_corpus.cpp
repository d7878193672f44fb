// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batching/encoded_corpus.h"

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

/// The ranges of entries that a part takes from the columns.
struct Ranges {
    Range source, target, rows, examples;

    Range of(EntryOf entry) const {
        switch (entry) {
        case EntryOf::SourceToken: return source;
        case EntryOf::TargetToken: return target;
        case EntryOf::Example: return examples;
        case EntryOf::Row:
        case EntryOf::RowBegin: break;  // examplesOf() makes the offsets anew
        }
        return rows;
    }
};

template <class Owner>
Owner columnsPart(const Owner& all, const Ranges& ranges) {
    Owner own;
    forEachColumn(all,
                  [&](const auto& column, const auto& values) { own.*column.values = part(values, ranges.of(column.of)); });
    return own;
}

}  // namespace

void addImage(EncodedCorpus& corpus, const std::uint8_t* image, std::int64_t patches, std::int64_t label) {
    auto& [pixels, height, width] = corpus.images;
    pixels.insert(pixels.end(), image, image + height * width);
    corpus.labelsAs<ClassLabels>().classes.push_back(label);
    corpus.sourceBegin.push_back(corpus.sourceBegin.back() + patches);
    corpus.targetBegin.push_back(0);
}

std::int64_t exampleCount(const EncodedCorpus& corpus) {
    return corpus.size() == 0 ? 0 : corpus.exampleOf(corpus.size() - 1) + 1;
}

EncodedCorpus examplesOf(const EncodedCorpus& corpus, std::int64_t first, std::int64_t count) {
    const std::int64_t all = exampleCount(corpus), from = std::min(first, all);
    const Range examples{from, from + std::min(count, all - from)}, rows = rowsOf(corpus, examples);
    const Ranges ranges{tokensOf(corpus.sourceBegin, rows), tokensOf(corpus.targetBegin, rows), rows, examples};
    const std::int64_t height = corpus.images.height, width = corpus.images.width, pixels = height * width;
    EncodedCorpus own = columnsPart(corpus, ranges);
    own.sourceBegin = offsets(corpus.sourceBegin, rows);
    own.targetBegin = offsets(corpus.targetBegin, rows);
    own.images = {part(corpus.images.pixels, {rows.from * pixels, rows.to * pixels}), height, width};
    own.labels = std::visit([&](const auto& labels) { return CorpusLabels(columnsPart(labels, ranges)); }, corpus.labels);
    if (auto* const spans = std::get_if<SpanLabels>(&own.labels))
        for (std::int64_t& example : spans->exampleOf) example -= examples.from;
    return own;
}

}  // namespace heddle
