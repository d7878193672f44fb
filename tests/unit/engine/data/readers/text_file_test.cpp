// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/text_file.h"

#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <sstream>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Property;
using ::testing::Throws;
using testing_support::invalidInput;
using testing_support::TempFolder;

class TextFileTest : public ::testing::Test {
protected:
    /// The error of a file with these contents, as users read it.
    std::string errorOf(const std::string& bytes) {
        const std::string path = folder_.write("bad.txt", bytes);
        return invalidInput([&] { readTextFile(path); });
    }
    TempFolder folder_;
};

TEST_F(TextFileTest, ReadsLinesWithAndWithoutAFinalLineEnd) {
    EXPECT_THAT(readTextFile(folder_.write("a", "one\n\nzwö\n")).lines, ElementsAre("one", "", "zwö"));
    EXPECT_THAT(readTextFile(folder_.write("b", "one\ntwo")).lines, ElementsAre("one", "two"));
    EXPECT_THAT(readTextFile(folder_.write("c", "")).lines, IsEmpty());
    EXPECT_THAT(readTextFile(folder_.write("d", "\n")).lines, ElementsAre(""));
}

TEST_F(TextFileTest, GzipGivesTheSameTextAndHash) {
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += "line " + std::to_string(i) + " Größe\n";  // several blocks
    const TextFile plain = readTextFile(folder_.write("a.txt", text)),
                   zipped = readTextFile(folder_.writeGzip("a.txt.gz", text));
    EXPECT_EQ(plain.lines.size(), 50'000U);
    EXPECT_EQ(plain.lines, zipped.lines);
    EXPECT_EQ(plain.bytes, text.size());
    EXPECT_EQ(plain.sha256, sha256Hex(text));
    EXPECT_EQ(zipped.sha256, plain.sha256);
}

TEST_F(TextFileTest, GzipIsFoundByContentAndMayHaveSeveralMembers) {
    const std::string a = testing_support::readBytes(folder_.writeGzip("a.gz", "one\n")),
                      b = testing_support::readBytes(folder_.writeGzip("b.gz", "two\n"));
    EXPECT_THAT(readTextFile(folder_.write("both", a + b)).lines, ElementsAre("one", "two"));
}

TEST_F(TextFileTest, TakesOffByteOrderMarkAndCarriageReturnsAndSaysSo) {
    const TextFile file = readTextFile(folder_.write("windows.txt", "\xEF\xBB\xBFone\r\ntwo\r\n"));
    EXPECT_THAT(file.lines, ElementsAre("one", "two"));
    EXPECT_THAT(file.notes, ElementsAre(HasSubstr("byte order mark"), HasSubstr("2 lines end in CR LF")));
}

TEST_F(TextFileTest, LinesMayEndInCrAlone) {
    const TextFile file = readTextFile(folder_.write("mac.txt", "\xEF\xBB\xBFone\rtwo\r\rthree"));
    EXPECT_THAT(file.lines, ElementsAre("one", "two", "", "three"));
    EXPECT_THAT(file.notes, ElementsAre(HasSubstr("byte order mark"), HasSubstr("end in CR alone")));
    EXPECT_THAT(readTextFile(folder_.write("one.txt", "one\r")).lines, ElementsAre("one"));
    EXPECT_THAT(errorOf("one\rb\xE9\r"), HasSubstr("line 2, column 2"));
    const TextFile inside = readTextFile(folder_.write("inside.txt", "one\rtwo\nthree\n"));
    EXPECT_THAT(inside.lines, ElementsAre("one\rtwo", "three")) << "as everybody counts lines";
    EXPECT_THAT(inside.notes, ElementsAre(HasSubstr("1 lines contain a CR, which was read as text")));
}

TEST_F(TextFileTest, WhatEndsALineMustBeKnown) {
    const std::string block(std::size_t{256} << 10, 'x');
    const TextFile cut = readTextFile(folder_.write("cut.txt", block.substr(1) + "\r\ntwo\r\n"));
    EXPECT_THAT(cut.lines, ElementsAre(block.substr(1), "two")) << "a CR LF over the border of two blocks";
    EXPECT_THAT(cut.notes, ElementsAre(HasSubstr("2 lines end in CR LF")));
    EXPECT_THAT(errorOf("one\r" + block + "\rtwo\nthree"), HasSubstr("lines end in CR at first and in LF here"));
}

TEST_F(TextFileTest, GzipOfMoreLinesThanBytesIsRefused) {
    const std::string bomb = folder_.writeGzip("bomb.gz", std::string(3'000'000, '\n'));
    EXPECT_THAT(invalidInput([&] { readTextFile(bomb); }), HasSubstr("unpacks to more than"));
    EXPECT_EQ(readTextFile(folder_.write("plain", std::string(1'100'000, '\n'))).lines.size(), 1'100'000U);
}

TEST_F(TextFileTest, StandardInputIsReadAsFilesAre) {
    const auto linesOf = [](const std::string& bytes) {
        std::istringstream in(bytes);
        std::vector<std::string> lines;
        forEachLine(in, [&](std::string_view line, std::int64_t) { lines.emplace_back(line); });
        return lines;
    };
    const std::string longer(std::size_t{200} << 10, 'x');
    for (const std::string& bytes : {std::string("\xEF\xBB\xBFone\r\n\ntwo"), std::string("one\rtwo\r"), std::string(),
                                     std::string("\n"), longer + "\n" + longer})
        EXPECT_EQ(linesOf(bytes), readTextFile(folder_.write("file", bytes)).lines) << bytes.substr(0, 20);
    EXPECT_THAT(invalidInput([&] { linesOf("one\nGr\xF6\xDF\x65\n"); }), HasSubstr("standard input, line 2, column 3"));
    EXPECT_EQ(linesOf(std::string("a\0b", 3)), std::vector<std::string>{std::string("a\0b", 3)}) << "tokenizers take a NUL";
    EXPECT_THAT(invalidInput([&] { linesOf(std::string("a\0b\0c\0d\0", 8)); }), HasSubstr("UTF-16"));
}

TEST_F(TextFileTest, MissingFile) {
    EXPECT_THAT(invalidInput([&] { readTextFile(folder_.file("nothing.en")); }),
                HasSubstr("file not found (" + folder_.file("nothing.en")));
}

TEST_F(TextFileTest, FolderFifoAndUnreadableFile) {
    EXPECT_THAT(invalidInput([&] { readTextFile(folder_.path()); }), HasSubstr("is a folder"));
    ASSERT_EQ(::mkfifo(folder_.file("fifo").c_str(), 0600), 0);
    EXPECT_THAT(invalidInput([&] { readTextFile(folder_.file("fifo")); }), HasSubstr("not a regular file"));
    if (::geteuid() == 0) return;  // root reads everything
    const std::string path = folder_.write("secret", "x\n");
    ASSERT_EQ(::chmod(path.c_str(), 0), 0);
    EXPECT_THAT(invalidInput([&] { readTextFile(path); }), HasSubstr("Permission denied"));
}

TEST_F(TextFileTest, InvalidUtf8NamesLineColumnAndByte) {
    const std::string message = errorOf("good\nein schöner H\xFFund\n");
    EXPECT_THAT(message, HasSubstr("invalid UTF-8: byte 0xFF at offset 14 of the line after \"ein schöner H\""));
    EXPECT_THAT(message, HasSubstr("bad.txt, line 2, column 14)"));
    EXPECT_THAT(message, HasSubstr("iconv"));
}

TEST_F(TextFileTest, EveryKindOfMalformedSequenceIsFound) {
    for (const std::string bad :
         {"\x80", "\xC3", "\xC0\xAF", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFE"})
        EXPECT_THAT(errorOf("ab" + bad + "c\n"), HasSubstr("line 1, column 3")) << Json(bad.size()).dump();
    EXPECT_THAT(errorOf("cut at the end \xE2\x82"), HasSubstr("line 1, column 16"));
}

TEST_F(TextFileTest, ExcerptIsShortAndSafeToPrint) {
    const std::string message = errorOf(std::string(1000, 'x') + "\x1B[31mä\xFF\n");
    EXPECT_THAT(message, HasSubstr("after \"…xxxxx"));
    EXPECT_THAT(message, HasSubstr("?[31mä\""));
    EXPECT_EQ(message.find('\x1B'), std::string::npos);
    EXPECT_LT(message.size(), 400U);
}

TEST_F(TextFileTest, Utf16IsRecognised) {
    EXPECT_THAT(errorOf(std::string("\xFF\xFE"
                                    "a\0b\0\n\0",
                                    8)),
                HasSubstr("looks like UTF-16"));
}

TEST_F(TextFileTest, NulByte) {
    EXPECT_THAT(errorOf(std::string("one\ntw\0o\n", 9)), HasSubstr("NUL byte in the text after \"tw\" ("));
}

TEST_F(TextFileTest, LinesUpTo16MebibytesAreRead) {
    std::string line(kMaxLineBytes, 'a');
    EXPECT_EQ(readTextFile(folder_.write("long", line + "\nb\n")).lines.size(), 2U);
    EXPECT_THAT(errorOf("b\na" + line + "\n"), HasSubstr("longer than 16 MiB"));
    EXPECT_THAT(errorOf("b\n" + line + line), HasSubstr("line 2"));
}

TEST_F(TextFileTest, DamagedGzip) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 10'007) + "\n";
    const std::string whole = testing_support::readBytes(folder_.writeGzip("whole.gz", text));
    const std::string cut = folder_.write("cut.gz", whole.substr(0, whole.size() / 2));
    EXPECT_THAT(invalidInput([&] { readTextFile(cut); }), HasSubstr("unexpected end of gzip data"));
    const std::string noTrailer = folder_.write("trailer.gz", whole.substr(0, whole.size() - 4));
    EXPECT_THAT(invalidInput([&] { readTextFile(noTrailer); }), HasSubstr("unexpected end of gzip data"));
    std::string flipped = whole;
    flipped[whole.size() / 2] = static_cast<char>(~flipped[whole.size() / 2]);
    EXPECT_THAT(invalidInput([&] { readTextFile(folder_.write("flipped.gz", flipped)); }), HasSubstr("gzip data is damaged"));
    EXPECT_THAT(invalidInput([&] { readTextFile(folder_.write("text.gz", "no gzip\n")); }), HasSubstr("is not in gzip format"));
}

TEST_F(TextFileTest, StopsWhenAsked) {
    const std::string path = folder_.write("a", "one\n");
    EXPECT_THAT([&] { readTextFile(path, [] { return true; }); },
                Throws<Error>(AllOf(Property(&Error::problem, "stopped"), Property(&Error::code, ErrorCode::Failure))));
}

}  // namespace
}  // namespace heddle
