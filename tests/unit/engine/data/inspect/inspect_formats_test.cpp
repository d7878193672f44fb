// SPDX-License-Identifier: Apache-2.0
#include "engine/base/unicode.h"
#include "engine/data/inspect/inspect.h"
#include "engine/data/readers/recognise.h"
#include "tests/unit/engine/data/example_fixtures.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing_support::exampleFixtures;
using testing_support::invalidInput;
using testing_support::TempFolder;

std::string writeAt(const TempFolder& folder, const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(std::filesystem::path(folder.file(name)).parent_path());
    return folder.write(name, bytes);
}

TEST(Recognise, EveryFixtureByItsContentsAndName) {
    const TempFolder folder;
    for (const auto& fixture : exampleFixtures())
        EXPECT_EQ(recogniseFormat(writeAt(folder, fixture.name, fixture.bytes)).id, fixture.format) << fixture.name;
    EXPECT_EQ(recogniseFormat(folder.write("i", std::string("\0\0\x08\x01\0\0\0\x01x", 9))).id, "idx");
    EXPECT_EQ(recogniseFormat(folder.writeGzip("v.gz", "1 2\na 0.5 1\n")).id, "vectors");
    EXPECT_EQ(recogniseFormat(folder.write("g", "the 1 2 3 4 5 6 7 8 9 10\nof 1 2 3 4 5 6 7 8 9 10\n")).id, "vectors");
    EXPECT_EQ(recogniseFormat(folder.write("w", " \n = A = \n")).id, "wikitext");
    EXPECT_EQ(recogniseFormat(folder.write("s", "<srcset>\n<seg id=\"1\">a</seg>\n")).id, "sgm");
    EXPECT_EQ(recogniseFormat(folder.write("labels.json", "{\"label\": \"100\", \"label_desc\": \"news_story\"}\n")).id,
              "text");
    for (const char* const text : {"", "a b c\n", "two columns\there\n", "1984 was a year\n2 3 4\n", "I said O\nand O\n"})
        EXPECT_EQ(recogniseFormat(folder.write("plain.en", text)).id, "text") << text;
}

TEST(InspectFormats, ClassesBalanceRepetitionsAndTotals) {
    const TempFolder folder;
    const std::string train = folder.write("train.tsv", "a b\tyes\nc\tyes\na b\tno\nd\tyes\n"),
                      dev = folder.write("dev.tsv", "a b\tno\ne\tno\n");
    const DataReport found = inspectFiles({train, dev}, {"whitespace", false, 1});
    const Json report = inspectDocument(found);
    const Json& file = report.at("files").at(0);
    EXPECT_EQ(file.at("format"), "tsv");
    EXPECT_EQ(file.at("examples"), 4);
    EXPECT_EQ(file.at("duplicate_examples"), 1);
    EXPECT_EQ(file.at("contradicting_labels"), 1);
    EXPECT_EQ(file.at("labels").at("majority"), "yes");
    EXPECT_DOUBLE_EQ(file.at("labels").at("majority_rate").get<double>(), 0.75);
    EXPECT_EQ(file.at("labels").at("classes").at(0), Json::parse(R"({"label":"no","count":1,"share":0.25})"));
    EXPECT_EQ(file.at("sides").at(0).at("words"), 6);
    EXPECT_EQ(report.at("splits").at(0).at("lines_of_b_in_a"), 1);
    EXPECT_EQ(report.at("splits").at(0).at("words_of_b_unknown_in_a"), 1);
    EXPECT_EQ(report.at("totals").at(0),
              Json::parse(R"({"format":"tsv","files":2,"examples":6,"skipped":0,"words":9,"word_types":5,
                              "characters":{"total":12,"distinct":6}})"));
    const std::string text = inspectText(found);
    EXPECT_THAT(text, HasSubstr("format tsv (own data: text TAB label), recognised by its two columns"));
    EXPECT_THAT(text, HasSubstr("4 examples, 1 repeated, 1 of them with another label"));
    EXPECT_THAT(text, HasSubstr("majority class yes: 75.00 %"));
    EXPECT_THAT(text, HasSubstr("6 examples, 12 characters (6 different), 9 words (5 types)"));
}

TEST(InspectFormats, EveryFixtureIsToldInLinesOf120Columns) {
    const TempFolder folder;
    for (const auto& fixture : exampleFixtures()) {
        SCOPED_TRACE(fixture.name);
        const std::string path = writeAt(folder, fixture.name, fixture.bytes);
        const DataReport found = inspectFiles({path}, {});
        const Json report = inspectDocument(found);
        const Json& file = report.at("files").at(0);
        EXPECT_EQ(file.at("examples"), fixture.examples);
        EXPECT_EQ(file.at("split"), fixture.format.starts_with("clue/") ? "characters" : "whitespace");
        std::istringstream lines(inspectText(found));
        for (std::string line; std::getline(lines, line);) EXPECT_LE(countCodePoints(line), 120) << line;
    }
}

TEST(InspectFormats, TagsSpansAndScores) {
    const TempFolder folder;
    const auto fixture = [&](const std::string& name) {
        const auto found =
            std::find_if(exampleFixtures().begin(), exampleFixtures().end(), [&](const auto& f) { return f.name == name; });
        return inspectDocument(inspectFiles({writeAt(folder, name, found->bytes)}, {})).at("files").at(0);
    };
    EXPECT_EQ(fixture("eng.train").at("spans"), Json::parse(R"([{"type":"MISC","count":1},{"type":"ORG","count":3}])"));
    EXPECT_EQ(fixture("dev-v2.0.json").at("unanswered"), 1);
    EXPECT_DOUBLE_EQ(fixture("STS-B/train.tsv").at("scores").at("mean").get<double>(), 2.4);
    EXPECT_TRUE(fixture("SST-2/test.tsv").at("labels").is_null());
}

TEST(InspectFormats, ImagesLabelsAndVectors) {
    const TempFolder folder;
    const std::string images = folder.write("t-images", std::string("\0\0\x08\x03\0\0\0\2\0\0\0\1\0\0\0\2\0\xFF\0\xFF", 20)),
                      labels = folder.write("t-labels", std::string("\0\0\x08\x01\0\0\0\2\7\7", 10)),
                      vectors = folder.write("v.vec", "2 2\na 3 4\nb 0 1\n");
    const DataReport found = inspectFiles({images, labels, vectors}, {});
    const Json report = inspectDocument(found);
    EXPECT_EQ(report.at("files").at(0).at("duplicate_examples"), 1);
    EXPECT_DOUBLE_EQ(report.at("files").at(0).at("pixels").at("mean").get<double>(), 0.5);
    EXPECT_EQ(report.at("files").at(1).at("labels").at("majority"), "7");
    EXPECT_EQ(report.at("files").at(2).at("norm").at("max"), 5.0);
    EXPECT_EQ(report.at("files").at(2).at("longest").at(1).at("word"), "a");
    EXPECT_EQ(report.at("pairs").at(0).at("images"), 2);
    const std::string text = inspectText(found);
    EXPECT_THAT(text, HasSubstr("2 images of 1 × 2 pixels, 1 repeated"));
    EXPECT_THAT(text, HasSubstr("2 images, each with a label"));
    EXPECT_THAT(text, HasSubstr("2 words, 2 numbers each (word2vec text)"));
    const std::string other = folder.write("t-labels", std::string("\0\0\x08\x01\0\0\0\1\7", 9));
    EXPECT_THAT(inspectText(inspectFiles({other, images}, {})), HasSubstr("there are 2 images and 1 labels"));
}

TEST(InspectFormats, SgmPairsAreFoundByTheirNames) {
    const TempFolder folder;
    const DataReport found = inspectFiles(
        {folder.write("newstest2014-deen-src.de.sgm", "<srcset>\n<seg id=\"1\">Ja &amp; nein</seg>\n"),
         folder.write("newstest2014-deen-ref.en.sgm", "<refset>\n<seg id=\"1\">yes</seg>\n"), folder.write("c", "x\n")},
        {});
    const Json report = inspectDocument(found);
    ASSERT_EQ(report.at("pairs").size(), 1U);
    EXPECT_EQ(report.at("pairs").at(0).at("lines"), 1);
    EXPECT_EQ(report.at("files").at(0).at("words"), 3);
}

TEST(InspectFormats, FormatAndBadLinesAsAsked) {
    const TempFolder folder;
    const std::string path = folder.write("mine.txt", "a\tx\nbad\nb\ty\n");
    InspectOptions options;
    options.format = "tsv";
    EXPECT_THAT(invalidInput([&] { inspectFiles({path}, options); }), HasSubstr("line 2, column 1"));
    options.onBadLine = OnBadLine::Skip;
    const Json file = inspectDocument(inspectFiles({path}, options)).at("files").at(0);
    EXPECT_EQ(file.at("skipped"), 1);
    EXPECT_EQ(file.at("recognised_by"), "--format");
    EXPECT_THAT(file.at("notes"), Contains(HasSubstr("left out: 1 columns")));
    options.format = "tsvv";
    EXPECT_THAT(invalidInput([&] { inspectFiles({path}, options); }), HasSubstr("did you mean \"tsv\"?"));
}

}  // namespace
}  // namespace heddle
