// SPDX-License-Identifier: Apache-2.0
// What passes through the stream that all text output of the CLI takes.
#include "app/cli/escaping_stream.h"

#include <gtest/gtest.h>

#include <sstream>

namespace heddle::app {
namespace {

TEST(EscapingStream, LineFeedsAndTabsStayAndControlsAreWrittenOut) {
    std::ostringstream to;
    EscapingStream stream(to);
    stream << "a\tb\n" << 3 << "\x1b[31m" << '\x07' << "\r\xC2\x9B\u202e\x7f" << std::flush;
    EXPECT_EQ(to.str(), "a\tb\n3\\x1B[31m\\x07\\x0D\\u009b\\u202e\\u007f");
}

TEST(EscapingStream, ACharacterInPiecesIsOneCharacter) {
    std::ostringstream to;
    EscapingStream stream(to);
    for (const char c : std::string("€\xC2\x9B\u202e😀")) stream << c;
    EXPECT_EQ(to.str(), "€\\u009b\\u202e😀");
}

TEST(EscapingStream, TheBeginningOfACharacterHidesNothing) {
    std::ostringstream to;
    {
        EscapingStream stream(to);
        stream << "\xE2\x82"
               << "\x1b"
               << "\xC2";
    }
    EXPECT_EQ(to.str(), "\\xE2\\x82\\x1B\\xC2");
}

TEST(EscapingStream, AFailedTargetIsNoticed) {
    std::ostringstream to;
    EscapingStream stream(to);
    to.setstate(std::ios::badbit);
    stream << "text";
    EXPECT_FALSE(stream);
}

}  // namespace
}  // namespace heddle::app
