// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/row_encoder.h"

#include "engine/base/error.h"
#include "engine/base/unicode.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {
namespace {

using Ids = std::vector<std::int32_t>;

void close(EncodedCorpus& corpus) {
    corpus.sourceBegin.push_back(static_cast<std::int64_t>(corpus.source.size()));
    corpus.targetBegin.push_back(static_cast<std::int64_t>(corpus.target.size()));
}

void append(Ids& to, const Ids& ids) { to.insert(to.end(), ids.begin(), ids.end()); }

/// A word with the characters of the text that it covers.
struct Word {
    std::string text;
    std::int64_t begin, end;
};

std::vector<Word> wordsWithPlaces(const std::string& text) {
    std::vector<Word> words;
    std::int64_t at = 0;
    bool inside = false;
    for (const std::string& character : splitCodePoints(text)) {
        const bool isSpace = splitUnicodeSpace(character).empty();
        if (!isSpace && !inside) words.push_back({"", at, at});
        if (!isSpace) {
            words.back().text += character;
            words.back().end = at + 1;
        }
        inside = !isSpace;
        ++at;
    }
    return words;
}

}  // namespace

RowEncoder::RowEncoder(const Tokenizer& tokenizer, std::int64_t maxLen) : tokenizer_(tokenizer), maxLen_(maxLen) {
    if (maxLen < 4) throwInvalid(fmt::format("{} positions hold no text", maxLen), "dims.max_len", "raise it to 4 or more");
}

/// Tokens that fit beside this number of special tokens.
std::size_t RowEncoder::capacity(std::size_t marks) const { return static_cast<std::size_t>(maxLen_) - marks; }

void RowEncoder::add(EncodedCorpus& corpus, const Example& example) {
    const bool isPair = !example.second.empty();
    Ids first = tokenizer_.encode(example.first), second = isPair ? tokenizer_.encode(example.second) : Ids();
    const std::size_t capacity = this->capacity(isPair ? 3 : 2);
    if (first.size() + second.size() > capacity) ++cut_;
    while (first.size() + second.size() > capacity) (first.size() >= second.size() ? first : second).pop_back();
    corpus.source.push_back(kSos);
    append(corpus.source, first);
    corpus.source.push_back(kEos);
    // In a corpus with pairs, the second text of a single text begins behind its row.
    const auto rows = static_cast<std::size_t>(corpus.size());
    if (isPair)
        for (std::size_t row = corpus.secondAt.size(); row < rows; ++row)
            corpus.secondAt.push_back(static_cast<std::int32_t>(corpus.sourceBegin[row + 1] - corpus.sourceBegin[row]));
    if (isPair || !corpus.secondAt.empty()) corpus.secondAt.push_back(static_cast<std::int32_t>(first.size() + 2));
    if (isPair) {
        append(corpus.source, second);
        corpus.source.push_back(kEos);
    }
    close(corpus);
}

void RowEncoder::addWords(EncodedCorpus& corpus, const Example& example, const std::vector<std::int64_t>& tags) {
    Ids ids, classes;
    for (std::size_t i = 0; i < example.words.size(); ++i) {
        Ids pieces = tokenizer_.encode(example.words[i]);
        if (pieces.empty()) pieces.push_back(kUnk);  // every word needs a position for its tag
        append(ids, pieces);
        classes.push_back(static_cast<std::int32_t>(tags[i]));
        classes.resize(ids.size(), -1);
    }
    if (ids.size() > capacity(2)) {
        ++cut_;
        for (Ids* column : {&ids, &classes}) column->resize(capacity(2));
    }
    const auto marked = [](Ids& to, const Ids& column, std::int32_t before, std::int32_t after) {
        to.push_back(before);
        append(to, column);
        to.push_back(after);
    };
    marked(corpus.source, ids, kSos, kEos);
    marked(corpus.labelsAs<TagLabels>().classes, classes, -1, -1);
    close(corpus);
}

/// The tokens of a context with the characters that each covers.
struct RowEncoder::Context {
    Ids ids, begin, end;

    Context(const Tokenizer& tokenizer, const std::string& text) {
        for (const Word& word : wordsWithPlaces(text))
            for (const std::int32_t id : tokenizer.encode(word.text)) {
                ids.push_back(id);
                begin.push_back(static_cast<std::int32_t>(word.begin));
                end.push_back(static_cast<std::int32_t>(word.end));
            }
    }
};

/// Tokens of a context from `first`, `size` of them.
struct RowEncoder::Window {
    std::size_t first, size;

    /// Context that token `at` has in this window: the tokens on its shorter side, plus a hundredth of the length.
    double contextOf(std::size_t at) const {
        const std::size_t left = at - first, right = first + size - 1 - at;
        return static_cast<double>(std::min(left, right)) + 0.01 * static_cast<double>(size);
    }
    bool holds(std::size_t at) const { return at >= first && at < first + size; }

    static std::vector<Window> over(std::size_t tokens, std::size_t capacity, std::size_t stride) {
        std::vector<Window> windows{{0, std::min(tokens, capacity)}};
        while (stride > 0 && windows.back().first + windows.back().size < tokens) {
            const std::size_t first = windows.back().first + std::min(stride, windows.back().size);
            windows.push_back({first, std::min(tokens - first, capacity)});
        }
        return windows;
    }

    /// Begin and end of the tokens that no other window gives more context, from the start of the window. Of windows that
    /// give the same context the first has the token.
    std::pair<std::size_t, std::size_t> own(const std::vector<Window>& all) const {
        const auto isOwn = [&](std::size_t at) {
            return std::none_of(all.begin(), all.end(), [&](const Window& other) {
                if (!other.holds(at)) return false;
                const double theirs = other.contextOf(at), ours = contextOf(at);
                return theirs > ours || (theirs == ours && other.first < first);
            });
        };
        std::size_t from = first;
        while (from < first + size && !isOwn(from)) ++from;
        std::size_t to = from;
        while (to < first + size && isOwn(to)) ++to;
        return {from - first, to - first};
    }
};

void RowEncoder::addQuestion(EncodedCorpus& corpus, const Example& example, std::int64_t stride) {
    Ids question = tokenizer_.encode(example.first);
    const std::size_t half = capacity(3) / 2;  // leaves at least half of the row to the context
    const bool isQuestionCut = question.size() > half;
    question.resize(std::min(question.size(), half));
    const std::size_t marks = question.size() + 2;
    const std::size_t capacity = this->capacity(marks + 1);
    const Context context(tokenizer_, example.second);
    // Windows overlap by half of a row at least, so that a short answer is whole in one of them.
    const std::size_t apart = std::min(static_cast<std::size_t>(stride), (capacity + 1) / 2);
    const std::vector<Window> windows = Window::over(context.ids.size(), capacity, apart);
    const bool isContextCut = windows.size() == 1 && context.ids.size() > capacity;
    cut_ += isQuestionCut || isContextCut ? 1 : 0;
    windowed_ += windows.size() > 1 ? 1 : 0;
    auto& labels = corpus.labelsAs<SpanLabels>();
    const std::int64_t number = labels.exampleOf.empty() ? 0 : labels.exampleOf.back() + 1;
    for (const Window& window : windows) {
        labels.exampleOf.push_back(number);
        corpus.secondAt.push_back(static_cast<std::int32_t>(marks));
        corpus.source.push_back(kSos);
        append(corpus.source, question);
        corpus.source.push_back(kEos);
        for (Ids* column : {&labels.textBegin, &labels.textEnd}) column->insert(column->end(), marks, -1);
        const auto part = [&](Ids& to, const Ids& from) {
            const auto begin = from.begin() + static_cast<std::ptrdiff_t>(window.first);
            to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(window.size));
        };
        part(corpus.source, context.ids);
        part(labels.textBegin, context.begin);
        part(labels.textEnd, context.end);
        corpus.source.push_back(kEos);
        for (Ids* column : {&labels.textBegin, &labels.textEnd}) column->push_back(-1);
        const auto [from, to] = window.own(windows);
        labels.beginFrom.push_back(static_cast<std::int32_t>(marks + from));
        labels.beginTo.push_back(static_cast<std::int32_t>(marks + to));
        closeWindow(corpus, example, marks);
    }
}

/// Labels the answer in the last row and ends the row.
void RowEncoder::closeWindow(EncodedCorpus& corpus, const Example& example, std::size_t marks) {
    auto& labels = corpus.labelsAs<SpanLabels>();
    const auto rowBegin = static_cast<std::size_t>(corpus.sourceBegin.back());
    std::int32_t first = 0, last = 0;
    for (const Example::Answer& answer : example.answers) {
        const auto begin = static_cast<std::int32_t>(answer.begin);
        const auto stop = begin + static_cast<std::int32_t>(splitCodePoints(answer.text).size());
        for (std::size_t i = rowBegin + marks; i + 1 < corpus.source.size(); ++i) {
            const auto at = static_cast<std::int32_t>(i - rowBegin);
            const bool isInside = labels.textEnd[i] > begin && labels.textBegin[i] < stop;
            if (isInside && i == rowBegin + marks && labels.textBegin[i] > begin) break;  // the answer begins before the window
            if (first == 0 && isInside) first = at;
            if (labels.textBegin[i] < stop && labels.textEnd[i] >= stop) last = at;
        }
        if (first > 0 && last >= first) break;
        first = last = 0;  // outside of the window; try the next answer
    }
    labels.first.push_back(first);
    labels.last.push_back(last);
    close(corpus);
}

}  // namespace heddle
