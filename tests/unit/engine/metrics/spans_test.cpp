// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/spans.h"
#include "engine/base/error.h"
#include "engine/metrics/squad.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Property;
using ::testing::Throws;
using Strings = std::vector<std::string>;

constexpr auto kConlleval = SpanScheme::Conlleval, kStrict = SpanScheme::Strict;

MetricValue spanValueOf(const std::vector<MetricValue>& values, const std::string& name) {
    for (const MetricValue& value : values)
        if (value.name == name) return value;
    ADD_FAILURE() << name << " is missing";
    return {};
}

TEST(Spans, AreFoundInWellFormedTags) {
    const TagSequence tags{"B-PER", "I-PER", "O", "B-LOC", "B-LOC", "I-LOC"};
    for (const auto scheme : {kConlleval, kStrict})
        EXPECT_THAT(spansOf(tags, scheme), ElementsAre(TagSpan{0, 2, "PER"}, TagSpan{3, 4, "LOC"}, TagSpan{4, 6, "LOC"}));
    EXPECT_THAT(spansOf({}, kStrict), IsEmpty());
    EXPECT_THAT(spansOf({"B", "I", "O"}, kStrict), ElementsAre(TagSpan{0, 2, "_"}));
    EXPECT_THAT(spansOf({"B-a-b", "I-a-b"}, kStrict), ElementsAre(TagSpan{0, 2, "a-b"}));
}

TEST(Spans, AnInsideWithoutABeginIsASpanForConllevalOnly) {
    const TagSequence tags{"I-PER", "I-PER", "I-LOC", "O", "B-LOC", "I-PER"};
    EXPECT_THAT(spansOf(tags, kConlleval),
                ElementsAre(TagSpan{0, 2, "PER"}, TagSpan{2, 3, "LOC"}, TagSpan{4, 5, "LOC"}, TagSpan{5, 6, "PER"}));
    EXPECT_THAT(spansOf(tags, kStrict), ElementsAre(TagSpan{4, 5, "LOC"}));
}

TEST(Spans, TagsThatAreNoneAreNamed) {
    for (const char* tag : {"", "X-PER", "BPER", "PER", "o", "S-PER"})
        EXPECT_THAT([&] { spansOf({"O", tag}, kConlleval); }, Throws<Error>(Property(&Error::where, "word 2"))) << tag;
}

// Truth: PER, LOC, LOC; prediction: PER right, LOC one word too long, ORG invented. P = 1/3, R = 1/3.
TEST(Spans, OnlyWholeSpansCount) {
    const std::vector<TagSequence> truth{{"B-PER", "I-PER", "O", "B-LOC", "O"}, {"B-LOC", "O"}};
    const std::vector<TagSequence> predicted{{"B-PER", "I-PER", "O", "B-LOC", "I-LOC"}, {"O", "B-ORG"}};
    const SpanReport report = scoreSpans(truth, predicted, kStrict);
    EXPECT_DOUBLE_EQ(report.micro.precision, 1.0 / 3);
    EXPECT_DOUBLE_EQ(report.micro.recall, 1.0 / 3);
    EXPECT_DOUBLE_EQ(report.macroF1, 1.0 / 3) << "PER 1, LOC 0, ORG 0";
    EXPECT_THAT(report.types, ElementsAre("LOC", "ORG", "PER"));
    const auto values = spanValues(report);
    EXPECT_DOUBLE_EQ(spanValueOf(values, "span_f1").value, 1.0 / 3);
    EXPECT_EQ(spanValueOf(values, "span_f1").n, 3);
    EXPECT_EQ(spanValueOf(values, "span_f1").signature,
              "span_f1|scheme:strict|average:micro|zero_division:0|n:3|version:heddle-" HEDDLE_VERSION);
    EXPECT_DOUBLE_EQ(spanValueOf(values, "accuracy").value, 4.0 / 7);
    EXPECT_EQ(spanValueOf(values, "span_f1/PER").value, 1);
    EXPECT_EQ(spanValueOf(values, "span_f1/LOC").n, 2);
    EXPECT_THAT(spanValues(scoreSpans(truth, predicted, kConlleval))[0].signature, HasSubstr("scheme:conlleval"));
}

TEST(Spans, DoNotReachIntoTheNextSentence) {
    const SpanReport apart = scoreSpans({{"B-PER"}, {"I-PER"}}, {{"B-PER"}, {"I-PER"}}, kConlleval);
    EXPECT_EQ(apart.micro.truth, 2);
    EXPECT_EQ(scoreSpans({{"B-PER", "I-PER"}}, {{"B-PER", "I-PER"}}, kConlleval).micro.truth, 1);
}

TEST(Spans, WithoutAnySpan) {
    const auto values = spanValues(scoreSpans({{"O", "O"}}, {{"O", "O"}}, kConlleval));
    EXPECT_EQ(spanValueOf(values, "span_f1").value, 0);
    EXPECT_THAT(spanValueOf(values, "span_f1").warning, HasSubstr("0 by convention"));
    EXPECT_TRUE(std::isnan(spanValueOf(values, "macro_span_f1").value));
    EXPECT_THAT(spanValueOf(values, "macro_span_f1").warning, HasSubstr("no types"));
    EXPECT_EQ(spanValueOf(values, "accuracy").value, 1);
}

TEST(Spans, RefusesUnequalTexts) {
    EXPECT_THROW(scoreSpans({}, {}, kStrict), Error);
    EXPECT_THROW(scoreSpans({{"O"}}, {{"O"}, {"O"}}, kStrict), Error);
    EXPECT_THROW(scoreSpans({{"O", "O"}}, {{"O"}}, kStrict), Error);
}

TEST(Squad, NormalisesAnswers) {
    EXPECT_EQ(normaliseAnswer("  The quick,  brown\u00A0Fox! "), "quick brown fox");
    EXPECT_EQ(normaliseAnswer("A's an-ode the theatre"), "as anode theatre") << "punctuation goes first";
    EXPECT_EQ(normaliseAnswer("a\u0301 thé 中the"), "\u0301 thé 中the") << "a mark ends a word, a letter does not";
    EXPECT_EQ(normaliseAnswer("the. A — an"), "—") << "punctuation is ASCII's";
    EXPECT_EQ(normaliseAnswer("½a a"), "½a");
    EXPECT_EQ(normaliseAnswer(""), "");
}

TEST(Squad, TheBestAnswerCounts) {
    const AnswerScore score = scoreAnswer("in the year 1066", {"the Normans", "1066", "year 1066 AD"});
    EXPECT_FALSE(score.exact);
    EXPECT_DOUBLE_EQ(score.f1, 2 * (2.0 / 3) * (2.0 / 3) / (4.0 / 3)) << "year, 1066 of in, year, 1066 and year, 1066, ad";
    EXPECT_TRUE(scoreAnswer("The Normans!", {"1066", "normans"}).exact);
    EXPECT_DOUBLE_EQ(scoreAnswer("no no no", {"no yes"}).f1, 2 * (1.0 / 3) * 0.5 / (1.0 / 3 + 0.5)) << "words count as often";
    EXPECT_EQ(scoreAnswer("x", {"y"}).f1, 0);
}

TEST(Squad, WithoutAnAnswerOnlySilenceIsRight) {
    EXPECT_TRUE(scoreAnswer("", {}).exact);
    EXPECT_EQ(scoreAnswer("the", {}).f1, 1) << "nothing but an article";
    EXPECT_FALSE(scoreAnswer("cat", {}).exact);
    EXPECT_TRUE(scoreAnswer("", {"the", "."}).exact) << "answers of which nothing remains";
    EXPECT_FALSE(scoreAnswer("", {"cat"}).exact);
}

// The official script of 1.1 knows no question without an answer: nothing in common is an F1 of 0.
TEST(Squad, ScriptsOfBothVersionsDifferInAnswersOfWhichNothingRemains) {
    EXPECT_EQ(answerValues({"an"}, {{"the", "cat"}})[1].value, 0);
    EXPECT_EQ(answerValues({"an"}, {{"the", "cat"}})[0].value, 1) << "yet they are the same";
    EXPECT_EQ(scoreAnswer("an", {"the", "cat"}).f1, 0) << "2.0 leaves such answers out";
    EXPECT_EQ(scoreAnswer("an", {"the"}).f1, 1);
}

TEST(Squad, ReportsAnswerableAndUnanswerableApart) {
    const auto values = answerValues({"cat", "", "dog"}, {{"a cat"}, {}, {}});
    ASSERT_EQ(values.size(), 6U);
    EXPECT_DOUBLE_EQ(spanValueOf(values, "exact_match").value, 2.0 / 3);
    EXPECT_EQ(spanValueOf(values, "f1/answerable").value, 1);
    EXPECT_EQ(spanValueOf(values, "exact_match/unanswerable").value, 0.5);
    EXPECT_EQ(spanValueOf(values, "exact_match/unanswerable").n, 2);
    EXPECT_EQ(spanValueOf(values, "exact_match").signature, "em|squad:v2.0|questions:all|n:3|version:heddle-" HEDDLE_VERSION);
    EXPECT_EQ(answerValues({"cat"}, {{"a cat"}}, {{"stride", "128"}, {"longest", "30"}}).front().signature,
              "em|squad:v1.1|questions:all|stride:128|longest:30|n:1|version:heddle-" HEDDLE_VERSION);
    EXPECT_EQ(answerValues({"cat"}, {{"a cat"}}).size(), 2U) << "all answerable: nothing to tell apart";
    EXPECT_THROW(answerValues({}, {}), Error);
    EXPECT_THROW(answerValues({"a"}, {}), Error);
}

}  // namespace
}  // namespace heddle
