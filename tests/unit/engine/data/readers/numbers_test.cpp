// SPDX-License-Identifier: Apache-2.0
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/data/readers/idx.h"
#include "engine/data/vectors/word_vectors.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::invalidInput;
using testing_support::TempFolder;

/// Header of an IDX file: type, then sizes of at most 255.
std::string idx(int type, const std::vector<int>& sizes, const std::string& values) {
    std::string bytes{'\0', '\0', static_cast<char>(type), static_cast<char>(sizes.size())};
    for (const int size : sizes) bytes += std::string(3, '\0') + static_cast<char>(size);
    return bytes + values;
}

TEST(Idx, ImagesAndLabelsPlainAndGzipped) {
    const TempFolder folder;
    const std::string bytes = idx(8, {2, 2, 3}, "abcdef\xFFghijk");
    for (const std::string& path : {folder.write("images", bytes), folder.writeGzip("images.gz", bytes)}) {
        const IdxImages images = readIdxImages(path);
        EXPECT_THAT((std::vector<std::int64_t>{images.count, images.rows, images.columns}), ElementsAre(2, 2, 3));
        ASSERT_EQ(images.pixels.size(), 12U);
        EXPECT_EQ(images.pixels[6], 255);
        EXPECT_EQ(images.sha256, sha256Hex(bytes));
    }
    EXPECT_THAT(readIdxLabels(folder.write("labels", idx(8, {3}, "\1\2\3"))).labels, ElementsAre(1, 2, 3));
}

TEST(Idx, MalformedFilesSayWhatIsWrong) {
    const TempFolder folder;
    const auto images = [&](const std::string& bytes) {
        return invalidInput([&] { readIdxImages(folder.write("f", bytes)); });
    };
    EXPECT_THAT(images("no idx file"), HasSubstr("not an IDX file: it begins with 0x6E6F2069"));
    EXPECT_THAT(images(""), HasSubstr("0 bytes are too few for an IDX header"));
    EXPECT_THAT(images(idx(13, {1, 1, 1}, "abcd")), HasSubstr("unsupported value type 0x0D"));
    EXPECT_THAT(images(idx(8, {3}, "abc")), HasSubstr("is this the file of the labels?"));
    EXPECT_THAT(images(idx(8, {2, 2, 2}, "abc")),
                HasSubstr("end of file after 3 of the 8 values that the header declares (2 × 2 × 2)"));
    EXPECT_THAT(images(idx(8, {1, 2, 2}, "abcde")), HasSubstr("more than the 4 values"));
    EXPECT_THAT(images(idx(8, {0, 2, 2}, "")), HasSubstr("no images"));
    const std::string huge = std::string("\0\0\x08\x03", 4) + std::string(12, '\xFF');
    EXPECT_THAT(images(huge), HasSubstr("more than 2³¹"));
    EXPECT_THAT(invalidInput([&] {
                    readIdxLabels(folder.write("f", idx(8, {1, 1, 1}, "a")));
                }),
                HasSubstr("is this the file of the images?"));
}

class Vectors : public ::testing::Test {
protected:
    WordVectors read(const std::string& bytes, const ReadVectorsOptions& options = {}) {
        return readWordVectors(folder_.write("v", bytes), options);
    }
    std::string errorOf(const std::string& bytes) {
        return invalidInput([&] { read(bytes); });
    }
    static std::string binary(const std::vector<std::pair<std::string, std::vector<float>>>& rows, const std::string& end) {
        std::string bytes = std::to_string(rows.size()) + " " + std::to_string(rows[0].second.size()) + "\n";
        for (const auto& [word, values] : rows) {
            bytes += word + " ";
            bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
            bytes += end;
        }
        return bytes;
    }
    TempFolder folder_;
};

TEST_F(Vectors, Word2vecTextWithTrailingSpaces) {
    const WordVectors v = read("2 3\n</s> 0.5 -1 1e-3 \n月 1 2 3\n");
    EXPECT_THAT(v.words, ElementsAre("</s>", "月"));
    EXPECT_EQ(v.dim, 3);
    EXPECT_THAT(v.values, ElementsAre(0.5F, -1.F, 1e-3F, 1.F, 2.F, 3.F));
    EXPECT_EQ(v.sha256, sha256Hex("2 3\n</s> 0.5 -1 1e-3 \n月 1 2 3\n"));
    EXPECT_EQ(readWordVectors(folder_.writeGzip("v.gz", "1 1\na 2\n")).values.at(0), 2.F);
}

TEST_F(Vectors, GloveHasNoHeaderAndWordsMayContainSpaces) {
    const WordVectors v = read("the 0.418 0.24968\n. . . -0.1 0.25\nweb 2.0 1.5 2.5\n2003 0.125 0.5\n");
    EXPECT_THAT(v.words, ElementsAre("the", ". . .", "web 2.0", "2003"));
    EXPECT_EQ(v.dim, 2);
    EXPECT_THAT(v.notes, Contains(HasSubstr("2 words contain spaces")));
}

TEST_F(Vectors, BinaryWithAndWithoutLineEnds) {
    for (const char* const end : {"\n", ""}) {
        const WordVectors v = read(binary({{"a", {0.F, -2.5F}}, {"ö", {1e-40F, 3.F}}}, end));
        EXPECT_THAT(v.words, ElementsAre("a", "ö"));
        EXPECT_THAT(v.values, ElementsAre(0.F, -2.5F, 1e-40F, 3.F));
    }
    EXPECT_EQ(vectorLayoutOf(folder_.write("b", binary({{"a", {0.F}}}, ""))), VectorLayout::Binary);
}

TEST_F(Vectors, WhatIsWrittenIsReadBackBitForBit) {
    WordVectors v;
    v.words = {"a", "two words", "月"};
    v.dim = 2;
    v.values = {0.1F, -1e-38F, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max(), 1.F / 3, -0.F};
    writeWordVectors(folder_.file("w.vec"), v);
    const WordVectors back = readWordVectors(folder_.file("w.vec"));
    EXPECT_EQ(back.words, v.words);
    ASSERT_EQ(back.values.size(), v.values.size());
    EXPECT_EQ(std::memcmp(back.values.data(), v.values.data(), v.values.size() * sizeof(float)), 0);
    v.words[1] = "line\nend";
    EXPECT_THAT(invalidInput([&] { writeWordVectors(folder_.file("x.vec"), v); }),
                HasSubstr("\"line\\x0Aend\" cannot be written"));
}

TEST_F(Vectors, MalformedRowsNameLineAndColumn) {
    EXPECT_THAT(errorOf("2 2\na 1 2\nb 1\n"), HasSubstr("2 columns instead of a word and 2 numbers: \"b 1\""));
    EXPECT_THAT(errorOf("2 2\na 1 2\nb 1.2345 1 2\n"), HasSubstr("more than 2 numbers: \"1.2345 1 2\""));
    EXPECT_THAT(errorOf("2 2\na 1 2\nü nan 2\n"),
                HasSubstr("value 1 is not a finite number: \"nan 2\" (" + folder_.file("v") + ", line 3, column 3)"));
    EXPECT_THAT(errorOf("1 2\na 1 x\n"), HasSubstr("value 2 is not a finite number"));
    EXPECT_THAT(errorOf("1 1\na 1e99\n"), HasSubstr("value 1 is not a finite number"));
    EXPECT_THAT(errorOf("2 1\na 1\na 2\n"), HasSubstr("the word \"a\" appears twice"));
    EXPECT_THAT(errorOf("3 1\na 1\nb 2\n"), HasSubstr("2 rows instead of the 3 that the header declares"));
    EXPECT_THAT(errorOf("1 1\na 1\nb 2\n"), HasSubstr("2 rows instead of the 1 that the header declares"));
    EXPECT_THAT(errorOf("1 1\n a 1\n"), HasSubstr("begins with a space"));
    EXPECT_THAT(errorOf("999999999 65000\na 1\n"), HasSubstr("2 columns instead of"));
    EXPECT_THAT(errorOf("just text\n"), HasSubstr("not a word2vec or GloVe file: \"just text\""));
    EXPECT_THAT(errorOf(""), HasSubstr("not a word2vec or GloVe file"));
    EXPECT_EQ(read("1 1\na 1e-60\n").values.at(0), 0.F);
}

TEST_F(Vectors, MalformedBinary) {
    const std::string whole = binary({{"a", {0.F, 1.F}}, {"b", {2.F, 3.F}}}, "\n");
    EXPECT_THAT(errorOf(whole.substr(0, whole.size() - 4)), HasSubstr("unexpected end of file in row 2 of 2"));
    EXPECT_THAT(errorOf(whole + "c"), HasSubstr("more than the 2 rows"));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(errorOf(binary({{"a", {0.F, nan}}}, "")), HasSubstr("value 2 of \"a\" is not a finite number"));
    EXPECT_THAT(errorOf(binary({{"a", {0.F}}, {"a", {1.F}}}, "")),
                HasSubstr("appears twice (" + folder_.file("v") + ", row 2)"));
    EXPECT_THAT(errorOf(binary({{"\xFF", {0.F}}}, "")), HasSubstr("the word \"\\xFF\" is not UTF-8"));
}

TEST_F(Vectors, BadRowsAreSkippedAndUnwantedOnesNotKept) {
    ReadVectorsOptions options;
    options.onBadRow = OnBadLine::Skip;
    const WordVectors v = read("4 1\na 1\na 2\nb inf\nc 3\n", options);
    EXPECT_THAT(v.words, ElementsAre("a", "c"));
    EXPECT_EQ(v.skipped, 2);
    EXPECT_EQ(v.rows, 4);
    options = {};
    options.wanted = [](const std::string& word) { return word == "c"; };
    EXPECT_THAT(read("3 1\na 1\nb 2\nc 3\n", options).values, ElementsAre(3.F));
}

}  // namespace
}  // namespace heddle
