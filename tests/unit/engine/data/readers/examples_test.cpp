// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/examples.h"

#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "tests/unit/engine/data/example_fixtures.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_support::ExampleFixture;
using testing_support::exampleFixtures;
using testing_support::invalidInput;
using testing_support::TempFolder;

class Examples : public ::testing::Test {
protected:
    ExampleFile read(const std::string& format, const std::string& bytes, OnBadLine onBadLine = OnBadLine::Stop) {
        return readExamples(folder_.write("file", bytes), {format, onBadLine, {}});
    }
    ExampleFile fixture(const std::string& name) {
        const auto found = std::find_if(exampleFixtures().begin(), exampleFixtures().end(),
                                        [&](const ExampleFixture& f) { return f.name == name; });
        return read(found->format, found->bytes);
    }
    std::string errorOf(const std::string& format, const std::string& bytes) {
        return invalidInput([&] { read(format, bytes); });
    }
    TempFolder folder_;
};

std::string withCarriageReturns(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return out;
}

bool equal(const ExampleFile& a, const ExampleFile& b) {
    return std::equal(a.examples.begin(), a.examples.end(), b.examples.begin(), b.examples.end(),
                      [](const Example& x, const Example& y) {
                          return x.id == y.id && x.first == y.first && x.second == y.second && x.label == y.label &&
                                 x.words == y.words && x.tags == y.tags && x.answers.size() == y.answers.size();
                      });
}

TEST(ExampleFormats, AreInOrderOfTheirIdsAndWhole) {
    const std::vector<ExampleFormat>& formats = exampleFormats();
    EXPECT_TRUE(std::is_sorted(formats.begin(), formats.end(), [](const auto& a, const auto& b) { return a.id < b.id; }));
    for (const ExampleFormat& format : formats) {
        EXPECT_FALSE(format.title.empty() || format.reference.empty() || format.metrics.empty()) << format.id;
        EXPECT_EQ(&exampleFormat(format.id), &format);
    }
    EXPECT_EQ(exampleFormat("clue/tnews").classes.size(), 15U);
    EXPECT_EQ(exampleFormat("clue/iflytek").classes.size(), 119U);
    EXPECT_THAT(exampleFormat("glue/mnli").classes, ElementsAre("entailment", "neutral", "contradiction"));
    EXPECT_THAT(invalidInput([] { exampleFormat("glue/mrcp"); }), HasSubstr("did you mean \"glue/mrpc\"?"));
}

TEST_F(Examples, EveryFormatIsReadPlainGzippedAndWithCarriageReturns) {
    for (const ExampleFixture& fixture : exampleFixtures()) {
        SCOPED_TRACE(fixture.name);
        const ExampleFile plain = read(fixture.format, fixture.bytes);
        EXPECT_EQ(plain.examples.size(), fixture.examples);
        EXPECT_EQ(plain.sha256, sha256Hex(fixture.bytes));
        const ExampleFile zipped = readExamples(folder_.writeGzip("file.gz", fixture.bytes), {fixture.format, {}, {}});
        EXPECT_TRUE(equal(plain, zipped));
        EXPECT_EQ(plain.sha256, zipped.sha256);
        EXPECT_TRUE(equal(plain, read(fixture.format, withCarriageReturns(fixture.bytes))));
        const bool marked = fixture.bytes.starts_with("\xEF\xBB\xBF");
        const ExampleFile withMark = read(fixture.format, marked ? fixture.bytes : "\xEF\xBB\xBF" + fixture.bytes);
        EXPECT_TRUE(equal(plain, withMark));
        EXPECT_THAT(withMark.notes, Contains(HasSubstr("byte order mark")));
        const ExampleFormat& format = exampleFormat(fixture.format);
        for (const Example& example : plain.examples) EXPECT_EQ(example.second.empty(), !format.pairs) << example.first;
    }
}

TEST_F(Examples, GlueColumnsAreThePublishersWithoutQuoting) {
    const ExampleFile cola = fixture("CoLA/train.tsv");
    EXPECT_EQ(cola.examples[1].first, "The boat \"sank the.");
    EXPECT_EQ(cola.examples[1].label, "0");
    const ExampleFile test = fixture("CoLA/test.tsv");
    EXPECT_EQ(test.examples[1].id, "1");
    EXPECT_EQ(test.examples[1].label, "");
    EXPECT_THAT(test.notes, Contains(HasSubstr("has no labels")));
    EXPECT_EQ(fixture("SST-2/train.tsv").examples[0].first, "a fine film ");
    const Example mrpc = fixture("MRPC/train.tsv").examples[0];
    EXPECT_EQ(mrpc.first + "|" + mrpc.second + "|" + mrpc.label, "He said \" no .|He denied it .|1");
    EXPECT_EQ(fixture("STS-B/train.tsv").examples[0].label, "4.800");
    const Example stsb = fixture("stsbenchmark/sts-train.csv").examples[0];
    EXPECT_EQ(stsb.first + "|" + stsb.second + "|" + stsb.label, "A plane.|An air plane.|5.000");
    EXPECT_EQ(fixture("AX/diagnostic-full.tsv").examples[0].label, "contradiction");
}

TEST_F(Examples, WithoutGoldLabelAndKnownBrokenLinesAreCounted) {
    for (const char* const name : {"MNLI/dev_matched.tsv", "snli_1.0_dev.jsonl", "snli_1.0_dev.txt", "cmnli/dev.json"}) {
        SCOPED_TRACE(name);
        const ExampleFile file = fixture(name);
        EXPECT_EQ(file.skipped, 1);
        EXPECT_THAT(file.notes, Contains(HasSubstr("1 examples without a gold label (\"-\") were left out")));
    }
    const ExampleFile qqp = fixture("QQP/train.tsv");
    EXPECT_EQ(qqp.skipped, 1);
    EXPECT_THAT(qqp.notes, Contains(HasSubstr("1 lines have too few columns")));
    EXPECT_EQ(qqp.examples[1].id, "9");
}

TEST_F(Examples, ClueAndSnliFields) {
    const Example news = fixture("tnews/train.json").examples[0];
    EXPECT_EQ(news.first + "|" + news.label, "江疏影自拍|102");
    EXPECT_EQ(fixture("tnews/test.json").examples[0].id, "0");
    const Example csl = fixture("csl/train.json").examples[0];
    EXPECT_EQ(csl.first + "|" + csl.second, "水声 定位|一种方法");
    const Example snli = fixture("snli_1.0_dev.jsonl").examples[0];
    EXPECT_EQ(snli.id + "|" + snli.second, "1r1n|Sisters é.");
    EXPECT_EQ(fixture("snli_1.0_dev.txt").examples[1].label, "entailment");
}

// The form of WscProcessor in github.com/CLUEbenchmark/CLUE: underscores around the noun, brackets around the pronoun.
TEST_F(Examples, WscMarksBothSpans) {
    const ExampleFile train = fixture("cluewsc2020/train.json");
    EXPECT_EQ(train.examples[0].first, "放在我_床_上的手机响了，[它]很响。");
    EXPECT_EQ(train.examples[0].id + "|" + train.examples[0].label, "261|false");
    EXPECT_EQ(train.examples[1].first, "[他]是_李鼎_") << "the pronoun may come first";
    const ExampleFile test = fixture("cluewsc2020/test.json");
    EXPECT_EQ(test.examples[0].id + "|" + test.examples[0].label, "7|");
    EXPECT_THAT(test.notes, Contains(HasSubstr("has no labels")));
    EXPECT_THAT(exampleFormat("clue/wsc").classes, ElementsAre("true", "false"));
}

TEST_F(Examples, WscSpansThatAreNotInTheTextAreRefused) {
    const auto line = [](const std::string& target, const std::string& rest) {
        return R"({"text": "他是李鼎", "target": )" + target + rest + "}\n";
    };
    const auto spans = [](const std::string& index, const std::string& noun) {
        return R"({"span1_index": )" + index + R"(, "span1_text": ")" + noun + R"(", "span2_index": 0, "span2_text": "他"})";
    };
    const std::string good = line(spans("2", "李鼎"), R"(, "label": "true")");
    EXPECT_EQ(read("clue/wsc", good).examples.size(), 1U);
    EXPECT_THAT(errorOf("clue/wsc", good + line(spans("1", "李鼎"), "")),
                AllOf(HasSubstr("the text has no \"李鼎\" at character 1"), HasSubstr("line 2, column 29")));
    for (const char* index : {"3", "4", "99999999999999999999"})
        EXPECT_THAT(errorOf("clue/wsc", line(spans(index, "李鼎"), "")), HasSubstr("line 1, column ")) << index;
    EXPECT_THAT(errorOf("clue/wsc", line(spans("-1", "李"), "")), HasSubstr("no integer \"span1_index\""));
    EXPECT_THAT(errorOf("clue/wsc", line(spans("2", ""), "")), HasSubstr("the text has no \"\" at character 2"));
    EXPECT_THAT(errorOf("clue/wsc", line(R"({"span1_index": 2})", "")), HasSubstr("no field \"span1_text\""));
    EXPECT_THAT(errorOf("clue/wsc", line("[]", "")), HasSubstr("no object \"target\""));
    EXPECT_THAT(errorOf("clue/wsc", line(spans("2", "李鼎"), R"(, "label": "1")")),
                HasSubstr("is not a class of clue/wsc (true, false)"));
    EXPECT_EQ(read("clue/wsc", good + line("{}", "") + good, OnBadLine::Skip).skipped, 1);
}

TEST_F(Examples, ConllTagsBecomeBio) {
    const ExampleFile file = fixture("eng.train");
    EXPECT_THAT(file.examples[0].words, ElementsAre("EU", "rejects", "German"));
    EXPECT_THAT(file.examples[0].tags, ElementsAre("B-ORG", "O", "B-MISC"));
    EXPECT_THAT(file.examples[1].tags, ElementsAre("B-ORG", "B-ORG"));
    EXPECT_THAT(file.notes, Contains(HasSubstr("3 spans begin with I- (IOB1)")));
    EXPECT_THAT(file.notes, Contains(HasSubstr("1 documents")));
    const ExampleFile iobes = read("conll", "a S-X\nb B-X\nc I-X\nd E-X\ne I-X\nf O\ng I-Y\nh I-X\n");
    EXPECT_THAT(iobes.examples[0].tags, ElementsAre("B-X", "B-X", "I-X", "I-X", "B-X", "O", "B-Y", "B-X"));
    EXPECT_THAT(iobes.notes, Contains(HasSubstr("2 tags E-, L-, S- or U-")));
    EXPECT_THAT(read("conll", "nur\nWörter\n\n").examples[0].tags, IsEmpty());
}

// GermEval, CoNLL-U and others number the words, or their sentences, in the first column.
TEST_F(Examples, ConllNumbersAreNoWords) {
    for (const char* bytes : {"1\tAnna\tNE\tB-PER\n2\tlebt\tVV\tO\n\n1\tHier\tADV\tO\n",
                              "7 Anna NE B-PER\n7 lebt VV O\n\n8 Hier ADV O\n", "0 Anna B-PER x\n1 lebt O x\n2 Hier O x\n"}) {
        const ExampleFile file = read("conll", bytes);
        EXPECT_EQ(file.examples.at(0).words.at(0) + file.examples.at(0).words.at(1), "Annalebt") << bytes;
        EXPECT_EQ(file.examples.at(0).tags.at(0), "B-PER") << bytes;
        EXPECT_THAT(file.notes, Contains(HasSubstr("column 1 holds numbers and no words: words from column 2")));
    }
    const std::string twice = "1 Anna B-PER O\n2 lebt O O\n";
    EXPECT_THAT(errorOf("conll", twice),
                HasSubstr("column 1 of 4 contains word numbers, and the columns 3, 4 contain BIO tags"));
    const ExampleFile outer = readExamples(folder_.write("file", twice), {"conll", OnBadLine::Stop, {}, {"2", "", "3"}});
    EXPECT_THAT(outer.examples.at(0).tags, ElementsAre("B-PER", "O"));
    EXPECT_THAT(errorOf("conll", "1 Anna NN x\n2 lebt NN x\n"), HasSubstr("no column after column 2 contains BIO tags"));
    const ExampleFile years = read("conll", "1980 CD O\nwas VBD O\n\n2 CD O\n");
    EXPECT_THAT(years.examples.at(0).words, ElementsAre("1980", "was")) << "a word may be a number";
    EXPECT_THAT(years.examples.at(1).words, ElementsAre("2"));
    EXPECT_THAT(errorOf("conll", "1980 CD NN\nwas VBD O\n"), HasSubstr("tag \"NN\" is not O, B-TYPE or I-TYPE"));
    std::string many;
    for (int i = 0; i < 50; ++i) many += "1 Anna B-PER\n2 lebt O\n\n";
    EXPECT_EQ(read("conll", many).examples.size(), 50U);
}

TEST_F(Examples, SquadIdsMayBeNumbersAndTruthIsNoWord) {
    const auto document = [](const std::string& id, const std::string& impossible) {
        return R"({"data": [{"paragraphs": [{"context": "am See", "qas": [{"id": )" + id +
               R"(, "question": "q", "is_impossible": )" + impossible +
               R"(, "answers": [{"text": "See", "answer_start": 3}]}]}]}]})";
    };
    EXPECT_EQ(read("squad", document("262", "false")).examples.at(0).id, "262");
    EXPECT_EQ(read("squad", document("9007199254740993", "false")).examples.at(0).id, "9007199254740993");
    EXPECT_THAT(errorOf("squad", document("2.5", "false")), HasSubstr("no text \"id\""));
    EXPECT_EQ(read("squad", document("1", "true")).examples.at(0).answers.size(), 0U);
    EXPECT_THAT(errorOf("squad", document("1", "\"True\"")), HasSubstr("instead of true or false"));
}

TEST_F(Examples, SquadOffsetsCountCharacters) {
    const ExampleFile file = fixture("dev-v2.0.json");
    EXPECT_EQ(file.examples[0].first, "Woran?");
    EXPECT_EQ(file.examples[0].answers.at(0).begin, 13);
    EXPECT_EQ(file.examples[0].answers.at(1).text, "See");
    EXPECT_THAT(file.examples[1].answers, IsEmpty());
    EXPECT_THAT(file.notes, Contains(HasSubstr("1 questions cannot be answered")));
}

TEST_F(Examples, MalformedLinesNameFileLineColumnAndExcerpt) {
    const std::string sst = "sentence\tlabel\nfine\t1\n";
    EXPECT_THAT(
        errorOf("glue/sst-2", sst + "größer\t2\n"),
        HasSubstr("label \"2\" is not a class of glue/sst-2 (0, 1): \"2\" (" + folder_.file("file") + ", line 3, column 8)"));
    EXPECT_THAT(errorOf("glue/sst-2", sst + "only text\n"),
                HasSubstr("1 columns instead of 2: \"only text\" (" + folder_.file("file") + ", line 3, column 1)"));
    EXPECT_THAT(errorOf("glue/mrpc", sst),
                HasSubstr("the header of glue/mrpc has no column \"#1 String\": \"sentence\\tlabel\""));
    EXPECT_THAT(errorOf("glue/sts-b", exampleFixtures()[7].bytes + "news\tMSR\t2012\t2\t5.5\ta\tb\n"),
                HasSubstr("score \"5.5\" is not a number from 0 to 5"));
    EXPECT_THAT(errorOf("glue/sts-b", exampleFixtures()[7].bytes + "news\tMSR\t2012\t2\tnan\ta\tb\n"),
                HasSubstr("line 2, column 17"));
    EXPECT_THAT(errorOf("clue/tnews", "{\"sentence\": \"空袭\" \"label\": \"1\"}\n"), HasSubstr("line 1, column 25)"));
    EXPECT_THAT(errorOf("clue/tnews", "{\"sentence\": \"a\", \"label\": \"105\"}\n"),
                HasSubstr("is not a class of clue/tnews (100, 101"));
    EXPECT_THAT(errorOf("clue/tnews", "{\"sentence1\": \"a\"}\n"),
                HasSubstr("no field \"sentence\" (the fields are: sentence1)"));
    EXPECT_THAT(errorOf("clue/tnews", "{\"sentence\": [1]}\n"),
                HasSubstr("field \"sentence\" is neither a string nor a number"));
    EXPECT_THAT(errorOf("clue/csl", "{\"abst\": \"a\", \"keyword\": \"b\"}\n"), HasSubstr("no list \"keyword\""));
    EXPECT_THAT(errorOf("clue/csl", "{\"abst\": \"a\", \"keyword\": [\"b\", 1]}\n"), HasSubstr("line 1, column 15)"));
    EXPECT_THAT(errorOf("clue/csl", "{\"abst\": \"a\", \"keywor\\u0064\": [1]}\n"),
                HasSubstr("a keyword is not a string: \"{\\\"abst\\\": "));
    EXPECT_THAT(errorOf("clue/afqmc", "[1, 2]\n"), HasSubstr("is not a JSON object"));
    EXPECT_THAT(errorOf("snli", "{\"sentence1\":\"a\",\"sentence2\":\"b\",\"gold_label\":\"maybe\"}\n"),
                HasSubstr("label \"maybe\" is not a class of snli"));
    EXPECT_THAT(errorOf("tsv", "a\tb\tc\n"), HasSubstr("use format tsv/pairs"));
    EXPECT_THAT(errorOf("tsv", "a\tx\nb\n"), HasSubstr("1 columns, but the first line has 2"));
    EXPECT_THAT(errorOf("tsv", "a\tx\nb\t\n"), HasSubstr("the label is empty"));
    EXPECT_THAT(errorOf("conll", "a O\nb NN\n"), HasSubstr("tag \"NN\" is not O, B-TYPE or I-TYPE: \"NN\" ("));
    EXPECT_THAT(errorOf("conll", "a O\nb x O\n"), HasSubstr("3 columns, but the first word has 2"));
}

TEST_F(Examples, DeepJsonIsRefused) {
    EXPECT_THAT(errorOf("clue/tnews", std::string(100'000, '[') + "\n"), HasSubstr("nested deeper than 64 levels"));
    EXPECT_THAT(errorOf("squad", std::string(100'000, '[')), HasSubstr("nested deeper than 64 levels"));
}

/// Small files of one document without a line break that would take gigabytes: in bytes, in values, in copies of a context.
TEST_F(Examples, GzipBombsOfOneSquadDocumentAreRefused) {
    const auto refusalOf = [&](const std::string& document) {
        const std::string bomb = folder_.writeGzip("bomb.json.gz", document);
        return invalidInput([&] { readExamples(bomb, {"squad", OnBadLine::Skip, {}}); });
    };
    const auto paragraph = [](const std::string& context, const std::string& questions) {
        return R"({"data":[{"paragraphs":[{"context":")" + context + R"(","qas":[)" + questions + "]}]}]}";
    };
    EXPECT_THAT(refusalOf(paragraph(std::string(std::size_t{80} << 20, ' '), "")), HasSubstr("unpacks to more than 200 times"));
    std::string values = "{}";
    for (int i = 0; i < 1'200'000; ++i) values += ",{}";
    EXPECT_THAT(refusalOf(paragraph("a", values)),
                AllOf(HasSubstr("unpacks to more than"), HasSubstr("values, which is implausible")));
    const std::string question = R"({"id":"1","question":"q"})";
    std::string questions = question;
    for (int i = 0; i < 300; ++i) questions += "," + question;
    EXPECT_THAT(refusalOf(paragraph(std::string(std::size_t{4} << 20, 'x'), questions)),
                AllOf(HasSubstr("take more than 1024 MiB"), HasSubstr("data[0].paragraphs[0]")));
    const std::string many = folder_.writeGzip("many.json.gz", paragraph("word", questions));
    EXPECT_EQ(readExamples(many, {"squad", OnBadLine::Stop, {}}).examples.size(), 301U) << "a usual file that packs well";
}

TEST_F(Examples, MalformedSquad) {
    const auto document = [](const std::string& answer) {
        return "{\"data\":[{\"paragraphs\":[{\"context\":\"Zürich am "
               "See\",\"qas\":[{\"id\":\"1\",\"question\":\"?\",\"answers\":[" +
               answer + "]}]}]}]}";
    };
    EXPECT_THAT(errorOf("squad", document("{\"text\":\"See\",\"answer_start\":11}")),
                HasSubstr("answer \"See\" is not at character 11: the text there is \"ee\" (" + folder_.file("file") +
                          ", data[0].paragraphs[0].qas[0].answers[0]): it is at character 10"));
    EXPECT_THAT(errorOf("squad", document("{\"text\":\"See\",\"answer_start\":99}")),
                HasSubstr("the context has 13 characters"));
    EXPECT_THAT(errorOf("squad", document("{\"text\":\"Meer\",\"answer_start\":0}")),
                HasSubstr("the context does not contain it"));
    EXPECT_THAT(errorOf("squad", document("{\"text\":\"See\",\"answer_start\":-1}")), HasSubstr("no integer"));
    EXPECT_THAT(errorOf("squad", document("{\"text\":\"See\"}")), HasSubstr("no integer \"answer_start\""));
    EXPECT_THAT(errorOf("squad", "{\"data\":[{}]}"), HasSubstr("no list \"paragraphs\""));
    EXPECT_THAT(errorOf("squad", "{\"data\":"), HasSubstr("not valid JSON"));
    const ExampleFile skipped = read("squad", document("{\"text\":\"Meer\",\"answer_start\":0}"), OnBadLine::Skip);
    EXPECT_THAT(skipped.examples, IsEmpty());
    EXPECT_EQ(skipped.skipped, 1);
}

TEST_F(Examples, BadLinesAreSkippedAndCountedWhenAsked) {
    std::string bytes = "sentence\tlabel\nfine\t1\n";
    for (int i = 0; i < 7; ++i) bytes += "bad\t9\n";
    bytes += "latin \xE9\t1\nlast\t0\n";
    const ExampleFile file = read("glue/sst-2", bytes, OnBadLine::Skip);
    EXPECT_EQ(file.examples.size(), 2U);
    EXPECT_EQ(file.skipped, 8);
    EXPECT_THAT(file.notes, Contains(HasSubstr("left out: label \"9\" is not a class")));
    EXPECT_THAT(file.notes, Contains("… and 3 more lines were left out"));
    EXPECT_EQ(file.notes.size(), 6U);
    const ExampleFile sentences = read("conll", "a O\nb NN\nc O\n\nd O\n", OnBadLine::Skip);
    EXPECT_EQ(sentences.examples.size(), 1U);  // the sentence with the bad line is left out as a whole
    EXPECT_EQ(sentences.skipped, 1);
}

TEST_F(Examples, AWrongHeaderIsNeverSkipped) {
    EXPECT_THAT(invalidInput([&] { read("glue/mrpc", "sentence\tlabel\nfine\t1\n", OnBadLine::Skip); }),
                HasSubstr("no column"));
}

TEST_F(Examples, EncodingsAreNamed) {
    EXPECT_THAT(
        errorOf("tsv", "caf\xE9 au lait\tyes\n"),
        HasSubstr("this looks like Latin-1: convert it with iconv -f ISO-8859-1 -t UTF-8 " + folder_.file("file") + " > NEW"));
    const std::string wide("a\0\t\0b\0\n\0", 8);
    EXPECT_THAT(errorOf("tsv", wide), HasSubstr("this looks like UTF-16"));
    EXPECT_THAT(invalidInput([&] { read("tsv", "\xFF\xFE" + wide, OnBadLine::Skip); }), HasSubstr("this looks like UTF-16"));
    EXPECT_THAT(errorOf("tsv", "\xB0\xA1\xB0\xA2\tyes\n"), HasSubstr("ITS-ENCODING"));  // GBK: more than one is possible
}

TEST_F(Examples, ExcerptsAreShortAndSafe) {
    const std::string message = errorOf("tsv", "a\tb\n\x1B[31m\"" + std::string(500, 'x') + "\n");
    EXPECT_THAT(message, HasSubstr("\"\\x1B[31m\\\"xxx"));
    EXPECT_EQ(message.find('\x1B'), std::string::npos);
    EXPECT_LT(message.size(), 400U);
}

TEST_F(Examples, StopsWhenAsked) {
    for (const char* const format : {"tsv", "squad"}) {
        try {
            readExamples(folder_.write("file", "a\tb\n"), {format, OnBadLine::Skip, [] { return true; }});
            FAIL() << "not stopped";
        } catch (const Error& error) {
            EXPECT_EQ(error.problem(), "stopped");
        }
    }
}

}  // namespace
}  // namespace heddle
