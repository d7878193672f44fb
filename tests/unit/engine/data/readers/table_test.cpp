// SPDX-License-Identifier: Apache-2.0
// Users' own tables: columns by name, by place, recognised; what is told and what is refused.
#include "engine/data/inspect/inspect.h"
#include "engine/data/readers/examples.h"
#include "engine/data/readers/recognise.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing_support::invalidInput;
using testing_support::TempFolder;

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
    EXPECT_THAT(refused("tsv", bytes, {"txt", "", "kind"}), HasSubstr("unknown column \"txt\""));
    EXPECT_THAT(refused("tsv", bytes, {"txt", "", "kind"}), HasSubstr("id, body, other, kind"));
}

TEST_F(Table, WrongGuessesAreRefused) {
    std::string swapped, named = "opinion\tverdict\n";
    for (int i = 0; i < 40; ++i) {
        swapped += std::string(i % 2 == 0 ? "yes" : "no") + "\tfilm " + std::to_string(i) + "\n";
        named += "film " + std::to_string(i) + (i % 2 == 0 ? "\tyes\n" : "\tno\n");
    }
    EXPECT_THAT(refused("tsv", swapped), HasSubstr("40 different labels in 40 examples are too many for classes"));
    std::string few;
    for (int i = 0; i < 40; ++i) few += std::string(i % 2 == 0 ? "yes" : "no") + "\tfilm " + std::to_string(i % 6) + "\n";
    EXPECT_THAT(refused("tsv", few), HasSubstr("6 different labels for 2 different texts"));
    EXPECT_THAT(refused("tsv", named), HasSubstr("line 1 looks like the names of columns: its label \"verdict\""));
    EXPECT_EQ(read("tsv", named, {"opinion", "", "verdict"}).examples.size(), 40U);
    EXPECT_EQ(read("tsv", swapped, {"2", "", "1"}).examples.size(), 40U);
    EXPECT_THAT(refused("tsv", "text\tsomething\na\tb\n"),
                HasSubstr("line 1 contains the name of a text column but of no label column"));
    EXPECT_THAT(refused("tsv", "sentence1\tsentence2\tlabel\na\tb\tc\n"), HasSubstr("set data.format to tsv/pairs"));
}

TEST_F(Table, CsvIsReadAsTheStandardHasIt) {
    const ExampleFile file = read("csv", "text,label\n\"a, \"\"b\"\"\n\nc\",yes\nplain,no\n");
    ASSERT_EQ(file.examples.size(), 2U);
    EXPECT_EQ(file.examples[0].first, "a, \"b\"  c") << "line ends in a cell become spaces";
    EXPECT_EQ(file.examples[1].label, "no");
    EXPECT_EQ(read("csv", "text;label\na,b;yes\n").examples.at(0).first, "a,b");
    EXPECT_THAT(refused("csv", "text,label\n\"a,yes\n"), HasSubstr("unclosed quotation mark"));
    EXPECT_THAT(refused("csv", "text,label\na,b,yes\n"), HasSubstr("quote cells that contain commas"));
}

TEST_F(Table, JsonLinesHaveKeys) {
    const ExampleFile file = read("jsonl", "{\"id\": 1, \"text\": \"a\", \"label\": true}\n{\"text\": \"b\", \"label\": 0}\n");
    EXPECT_EQ(file.examples.at(0).label, "true");
    EXPECT_EQ(file.examples.at(1).label, "0");
    EXPECT_EQ(read("jsonl", "{\"q\": \"a\", \"k\": \"x\"}\n", {"q", "", "k"}).examples.at(0).label, "x");
    EXPECT_EQ(read("jsonl", "{\"text\": \"a\"}\n").examples.at(0).label, "") << "a file without labels";
    EXPECT_THAT(refused("jsonl", "{\"q\": \"a\"}\n"), HasSubstr("unknown key for the text"));
    EXPECT_THAT(refused("jsonl", "{\"text\": \"a\"}\n", {"", "", "k"}), HasSubstr("no key \"k\""));
    EXPECT_THAT(refused("jsonl/pairs", "{\"text\": \"a\", \"label\": 1}\n"), HasSubstr("set data.columns.second"));
}

TEST_F(Table, NumbersAreLabelsOfARegression) {
    EXPECT_EQ(read("tsv", "a\t0.5\nb\t-3\n", {}, LabelKind::Numbers).examples.at(1).label, "-3");
    EXPECT_EQ(read("csv", "text,stars\na,4.5\n", {}, LabelKind::Numbers).examples.at(0).label, "4.5");
    EXPECT_THAT(refused("tsv", "a\tgood\n", {}, LabelKind::Numbers), HasSubstr("\"good\" is not a number"));
    EXPECT_THAT(refused("tsv", "a\tnan\n", {}, LabelKind::Numbers), HasSubstr("\"nan\" is not a number"));
}

TEST_F(Table, AWrongCellIsNamedByItsColumn) {
    EXPECT_THAT(refused("tsv", "ab\tgood\tmore\n", {"1", "", "2"}, LabelKind::Numbers), HasSubstr("line 1, column 4"));
    EXPECT_THAT(refused("csv", "stars,text\n\"é\",ab\n", {}, LabelKind::Numbers), HasSubstr("line 2, column 1"));
    EXPECT_THAT(refused("csv", "text,stars,more\n\"a,b\",good,x\n", {}, LabelKind::Numbers), HasSubstr("line 2, column 7"));
    EXPECT_THAT(refused("csv", "text,stars\n\"a\nb\",good\n", {}, LabelKind::Numbers), HasSubstr("line 3, column 4"));
}

TEST_F(Table, NumbersThatAFloatDoesNotHoldAreRefused) {
    EXPECT_THAT(refused("tsv", "a\t-1e39\n", {}, LabelKind::Numbers), HasSubstr("\"-1e39\" is not a number"));
}

TEST_F(Table, ExcelsFirstLineNamesTheSeparator) {
    for (const char* bytes : {"sep=;\ntext;label\ngood, or not;yes\n", "SEP=|\ntext|label\ngood, or not|yes\n",
                              "\"sep=,\"\ntext,label\n\"good, or not\",yes\n", "sep=\t\ntext\tlabel\ngood, or not\tyes\n"}) {
        const ExampleFile file = read("csv", bytes);
        ASSERT_EQ(file.examples.size(), 1U) << bytes;
        EXPECT_EQ(file.examples[0].first + "|" + file.examples[0].label, "good, or not|yes");
        EXPECT_THAT(file.notes, Contains(HasSubstr("names the separator of the cells and is no row")));
        EXPECT_EQ(recogniseFormat(folder_.write("excel.csv", bytes)).id, "csv") << bytes;
    }
    EXPECT_THAT(refused("tsv", "sep=;\na;b\n"), HasSubstr("set data.format to csv"));
    EXPECT_EQ(read("csv", "sep=a,b\nx,y\n").examples.size(), 2U) << "no separator is named";
}

// Exports of GLUE's tasks have the columns of everybody's own pairs.
TEST_F(Table, OnlyANameMakesPairsAPublishersTask) {
    const auto of = [&](const std::string& name, const std::string& bytes) {
        std::filesystem::create_directories(std::filesystem::path(folder_.file(name)).parent_path());
        return recogniseFormat(folder_.write(name, bytes)).id;
    };
    EXPECT_EQ(of("x.tsv", "sentence1\tsentence2\tlabel\tidx\na\tb\t1\t0\n"), "tsv/pairs") << "MRPC, RTE, WNLI";
    EXPECT_EQ(of("x.tsv", "idx\tsentence1\tsentence2\tlabel\n0\ta\tb\t-1\n"), "tsv/pairs") << "a test split";
    EXPECT_EQ(of("x.tsv", "index\tsentence1\tsentence2\tlabel\n0\ta\tb\t1\n"), "tsv/pairs");
    EXPECT_EQ(of("x.tsv", "question1\tquestion2\tlabel\tidx\na\tb\t1\t0\n"), "tsv/pairs") << "QQP";
    EXPECT_EQ(of("x.tsv", "question\tsentence\tlabel\tidx\na\tb\t1\t0\n"), "tsv/pairs") << "QNLI";
    EXPECT_EQ(of("x.tsv", "sentence1\tsentence2\tscore\na\tb\t0.5\n"), "tsv/pairs");
    EXPECT_EQ(of("x.tsv", "sentence\tlabel\na\t1\n"), "tsv");
    EXPECT_EQ(of("x.jsonl", R"({"sentence1": "a", "sentence2": "b", "label": 1, "idx": 0})"
                            "\n"),
              "jsonl/pairs");
    EXPECT_EQ(of("sorted/x.tsv", "sentence1\tsentence2\tlabel\na\tb\t1\n"), "tsv/pairs") << "\"rte\" is part of a word";
    EXPECT_EQ(of("WNLI/dev.tsv", "index\tsentence1\tsentence2\tlabel\n0\ta\tb\t1\n"), "glue/wnli");
    const ExampleFile qnli = read("tsv/pairs", "question\tsentence\tlabel\tidx\nwho\the\t1\t0\n");
    EXPECT_EQ(qnli.examples.at(0).first + "|" + qnli.examples.at(0).second, "who|he");
}

TEST_F(Table, NumbersThatWereRoundedAreNoLabels) {
    EXPECT_EQ(read("jsonl", "{\"text\": \"a\", \"label\": 9007199254740993}\n").examples.at(0).label, "9007199254740993");
    EXPECT_THAT(refused("jsonl", "{\"text\": \"a\", \"label\": 123456789012345678901}\n"),
                HasSubstr("the number in field \"label\" has too many digits for a double"));
}

TEST_F(Table, LabelsThatSayTheSameAreOneClass) {
    const DataReport found = inspectFiles({folder_.write("l.csv", "text,label\na,1\nb,1.0\nc, 1\nd,0\n")}, {.format = "csv"});
    const Json report = inspectDocument(found);
    const Json& file = report.at("files")[0];
    EXPECT_EQ(file.at("labels").at("classes").size(), 2U);
    EXPECT_EQ(file.at("labels").at("classes")[1], Json::parse(R"({"label":"1","count":3,"share":0.75})"));
    EXPECT_THAT(file.at("notes").get<std::vector<std::string>>(),
                Contains(HasSubstr("the labels \" 1\" and \"1\" and \"1.0\" are one class, \"1\"")));
}

TEST_F(Table, FormatsAreRecognised) {
    EXPECT_EQ(recogniseFormat(folder_.write("a.csv", "text,label\na,b\n")).id, "csv");
    EXPECT_EQ(recogniseFormat(folder_.write("b.csv", "label,sentence1,sentence2\na,b,c\n")).id, "csv/pairs");
    EXPECT_EQ(recogniseFormat(folder_.write("c.tsv", "id\ttext\tlabel\n1\ta\tb\n")).id, "tsv");
    EXPECT_EQ(recogniseFormat(folder_.write("d.jsonl", "{\"text\":\"a\",\"label\":1}\n")).id, "jsonl");
    const DataReport found =
        inspectFiles({folder_.write("e.tsv", "kind\tbody\nyes\ta\n")}, {.format = "tsv", .columns = {"body", "", "kind"}});
    const Json report = inspectDocument(found);
    EXPECT_EQ(report.at("files")[0].at("examples"), 1);
}

}  // namespace
}  // namespace heddle
