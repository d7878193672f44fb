// SPDX-License-Identifier: Apache-2.0
// The readers on real files, where they are at hand.
#include "engine/data/inspect/inspect.h"
#include "engine/data/readers/corpus.h"
#include "engine/data/readers/idx.h"
#include "engine/data/vectors/word_vectors.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle {
namespace {

using testing_support::realData;

#define REAL_DATA(variable, name)                \
    const std::string variable = realData(name); \
    if (variable.empty()) GTEST_SKIP() << "no " << name

struct RealExamples {
    const char* format;
    const char* path;
    std::size_t examples;
};

class RealExampleFiles : public ::testing::TestWithParam<RealExamples> {};

TEST_P(RealExampleFiles, HaveThePublishersNumberOfExamples) {
    REAL_DATA(path, GetParam().path);
    const ExampleFile file = readExamples(path, {GetParam().format, OnBadLine::Stop, {}});
    EXPECT_EQ(file.examples.size(), GetParam().examples);
    EXPECT_EQ(file.skipped, 0);
    std::set<std::string> labels;
    for (const Example& example : file.examples) {
        EXPECT_FALSE(example.first.empty());
        labels.insert(example.label);
    }
    const ExampleFormat& format = exampleFormat(GetParam().format);
    if (format.kind == ExampleFormat::Kind::Class) {
        EXPECT_EQ(labels, std::set<std::string>(format.classes.begin(), format.classes.end()));
    }
    const DataReport found = inspectFiles({path}, {});
    const Json report = inspectDocument(found);
    EXPECT_EQ(report.at("files").at(0).at("format"), GetParam().format);
}

INSTANTIATE_TEST_SUITE_P(All, RealExampleFiles,
                         ::testing::Values(RealExamples{"glue/mrpc", "glue/MRPC/train.tsv", 3668},
                                           RealExamples{"glue/mrpc", "glue/MRPC/dev.tsv", 408},
                                           RealExamples{"glue/sst-2", "glue/SST-2/train.tsv", 67349},
                                           RealExamples{"glue/sst-2", "glue/SST-2/dev.tsv", 872},
                                           RealExamples{"glue/cola", "glue/CoLA/train.tsv", 8551},
                                           RealExamples{"glue/cola", "glue/CoLA/dev.tsv", 1043},
                                           RealExamples{"glue/sts-b", "glue/STS-B/train.tsv", 5749},
                                           RealExamples{"glue/sts-b", "glue/STS-B/dev.tsv", 1500},
                                           RealExamples{"clue/tnews", "clue_tnews/train.json", 53360},
                                           RealExamples{"clue/tnews", "clue_tnews/dev.json", 10000}),
                         [](const auto& given) { return "n" + std::to_string(given.index); });

TEST(RealData, Mnist) {
    REAL_DATA(images, "mnist/train-images-idx3-ubyte.gz");
    const IdxImages train = readIdxImages(images);
    EXPECT_EQ(train.count, 60000);
    EXPECT_EQ(train.rows, 28);
    EXPECT_EQ(train.columns, 28);
    EXPECT_EQ(readIdxImages(realData("mnist/t10k-images-idx3-ubyte.gz")).count, 10000);
    EXPECT_EQ(readIdxLabels(realData("mnist/train-labels-idx1-ubyte.gz")).labels.size(), 60000U);
    const Json pixels = inspectDocument(inspectFiles({images}, {})).at("files").at(0).at("pixels");
    EXPECT_NEAR(pixels.at("mean").get<double>(), 0.1307, 5e-5);  // the constants that every MNIST program has
    EXPECT_NEAR(pixels.at("std").get<double>(), 0.3081, 5e-5);
}

TEST(RealData, WordVectors) {
    REAL_DATA(path, "word_vectors_zh/zhwiki.100d.top8000.vec.gz");
    const WordVectors vectors = readWordVectors(path);
    EXPECT_EQ(vectors.words.size(), 8000U);
    EXPECT_EQ(vectors.dim, 100);
    EXPECT_EQ(vectors.words.front(), "</s>");
    EXPECT_FLOAT_EQ(vectors.values.front(), 0.00400269F);
}

TEST(RealData, PennTreebankIsOneDocument) {
    REAL_DATA(path, "ptb/ptb.valid.txt");
    const Corpus corpus = readCorpus(path);
    EXPECT_EQ(corpus.file.lines.size(), 3370U);
    EXPECT_EQ(corpus.documentBegin.size(), 1U);
}

TEST(RealData, TnewsTableOfItsPaper) {
    REAL_DATA(train, "clue_tnews/train.json");
    const DataReport found = inspectFiles({train, realData("clue_tnews/dev.json")}, {});
    const Json report = inspectDocument(found);
    ASSERT_EQ(report.at("totals").size(), 1U);
    const Json& total = report.at("totals").at(0);
    EXPECT_EQ(total.at("examples"), 63360);
    // StarSaber Table 2 says 1.63 M characters with the 10,000 titles of the test split, about 22 each.
    const double characters = total.at("characters").at("total").get<double>();
    EXPECT_NEAR(characters * 73360 / 63360, 1.63e6, 0.02e6);
}

}  // namespace
}  // namespace heddle
