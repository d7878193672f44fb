// SPDX-License-Identifier: Apache-2.0
// Users' own tables: columns by name, by place, recognised; what is told and what is refused.
#include "engine/data/inspect/inspect.h"
#include "engine/data/readers/examples.h"
#include "engine/data/readers/recognise.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::invalidInput;
using testing::TempFolder;

class Table : public ::testing::Test {
protected:
    ExampleFile read(const std::string& format, const std::string& bytes, const ColumnNames& columns = {},
                     LabelKind labels = LabelKind::AsFormat) const {
        return readExamples(folder_.write("table", bytes), {format, OnBadLine::Stop, {}, columns, labels});
    }
    std::string refused(const std::string& format, const std::string& bytes, const ColumnNames& columns = {},
                        LabelKind labels = LabelKind::AsFormat) const {
        return invalidInput([&] { read(format, bytes, columns, labels); });
    }

    TempFolder folder_;
};

TEST_F(Table, AHeaderSaysWhichColumnIsWhich) {
    for (const char* bytes : {"label\ttext\nyes\tgood film\n", "sentence\tcategory\ngood film\tyes\n",
                              "id\tReview\tdate\tSentiment\n7\tgood film\t2020\tyes\n", "anything\tlabel\ngood film\tyes\n"}) {
        const ExampleFile file = read("tsv", bytes);
        ASSERT_EQ(file.examples.size(), 1U) << bytes;
        EXPECT_EQ(file.examples[0].first, "good film") << bytes;
        EXPECT_EQ(file.examples[0].label, "yes") << bytes;
        EXPECT_THAT(file.notes, Contains(HasSubstr("line 1 names the columns and is no example: text from column"))) << bytes;
    }
    const ExampleFile pairs = read("tsv/pairs", "score\tsentence1\tsentence2\n3\ta b\tc d\n");
    EXPECT_EQ(pairs.examples.at(0).first, "a b");
    EXPECT_EQ(pairs.examples.at(0).second, "c d");
    EXPECT_EQ(pairs.examples.at(0).label, "3");
}

TEST_F(Table, ColumnsAreNamedByTheUser) {
    const char* bytes = "id\tbody\tother\tkind\n1\tgood film\tindeed\tyes\n";
    const ExampleFile file = read("tsv", bytes, {"body", "", "kind"});
    EXPECT_EQ(file.examples.at(0).first, "good film");
    EXPECT_EQ(file.examples.at(0).label, "yes");
    const ExampleFile pairs = read("tsv", bytes, {"body", "other", "kind"});
    EXPECT_EQ(pairs.examples.at(0).second, "indeed");
    const ExampleFile numbered = read("tsv", "yes\tgood film\nno\tbad film\n", {"2", "", "1"});
    ASSERT_EQ(numbered.examples.size(), 2U);
    EXPECT_EQ(numbered.examples[0].first, "good film");
    EXPECT_THAT(refused("tsv", bytes, {"txt", "", "kind"}), HasSubstr("has no column \"txt\""));
    EXPECT_THAT(refused("tsv", bytes, {"txt", "", "kind"}), HasSubstr("id, body, other, kind"));
}

TEST_F(Table, WrongGuessesAreRefused) {
    std::string swapped, named = "opinion\tverdict\n";
    for (int i = 0; i < 40; ++i) {
        swapped += std::string(i % 2 == 0 ? "yes" : "no") + "\tfilm " + std::to_string(i) + "\n";
        named += "film " + std::to_string(i) + (i % 2 == 0 ? "\tyes\n" : "\tno\n");
    }
    EXPECT_THAT(refused("tsv", swapped), HasSubstr("40 different labels in 40 examples: that is no class"));
    std::string few;
    for (int i = 0; i < 40; ++i) few += std::string(i % 2 == 0 ? "yes" : "no") + "\tfilm " + std::to_string(i % 6) + "\n";
    EXPECT_THAT(refused("tsv", few), HasSubstr("6 different labels for 2 different texts"));
    EXPECT_THAT(refused("tsv", named), HasSubstr("line 1 looks like the names of columns: its label \"verdict\""));
    EXPECT_EQ(read("tsv", named, {"opinion", "", "verdict"}).examples.size(), 40U);
    EXPECT_EQ(read("tsv", swapped, {"2", "", "1"}).examples.size(), 40U);
    EXPECT_THAT(refused("tsv", "text\tsomething\na\tb\n"), HasSubstr("line 1 names a text but no label"));
    EXPECT_THAT(refused("tsv", "sentence1\tsentence2\tlabel\na\tb\tc\n"), HasSubstr("set data.format to tsv/pairs"));
}

TEST_F(Table, CsvIsReadAsTheStandardHasIt) {
    const ExampleFile file = read("csv", "text,label\n\"a, \"\"b\"\"\n\nc\",yes\nplain,no\n");
    ASSERT_EQ(file.examples.size(), 2U);
    EXPECT_EQ(file.examples[0].first, "a, \"b\"  c") << "line ends in a cell become spaces";
    EXPECT_EQ(file.examples[1].label, "no");
    EXPECT_EQ(read("csv", "text;label\na,b;yes\n").examples.at(0).first, "a,b");
    EXPECT_THAT(refused("csv", "text,label\n\"a,yes\n"), HasSubstr("a quoted cell does not end"));
    EXPECT_THAT(refused("csv", "text,label\na,b,yes\n"), HasSubstr("quote cells that contain commas"));
}

TEST_F(Table, JsonLinesHaveKeys) {
    const ExampleFile file = read("jsonl", "{\"id\": 1, \"text\": \"a\", \"label\": true}\n{\"text\": \"b\", \"label\": 0}\n");
    EXPECT_EQ(file.examples.at(0).label, "true");
    EXPECT_EQ(file.examples.at(1).label, "0");
    EXPECT_EQ(read("jsonl", "{\"q\": \"a\", \"k\": \"x\"}\n", {"q", "", "k"}).examples.at(0).label, "x");
    EXPECT_EQ(read("jsonl", "{\"text\": \"a\"}\n").examples.at(0).label, "") << "a file without labels";
    EXPECT_THAT(refused("jsonl", "{\"q\": \"a\"}\n"), HasSubstr("no key is known to hold the text"));
    EXPECT_THAT(refused("jsonl", "{\"text\": \"a\"}\n", {"", "", "k"}), HasSubstr("has no key \"k\""));
    EXPECT_THAT(refused("jsonl/pairs", "{\"text\": \"a\", \"label\": 1}\n"), HasSubstr("set data.columns.second"));
}

TEST_F(Table, NumbersAreLabelsOfARegression) {
    EXPECT_EQ(read("tsv", "a\t0.5\nb\t-3\n", {}, LabelKind::Numbers).examples.at(1).label, "-3");
    EXPECT_EQ(read("csv", "text,stars\na,4.5\n", {}, LabelKind::Numbers).examples.at(0).label, "4.5");
    EXPECT_THAT(refused("tsv", "a\tgood\n", {}, LabelKind::Numbers), HasSubstr("\"good\" is no number"));
    EXPECT_THAT(refused("tsv", "a\tnan\n", {}, LabelKind::Numbers), HasSubstr("\"nan\" is no number"));
}

TEST_F(Table, FormatsAreRecognised) {
    EXPECT_EQ(recogniseFormat(folder_.write("a.csv", "text,label\na,b\n")).id, "csv");
    EXPECT_EQ(recogniseFormat(folder_.write("b.csv", "label,sentence1,sentence2\na,b,c\n")).id, "csv/pairs");
    EXPECT_EQ(recogniseFormat(folder_.write("c.tsv", "id\ttext\tlabel\n1\ta\tb\n")).id, "tsv");
    EXPECT_EQ(recogniseFormat(folder_.write("d.jsonl", "{\"text\":\"a\",\"label\":1}\n")).id, "jsonl");
    const Json report =
        inspectFiles({folder_.write("e.tsv", "kind\tbody\nyes\ta\n")}, {.format = "tsv", .columns = {"body", "", "kind"}});
    EXPECT_EQ(report.at("files")[0].at("examples"), 1);
}

}  // namespace
}  // namespace heddle
