// SPDX-License-Identifier: Apache-2.0
// How text that may hold any bytes is displayed.
#include "engine/base/printable.h"

#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Printable, ControlsAreWrittenOut) {
    EXPECT_EQ(printable("a\x1b[31mb\n\t\r"), "a\\x1B[31mb\\x0A\\x09\\x0D");
    EXPECT_EQ(printable("\x7f"), "\\u007f");
    EXPECT_EQ(printable("\xC2\x9B|\xC2\x80|\xC2\xA0"), "\\u009b|\\u0080|\xC2\xA0") << "C1 controls end before U+00A0";
    EXPECT_EQ(printable(std::string(1, '\0')), "\\x00");
}

TEST(Printable, BidirectionalControlsAndLineSeparatorsAreWrittenOut) {
    EXPECT_EQ(printable("\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u2028\u2029"),
              "\\u202a\\u202e\\u2066\\u2069\\u200e\\u200f\\u061c\\u2028\\u2029");
    EXPECT_EQ(printable("\u2027\u202f\u2065\u206a"), "\u2027\u202f\u2065\u206a") << "their neighbours are text";
}

TEST(Printable, TextStaysAsItIs) {
    const std::string text = "grün € 中文 עברית 😀 \\x1B";
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, BytesThatAreNoUtf8AreWrittenOut) {
    EXPECT_EQ(printable("\xff\xfe"), "\\xFF\\xFE");
    EXPECT_EQ(printable("\x9b"), "\\x9B") << "a lone C1 byte, which terminals in Latin-1 obey";
    EXPECT_EQ(printable("\xC0\x9B"), "\\xC0\\x9B") << "overlong";
    EXPECT_EQ(printable("\xE0\x80\x9B"), "\\xE0\\x80\\x9B");
    EXPECT_EQ(printable("\xED\xA0\x80"), "\\xED\\xA0\\x80") << "a surrogate";
    EXPECT_EQ(printable("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80") << "above U+10FFFF";
    EXPECT_EQ(printable("\xE2\x82"), "\\xE2\\x82") << "cut";
    EXPECT_EQ(printable("\xE2\x82\x1b"), "\\xE2\\x82\\x1B") << "the escape is not swallowed";
}

TEST(Printable, ExcerptsAreCutBetweenCharacters) {
    EXPECT_EQ(printableExcerpt("größer", 4), "größ…");
    EXPECT_EQ(printableExcerpt("größ", 4), "größ");
    EXPECT_EQ(printableExcerpt("\x1b\x1b\x1b", 2), "\\x1B\\x1B…");
}

TEST(Printable, ACharacterMayBeCutAtTheEndOfAPiece) {
    EXPECT_EQ(cutCharacter("a"), 0U);
    EXPECT_EQ(cutCharacter(""), 0U);
    EXPECT_EQ(cutCharacter("a\xE2"), 1U);
    EXPECT_EQ(cutCharacter("a\xE2\x82"), 2U);
    EXPECT_EQ(cutCharacter("a\xF0\x9F\x98"), 3U);
    EXPECT_EQ(cutCharacter("a\xE2\x82\xAC"), 0U);
    EXPECT_EQ(cutCharacter("a\xE0\x80"), 0U) << "no character begins so";
    EXPECT_EQ(cutCharacter("a\xff"), 0U);
}

std::string refusal(const Json& spec) {
    return whyRefused([&] { RunSpec::parse(spec, builtinCatalogue()); });
}

TEST(Printable, MessagesAboutASpecStayShortAndPlain) {
    const Json variant{{"preset", "eau-base"}};
    const std::string key = "lr\x1b[31m\xC2\x9B\u202e\n";
    EXPECT_THAT(refusal({{"variant", variant}, {"train", {{key, 1}}}}),
                AllOf(HasSubstr("lr\\x1B[31m\\u009b\\u202e\\x0A"), Not(HasSubstr("\x1b"))));
    EXPECT_LT(refusal({{"variant", variant}, {std::string(1 << 20, 'k'), 1}}).size(), 2000U);
    Json many{{"variant", variant}};
    for (int i = 0; i < 5000; ++i) many["key" + std::to_string(i)] = i;
    EXPECT_LT(refusal(many).size(), 60'000U);
    EXPECT_THAT(refusal(many), HasSubstr("at least 50 problems"));
    const std::vector<std::string> sublayers(5000, "x");
    EXPECT_LT(refusal({{"variant", {{"encoder", {{"sublayers", sublayers}}}}}}).size(), 60'000U);
}

}  // namespace
}  // namespace heddle
