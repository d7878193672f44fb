// SPDX-License-Identifier: Apache-2.0
// Rajpurkar et al. 2016 (section 6) and 2018, "Know what you don't know: unanswerable questions for SQuAD". The order of the
// steps is the official script's: punctuation goes before articles, so that "a." is one and "a-b" becomes "ab".
#include "engine/metrics/squad.h"

#include "engine/base/error.h"
#include "engine/base/unicode.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <iterator>

namespace heddle {
namespace {

/// Python's \w without "_", which has been removed: a letter, or whatever has a numeric value.
bool isWordCharacter(UChar32 c) { return u_isalpha(c) != 0 || u_getIntPropertyValue(c, UCHAR_NUMERIC_TYPE) != U_NT_NONE; }

bool isArticle(std::string_view word) { return word == "a" || word == "an" || word == "the"; }

/// Every article replaced by a space. A word is a longest run of word characters.
std::string withoutArticles(const std::string& text) {
    std::string out;
    const auto length = static_cast<std::int32_t>(text.size());
    std::int32_t begin = 0;
    const auto endWord = [&](std::int32_t end) {
        const std::string_view word(text.data() + begin, static_cast<std::size_t>(end - begin));
        out += isArticle(word) ? " " : word;
    };
    const char* const bytes = text.data();
    for (std::int32_t at = 0; at < length;) {
        const std::int32_t here = at;
        UChar32 c = 0;
        U8_NEXT(bytes, at, length, c);
        if (c >= 0 && isWordCharacter(c)) continue;
        endWord(here);
        out.append(text, static_cast<std::size_t>(here), static_cast<std::size_t>(at - here));
        begin = at;
    }
    endWord(length);
    return out;
}

std::vector<std::string> sortedWords(const std::string& text) {
    std::vector<std::string> words = splitUnicodeSpace(normaliseAnswer(text));
    std::sort(words.begin(), words.end());
    return words;
}

double overlapF1(const std::string& predicted, const std::string& answer, SquadRule rule) {
    const std::vector<std::string> predictedWords = sortedWords(predicted), answerWords = sortedWords(answer);
    if (predictedWords.empty() || answerWords.empty())
        return rule == SquadRule::V2 && predictedWords.empty() && answerWords.empty() ? 1 : 0;
    std::vector<std::string> both;
    std::set_intersection(predictedWords.begin(), predictedWords.end(), answerWords.begin(), answerWords.end(),
                          std::back_inserter(both));
    if (both.empty()) return 0;
    const double precision = static_cast<double>(both.size()) / static_cast<double>(predictedWords.size());
    const double recall = static_cast<double>(both.size()) / static_cast<double>(answerWords.size());
    return 2 * precision * recall / (precision + recall);
}

struct Sums {
    SquadRule rule;
    double exact = 0, f1 = 0;
    std::int64_t n = 0;

    void add(const AnswerScore& score) {
        exact += score.exact ? 1 : 0;
        f1 += score.f1;
        ++n;
    }
};

void addValues(std::vector<MetricValue>& values, const Sums& sums, const std::string& part, const SignatureParts& reading) {
    const char* const script = sums.rule == SquadRule::V1 ? "v1.1" : "v2.0";
    const auto add = [&](const std::string& name, double sum) {
        SignatureParts parts{{"squad", script}, {"questions", part.empty() ? "all" : part}};
        parts.insert(parts.end(), reading.begin(), reading.end());
        values.push_back({part.empty() ? name : name + "/" + part, sum / static_cast<double>(sums.n),
                          metricSignature(name == "f1" ? "f1" : "em", parts, sums.n), sums.n, ""});
    };
    add("exact_match", sums.exact);
    add("f1", sums.f1);
}

}  // namespace

std::string normaliseAnswer(std::string_view text) {
    std::string lower = toLower(text);
    std::erase_if(lower, isAsciiPunctuation);
    std::string joined;
    for (const std::string& word : splitUnicodeSpace(withoutArticles(lower))) joined += (joined.empty() ? "" : " ") + word;
    return joined;
}

AnswerScore scoreAnswer(const std::string& predicted, const std::vector<std::string>& answers, SquadRule rule) {
    std::vector<std::string> given;
    for (const std::string& answer : answers)
        if (rule == SquadRule::V1 || !normaliseAnswer(answer).empty()) given.push_back(answer);
    if (given.empty()) given.emplace_back();
    AnswerScore best;
    for (const std::string& answer : given) {
        best.exact = best.exact || normaliseAnswer(predicted) == normaliseAnswer(answer);
        best.f1 = std::max(best.f1, overlapF1(predicted, answer, rule));
    }
    return best;
}

std::vector<MetricValue> answerValues(const std::vector<std::string>& predicted,
                                      const std::vector<std::vector<std::string>>& answers, const SignatureParts& reading) {
    if (predicted.size() != answers.size() || answers.empty())
        throwInvalid(fmt::format("{} answers for {} questions", predicted.size(), answers.size()), "SQuAD metrics",
                     "answer every question once, an unanswerable one with an empty text");
    const bool haveAll = std::none_of(answers.begin(), answers.end(), [](const auto& accepted) { return accepted.empty(); });
    const SquadRule rule = haveAll ? SquadRule::V1 : SquadRule::V2;
    Sums all{rule}, answerable{rule}, unanswerable{rule};
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const AnswerScore score = scoreAnswer(predicted[i], answers[i], rule);
        all.add(score);
        (answers[i].empty() ? unanswerable : answerable).add(score);
    }
    std::vector<MetricValue> values;
    addValues(values, all, "", reading);
    if (unanswerable.n == 0) return values;
    if (answerable.n > 0) addValues(values, answerable, "answerable", reading);
    addValues(values, unanswerable, "unanswerable", reading);
    return values;
}

}  // namespace heddle
