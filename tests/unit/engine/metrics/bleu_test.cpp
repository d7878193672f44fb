// SPDX-License-Identifier: Apache-2.0
#include "engine/metrics/bleu.h"
#include "engine/base/error.h"
#include "engine/base/unicode.h"
#include "engine/metrics/charpos.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using Strings = std::vector<std::string>;

Strings words(const std::string& text) { return splitUnicodeSpace(text); }

// The two sentences of the specification's golden case `bleu`.
TEST(Bleu, GoldenCaseOnTokensWithoutSmoothing) {
    const std::vector<Strings> hypotheses{words("a man in a blue shirt is standing on a ladder"),
                                          words("two dogs run in the snow .")};
    const std::vector<Strings> references{words("a man in a blue shirt stands on a ladder cleaning a window"),
                                          words("two dogs are running through the snow .")};
    const BleuScore score = corpusBleuTokens(hypotheses, references, "none");
    EXPECT_THAT(score.statistics.matches, ElementsAre(14, 10, 6, 3));
    EXPECT_THAT(score.statistics.totals, ElementsAre(18, 16, 14, 12));
    EXPECT_EQ(score.statistics.hypothesisLength, 18);
    EXPECT_EQ(score.statistics.referenceLength, 21);
    EXPECT_NEAR(score.brevityPenalty, 0.846481724890614, 1e-15);
    EXPECT_NEAR(score.bleu, 40.43824313897285, 1e-10);
}

TEST(Bleu, IdenticalTextScoresOneHundred) {
    const Strings text{"The quick brown fox, he jumps.", "Over 3.5 lazy dogs!"};
    EXPECT_NEAR(corpusBleu(text, text, {}).bleu, 100.0, 1e-9);
    EXPECT_NEAR(corpusBleu({"THE QUICK BROWN FOX"}, {"the quick brown fox"}, {"13a", "exp", true}).bleu, 100.0, 1e-9);
    EXPECT_EQ(corpusBleu({"THE QUICK BROWN FOX"}, {"the quick brown fox"}, {}).bleu, 0);
}

// One of four unigrams right, nothing longer: precisions 25, then 100/(2·3), 100/(4·2), 100/(8·1).
TEST(Bleu, ExpSmoothingHalvesPrecisionOrderByOrder) {
    const BleuScore score = corpusBleu({"a b c d"}, {"a x y z"}, {"none", "exp", false});
    EXPECT_NEAR(score.precisions[1], 100.0 / 6, 1e-12);
    EXPECT_NEAR(score.bleu, std::pow(25.0 * (100.0 / 6) * 12.5 * 12.5, 0.25), 1e-9);
    EXPECT_EQ(corpusBleu({"a b c d"}, {"a x y z"}, {"none", "none", false}).bleu, 0);
}

TEST(Bleu, NothingSaidScoresZero) {
    const BleuScore score = corpusBleu({""}, {"a b c d"}, {});
    EXPECT_EQ(score.bleu, 0);
    EXPECT_EQ(score.brevityPenalty, 0);
    EXPECT_EQ(corpusBleu({"a b"}, {"a b"}, {}).bleu, 0) << "no 3-grams at all: undefined, 0 by convention";
}

TEST(Bleu, RefusesWhatCannotBeScored) {
    EXPECT_THROW(corpusBleu({"a"}, {"a", "b"}, {}), Error);
    EXPECT_THROW(corpusBleu({}, {}, {}), Error);
    EXPECT_THROW(corpusBleu({"a"}, {"a"}, {"14b", "exp", false}), Error);
    EXPECT_THROW(corpusBleu({"a"}, {"a"}, {"13a", "floor", false}), Error);
}

TEST(Bleu, SignatureNamesEverythingThatChangesTheNumber) {
    EXPECT_EQ(corpusBleu({"a"}, {"a"}, {"13a", "exp", true}).signature,
              "nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:heddle-" HEDDLE_VERSION);
    EXPECT_EQ(corpusBleu({"a"}, {"a"}, {"none", "none", false}).signature,
              "nrefs:1|case:mixed|eff:no|tok:none|smooth:none|version:heddle-" HEDDLE_VERSION);
}

TEST(Tokenize13a, CutsPunctuationButNotInsideNumbers) {
    EXPECT_THAT(tokenize13a("It costs $1,000.50 (really)."),
                ElementsAre("It", "costs", "$", "1,000.50", "(", "really", ")", "."));
    EXPECT_THAT(tokenize13a("don't &quot;stop&quot; 3-4 co-op"),
                ElementsAre("don't", "\"", "stop", "\"", "3", "-", "4", "co-op"));
    EXPECT_THAT(tokenize13a("Größe: 5.Fuß"), ElementsAre("Größe", ":", "5", ".", "Fuß"));
}

// The specification's golden case `bleu_charpos`.
TEST(Charpos, GoldenCase) {
    const CharposScore score =
        charpos(words("two dogs run in the winter landscape"), words("two dogs ran in the winter landscapes ."));
    EXPECT_THAT(score.matches, ElementsAre(29, 21, 15, 10));
    EXPECT_THAT(score.totals, ElementsAre(30, 23, 16, 10));
    EXPECT_EQ(score.hypothesisCharacters, 30);
    EXPECT_EQ(score.referenceCharacters, 31);
    EXPECT_NEAR(score.score, 92.24830325945163, 1e-10);
}

TEST(Charpos, CountsCodePointsAndGivesZeroWithoutLongWords) {
    EXPECT_EQ(charpos({"ÄÖÜß"}, {"ÄÖÜß"}).hypothesisCharacters, 4);
    EXPECT_NEAR(charpos({"ÄÖÜß"}, {"ÄÖÜß"}).score, 100, 1e-10);
    EXPECT_EQ(charpos({"a", "b"}, {"a", "b"}).score, 0);
    EXPECT_EQ(charpos({}, {"a"}).score, 0);
}

TEST(Unicode, LowerCasesEveryAlphabet) {
    EXPECT_EQ(toLower("ÄÖÜ ẞ ÇA ЖЩ ΟΔΟΣ"), "äöü ß ça жщ οδος");
    EXPECT_EQ(toLower("PLAIN ascii 1"), "plain ascii 1");
}

TEST(Unicode, SplitsAtUnicodeSpace) {
    EXPECT_THAT(splitUnicodeSpace("  a\u00A0b\u3000 c\x1C"), ElementsAre("a", "b", "c"));
    EXPECT_TRUE(splitUnicodeSpace(" \t\u2028").empty());
    EXPECT_EQ(trimRight("é a\u2003 \n"), "é a");
}

/// The characters for which str.isspace() of Python 3.11 is true.
TEST(Unicode, SpaceIsPythons) {
    std::set<std::int32_t> spaces{0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
    for (std::int32_t c = 0x09; c <= 0x0D; ++c) spaces.insert(c);
    for (std::int32_t c = 0x1C; c <= 0x1F; ++c) spaces.insert(c);
    for (std::int32_t c = 0x2000; c <= 0x200A; ++c) spaces.insert(c);
    for (std::int32_t c = 0; c <= 0x10FFFF; ++c) {
        if (c >= 0xD800 && c <= 0xDFFF) continue;  // surrogates are not characters
        std::string text;
        appendCodePoint(text, c);
        EXPECT_EQ(splitUnicodeSpace(text).empty(), spaces.contains(c)) << c;
    }
}

TEST(Unicode, FindsTheFirstByteThatIsNotUtf8) {
    EXPECT_EQ(findInvalidUtf8("añ€🙂\uFFFF"), std::nullopt);
    EXPECT_EQ(findInvalidUtf8(""), std::nullopt);
    EXPECT_EQ(findInvalidUtf8("ab\xFF"), 2U);
    EXPECT_EQ(findInvalidUtf8("a\xC3"), 1U) << "cut";
    EXPECT_EQ(findInvalidUtf8("\xC0\xAF"), 0U) << "overlong";
    EXPECT_EQ(findInvalidUtf8("\xE0\x80\x80"), 0U) << "overlong";
    EXPECT_EQ(findInvalidUtf8("é\xED\xA0\x80"), 2U) << "surrogate";
    EXPECT_EQ(findInvalidUtf8("\xF4\x90\x80\x80"), 0U) << "above U+10FFFF";
    EXPECT_EQ(findInvalidUtf8("\xF0\x9F\x99"), 0U) << "cut";
    EXPECT_EQ(findInvalidUtf8("\x80"), 0U) << "lone continuation";
}

}  // namespace
}  // namespace heddle
