// SPDX-License-Identifier: Apache-2.0
#include "engine/data/inspect/inspect.h"

#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::HasSubstr;
using testing_support::TempFolder;

TEST(Inspect, TellsAllOfOneFile) {
    const TempFolder folder;
    const DataReport found = inspectFiles({folder.write("a.en", "a b a\n\nc a\na b a\nÄ b c d e\n")}, {});
    const Json report = inspectDocument(found);
    const Json& file = report.at("files").at(0);
    EXPECT_EQ(report.at("schema"), "heddle.data/1");
    EXPECT_EQ(file.at("lines"), 5);
    EXPECT_EQ(file.at("empty_lines"), 1);
    EXPECT_EQ(file.at("duplicate_lines"), 1);
    EXPECT_EQ(file.at("words"), 13);
    EXPECT_EQ(file.at("length"), Json::parse(R"({"min":0,"median":3,"mean":2.6,"p95":5,"max":5})"));
    EXPECT_EQ(file.at("vocabulary").at("types"), 6);
    EXPECT_EQ(file.at("vocabulary").at("once"), 3);
    EXPECT_EQ(file.at("vocabulary").at("kept"), 3);
    EXPECT_DOUBLE_EQ(file.at("vocabulary").at("coverage").get<double>(), 10.0 / 13);
    EXPECT_EQ(file.at("characters"), Json::parse(R"({"total":22,"distinct":7,"not_ascii":1})"));
    EXPECT_EQ(file.at("frequent").at(0), Json::parse(R"({"word":"a","count":5})"));
    EXPECT_EQ(file.at("longest").at(0), Json::parse(R"({"line":5,"words":5,"text":"Ä b c d e"})"));
    std::int64_t inBins = 0;
    for (const Json& bin : file.at("histogram")) inBins += bin.at("lines").get<std::int64_t>();
    EXPECT_EQ(inBins, 5);
}

/// What `heddle data inspect` and the studio's preview read.
TEST(Inspect, AGzipBombOfOneDocumentIsRefused) {
    const TempFolder folder;
    std::string document = R"({"data":[{"paragraphs":[]})";
    for (int i = 0; i < 1'200'000; ++i) document += ",{}";
    const std::string bomb = folder.writeGzip("bomb.json.gz", document + "]}");
    EXPECT_THAT(testing_support::invalidInput([&] { inspectFiles({bomb}, {}); }), HasSubstr("values, which is implausible"));
}

TEST(Inspect, PairsAndSplitsAreFoundByName) {
    const TempFolder folder;
    const DataReport found =
        inspectFiles({folder.write("train.en", "a b\nc\na b\n"), folder.write("train.de", "A B B\nc\nA B B\n"),
                      folder.write("valid.en", "a b\nnew word\n"), folder.write("valid.de", "A\n")},
                     {"whitespace", false, 1, 5, 1});
    const Json report = inspectDocument(found);
    ASSERT_EQ(report.at("pairs").size(), 2U);
    const Json& train = report.at("pairs").at(0);
    EXPECT_EQ(train.at("duplicate_pairs"), 1);
    EXPECT_EQ(train.at("equal_lines"), 1);
    EXPECT_DOUBLE_EQ(train.at("length_ratio").get<double>(), 7.0 / 5);
    EXPECT_EQ(report.at("pairs").at(1).at("problem"), "the source has 2 lines, the target 1");
    ASSERT_EQ(report.at("splits").size(), 2U);
    EXPECT_EQ(report.at("splits").at(0).at("lines_of_b_in_a"), 1);
    EXPECT_EQ(report.at("splits").at(0).at("words_of_b_unknown_in_a"), 2);

    const std::string text = inspectText(found);
    EXPECT_THAT(text, HasSubstr("3 pairs (1 repeated, 1 equal on both sides), 1.40 target words for a source word"));
    EXPECT_THAT(text, HasSubstr("DO NOT MATCH: the source has 2 lines, the target 1"));
    EXPECT_THAT(text, HasSubstr("1 lines occur there too; 2 running words are not in its vocabulary"));
}

TEST(Inspect, TwoFilesOfEqualLengthAreAPair) {
    const TempFolder folder;
    const DataReport found = inspectFiles({folder.write("from.txt", "a\nb\n"), folder.write("to.txt", "A\nB\n")}, {});
    const Json report = inspectDocument(found);
    EXPECT_EQ(report.at("pairs").size(), 1U);
    EXPECT_EQ(report.at("splits").size(), 0U);
}

TEST(Inspect, EmptyFileAndControlCharacters) {
    const TempFolder folder;
    const std::string text = inspectText(
        inspectFiles({folder.write("empty", ""), folder.write("odd", "a\x1B[31m b\n"), folder.write("blank", "\n")}, {}));
    EXPECT_THAT(text, HasSubstr("0 lines"));
    EXPECT_EQ(text.find('\x1B'), std::string::npos);
}

}  // namespace
}  // namespace heddle
