// SPDX-License-Identifier: Apache-2.0
#include "engine/data/loading/row_encoder.h"

#include "engine/base/error.h"
#include "engine/base/unicode.h"
#include "engine/data/tokenizers/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace heddle {
namespace {

using Ids = std::vector<std::int32_t>;

void close(EncodedCorpus& corpus) {
    corpus.sourceBegin.push_back(static_cast<std::int64_t>(corpus.source.size()));
    corpus.targetBegin.push_back(static_cast<std::int64_t>(corpus.target.size()));
}

void append(Ids& to, const Ids& ids) { to.insert(to.end(), ids.begin(), ids.end()); }

}  // namespace

RowEncoder::RowEncoder(const Tokenizer& tokenizer, std::int64_t maxLen) : tokenizer_(tokenizer), maxLen_(maxLen) {
    if (maxLen < 4)
        throwInvalid(fmt::format("{} positions are too few for a text", maxLen), "dims.max_len", "raise it to 4 or more");
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
        for (const PlacedToken& token : placesOf(tokenizer, text)) {
            ids.push_back(token.id);
            begin.push_back(token.begin);
            end.push_back(token.end);
        }
    }
};

/// The first and the last token of an answer in its context.
struct RowEncoder::AnswerTokens {
    std::size_t first, last;
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
    const std::size_t farthest = (capacity + 1) / 2, apart = std::min(static_cast<std::size_t>(stride), farthest);
    const std::vector<Window> windows = Window::over(context.ids.size(), capacity, apart);
    const bool isContextCut = windows.size() == 1 && context.ids.size() > capacity;
    cut_ += isQuestionCut || isContextCut ? 1 : 0;
    windowed_ += windows.size() > 1 ? 1 : 0;
    closer_ += windows.size() > 1 && apart < static_cast<std::size_t>(stride) ? 1 : 0;
    const std::vector<AnswerTokens> answers = answersIn(context, example);
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
        closeWindow(corpus, answers, window, marks);
    }
}

/// The tokens of the answers that have any, in their order; counts the question where they say more than its first answer, or
/// are too many.
std::vector<RowEncoder::AnswerTokens> RowEncoder::answersIn(const Context& context, const Example& example) {
    std::vector<AnswerTokens> answers;
    bool isFirstWider = false;
    for (const Example::Answer& answer : example.answers) {
        const auto begin = static_cast<std::int32_t>(answer.begin);
        const auto stop = begin + static_cast<std::int32_t>(countCodePoints(answer.text));
        std::optional<AnswerTokens> tokens;
        for (std::size_t i = 0; i < context.ids.size() && context.begin[i] < stop; ++i) {
            if (context.end[i] <= begin) continue;
            tokens = {tokens ? tokens->first : i, i};
        }
        if (!tokens) continue;
        if (answers.empty()) isFirstWider = context.begin[tokens->first] < begin || context.end[tokens->last] > stop;
        answers.push_back(*tokens);
    }
    wider_ += isFirstWider ? 1 : 0;
    const auto longest = static_cast<std::size_t>(longestAnswer(tokenizer_));
    const bool areLong = std::all_of(answers.begin(), answers.end(),
                                     [&](const AnswerTokens& tokens) { return tokens.last - tokens.first >= longest; });
    longAnswers_ += !answers.empty() && areLong ? 1 : 0;
    return answers;
}

/// Labels the first answer that lies in the window, which is the last row, and ends the row.
void RowEncoder::closeWindow(EncodedCorpus& corpus, const std::vector<AnswerTokens>& answers, const Window& window,
                             std::size_t marks) {
    const auto inside = std::find_if(answers.begin(), answers.end(), [&](const AnswerTokens& tokens) {
        return window.holds(tokens.first) && window.holds(tokens.last);
    });
    const auto positionOf = [&](std::size_t token) { return static_cast<std::int32_t>(marks + token - window.first); };
    auto& labels = corpus.labelsAs<SpanLabels>();
    labels.first.push_back(inside == answers.end() ? 0 : positionOf(inside->first));
    labels.last.push_back(inside == answers.end() ? 0 : positionOf(inside->last));
    close(corpus);
}

std::int64_t longestAnswer(const Tokenizer& tokenizer) {
    constexpr std::int64_t kLongest = 30, kCharactersOfAWord = 6;  // 5 letters and a space
    return tokenizer.spec().kind == TokenizerKind::Characters ? kLongest * kCharactersOfAWord : kLongest;
}

}  // namespace heddle
