// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

namespace heddle {

/// What an entry of a corpus' column belongs to. RowBegin: the n+1 offsets of n rows.
enum class EntryOf { SourceToken, TargetToken, Row, RowBegin, Example };

/// A column of an EncodedCorpus or of its labels. The data cache and the copy of a part are made from the columns' list, so a
/// new column needs only a line in it.
template <class Owner, class Entry>
struct CorpusColumn {
    const char* name;  ///< the column's name in the data cache
    std::vector<Entry> Owner::*values;
    EntryOf of;
};

template <class Owner, class Entry>
constexpr CorpusColumn<Owner, Entry> corpusColumn(const char* name, std::vector<Entry> Owner::*values, EntryOf of) {
    return {name, values, of};
}

/// Whether a column holds numbers. The others hold texts, which the cache stores apart, so a name may occur in both.
template <class Values>
inline constexpr bool kHasNumbers = std::is_arithmetic_v<typename std::decay_t<Values>::value_type>;

/// Labels for TaskKind::Target::Class.
struct ClassLabels {
    std::vector<std::int64_t> classes;  ///< one per row

    static constexpr auto columns() { return std::tuple(corpusColumn("labels", &ClassLabels::classes, EntryOf::Row)); }
};

/// Labels for TaskKind::Target::Number.
struct NumberLabels {
    std::vector<float> numbers;  ///< one per row

    static constexpr auto columns() { return std::tuple(corpusColumn("numbers", &NumberLabels::numbers, EntryOf::Row)); }
};

/// Labels for TaskKind::Target::Tags.
struct TagLabels {
    std::vector<std::int32_t> classes;           ///< parallel to the source: class of the word that begins at a token, else -1
    std::vector<std::vector<std::string>> tags;  ///< of an example, as published; kept for valid and test only

    static constexpr auto columns() {
        return std::tuple(corpusColumn("tag_classes", &TagLabels::classes, EntryOf::SourceToken),
                          corpusColumn("tags", &TagLabels::tags, EntryOf::Example));
    }
};

/// Labels for TaskKind::Target::Span. A row is a window of an example.
struct SpanLabels {
    std::vector<std::int64_t> exampleOf;            ///< example of a row, ascending
    std::vector<std::int32_t> first, last;          ///< positions of a row's answer; 0: the row contains none
    std::vector<std::int32_t> beginFrom, beginTo;   ///< positions of a row at which an answer may begin, end excluded
    std::vector<std::int32_t> textBegin, textEnd;   ///< parallel to the source: characters of the context, else -1
    std::vector<std::vector<std::string>> answers;  ///< of an example, as published; kept for valid and test only

    static constexpr auto columns() {
        return std::tuple(corpusColumn("example_of", &SpanLabels::exampleOf, EntryOf::Row),
                          corpusColumn("answer_first", &SpanLabels::first, EntryOf::Row),
                          corpusColumn("answer_last", &SpanLabels::last, EntryOf::Row),
                          corpusColumn("begin_from", &SpanLabels::beginFrom, EntryOf::Row),
                          corpusColumn("begin_to", &SpanLabels::beginTo, EntryOf::Row),
                          corpusColumn("text_begin", &SpanLabels::textBegin, EntryOf::SourceToken),
                          corpusColumn("text_end", &SpanLabels::textEnd, EntryOf::SourceToken),
                          corpusColumn("answers", &SpanLabels::answers, EntryOf::Example));
    }
};

/// Nothing: the tokens are the labels (translation, language models), or there are no rows.
using CorpusLabels = std::variant<std::monostate, ClassLabels, NumberLabels, TagLabels, SpanLabels>;

/// What TaskKind::Input::Image reads instead of tokens.
struct Images {
    std::vector<std::uint8_t> pixels;  ///< [n, height, width]
    std::int64_t height = 0, width = 0;
};

/// The examples of one split; an example is one row, for spans one or more. Immutable after loading.
struct EncodedCorpus {
    std::vector<std::int32_t> source, target;                  ///< token ids; translation: without <sos>/<eos>
    std::vector<std::int64_t> sourceBegin{0}, targetBegin{0};  ///< n+1 offsets; images: numbers of patches
    std::vector<std::int32_t> secondAt;               ///< position at which the second text (token type 1) begins; or empty
    std::vector<std::string> sourceText, targetText;  ///< of an example; kept for valid and test only
    Images images;
    CorpusLabels labels;

    static constexpr auto columns() {
        return std::tuple(corpusColumn("source", &EncodedCorpus::source, EntryOf::SourceToken),
                          corpusColumn("target", &EncodedCorpus::target, EntryOf::TargetToken),
                          corpusColumn("source_begin", &EncodedCorpus::sourceBegin, EntryOf::RowBegin),
                          corpusColumn("target_begin", &EncodedCorpus::targetBegin, EntryOf::RowBegin),
                          corpusColumn("second_at", &EncodedCorpus::secondAt, EntryOf::Row),
                          corpusColumn("source", &EncodedCorpus::sourceText, EntryOf::Example),
                          corpusColumn("target", &EncodedCorpus::targetText, EntryOf::Example));
    }

    std::int64_t size() const { return static_cast<std::int64_t>(sourceBegin.size()) - 1; }
    /// The labels, which must be of this kind.
    template <class Labels>
    const Labels& labelsAs() const {
        return std::get<Labels>(labels);
    }
    /// Returns the labels to fill. The first call decides their kind.
    template <class Labels>
    Labels& labelsAs() {
        return labels.index() == 0 ? labels.emplace<Labels>() : std::get<Labels>(labels);
    }
    /// The example of a row.
    std::int64_t exampleOf(std::int64_t row) const {
        const auto* spans = std::get_if<SpanLabels>(&labels);
        return spans ? spans->exampleOf[static_cast<std::size_t>(row)] : row;
    }
};

/// Calls `visit(column, values)` for each line of columns(). Does nothing for std::monostate: no labels.
template <class Owner, class Visit>
void forEachColumn(Owner& owner, const Visit& visit) {
    if constexpr (!std::is_same_v<std::remove_const_t<Owner>, std::monostate>)
        std::apply([&](const auto&... column) { (visit(column, owner.*column.values), ...); }, Owner::columns());
}

/// Adds an image of Images::height × width pixels (set before), which the model reads as this number of patches, and its class.
void addImage(EncodedCorpus& corpus, const std::uint8_t* image, std::int64_t patches, std::int64_t label);

/// How many examples a corpus has; where rows are windows of examples, fewer than its size().
std::int64_t exampleCount(const EncodedCorpus& corpus);

/// The examples first … first+count-1 (those that are there) with all their rows, numbered anew.
EncodedCorpus examplesOf(const EncodedCorpus& corpus, std::int64_t first, std::int64_t count);

}  // namespace heddle
