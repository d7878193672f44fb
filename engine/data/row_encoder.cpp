// SPDX-License-Identifier: Apache-2.0
#include "engine/data/row_encoder.h"

#include "engine/metrics/unicode.h"
#include "engine/spec/error.h"

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

/// Tokens that fit beside so many marks.
std::size_t RowEncoder::room(std::size_t marks) const { return static_cast<std::size_t>(maxLen_) - marks; }

void RowEncoder::add(EncodedCorpus& corpus, const Example& example) {
    const bool isPair = !example.second.empty();
    Ids first = tokenizer_.encode(example.first), second = isPair ? tokenizer_.encode(example.second) : Ids();
    const std::size_t room = this->room(isPair ? 3 : 2);
    if (first.size() + second.size() > room) ++cut_;
    while (first.size() + second.size() > room) (first.size() >= second.size() ? first : second).pop_back();
    corpus.source.push_back(kSos);
    append(corpus.source, first);
    corpus.source.push_back(kEos);
    if (isPair) {
        corpus.secondAt.push_back(static_cast<std::int32_t>(first.size() + 2));
        append(corpus.source, second);
        corpus.source.push_back(kEos);
    }
    close(corpus);
}

void RowEncoder::addWords(EncodedCorpus& corpus, const Example& example, const std::vector<std::int64_t>& tags) {
    Ids ids, first, tagAt;
    for (std::size_t i = 0; i < example.words.size(); ++i) {
        Ids pieces = tokenizer_.encode(example.words[i]);
        if (pieces.empty()) pieces.push_back(kUnk);  // a word always has a place for its tag
        for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
            first.push_back(piece == 0 ? 1 : 0);
            tagAt.push_back(piece == 0 ? static_cast<std::int32_t>(tags[i]) : -1);
        }
        append(ids, pieces);
    }
    if (ids.size() > room(2)) {
        ++cut_;
        for (Ids* column : {&ids, &first, &tagAt}) column->resize(room(2));
    }
    const auto marked = [](Ids& to, const Ids& column, std::int32_t before, std::int32_t after) {
        to.push_back(before);
        append(to, column);
        to.push_back(after);
    };
    marked(corpus.source, ids, kSos, kEos);
    marked(corpus.pieceFirst, first, 0, 0);
    marked(corpus.target, tagAt, -1, -1);
    close(corpus);
}

void RowEncoder::addQuestion(EncodedCorpus& corpus, const Example& example) {
    Ids question = tokenizer_.encode(example.first);
    const std::size_t half = room(3) / 2;  // a question must not crowd out its context
    bool isCut = question.size() > half;
    question.resize(std::min(question.size(), half));

    corpus.source.push_back(kSos);
    append(corpus.source, question);
    corpus.source.push_back(kEos);
    const std::size_t marks = question.size() + 2;
    corpus.secondAt.push_back(static_cast<std::int32_t>(marks));
    const auto uncovered = [&](std::size_t count) {
        corpus.textBegin.insert(corpus.textBegin.end(), count, -1);
        corpus.textEnd.insert(corpus.textEnd.end(), count, -1);
    };
    uncovered(marks);

    const std::size_t rowBegin = static_cast<std::size_t>(corpus.sourceBegin.back()), end = rowBegin + room(1);
    for (const Word& word : wordsWithPlaces(example.second)) {
        for (const std::int32_t id : tokenizer_.encode(word.text)) {
            if (corpus.source.size() == end) {
                isCut = true;
                break;
            }
            corpus.source.push_back(id);
            corpus.textBegin.push_back(static_cast<std::int32_t>(word.begin));
            corpus.textEnd.push_back(static_cast<std::int32_t>(word.end));
        }
    }
    corpus.source.push_back(kEos);
    uncovered(1);
    cut_ += isCut ? 1 : 0;

    std::int32_t first = 0, last = 0;
    for (const Example::Answer& answer : example.answers) {
        const auto begin = static_cast<std::int32_t>(answer.begin);
        const auto stop = begin + static_cast<std::int32_t>(splitCodePoints(answer.text).size());
        for (std::size_t i = rowBegin + marks; i + 1 < corpus.source.size(); ++i) {
            const auto at = static_cast<std::int32_t>(i - rowBegin);
            if (first == 0 && corpus.textEnd[i] > begin && corpus.textBegin[i] < stop) first = at;
            if (corpus.textBegin[i] < stop && corpus.textEnd[i] >= stop) last = at;
        }
        if (first > 0 && last >= first) break;
        first = last = 0;  // cut off: the next one may be whole
    }
    corpus.answerFirst.push_back(first);
    corpus.answerLast.push_back(last);
    close(corpus);
}

}  // namespace heddle
