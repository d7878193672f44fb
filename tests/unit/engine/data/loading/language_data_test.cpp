// SPDX-License-Identifier: Apache-2.0
// Which words of a running text are trained on, and which are counted.
#include "engine/data/batching/row_batches.h"
#include "engine/data/inspect/inspect.h"
#include "engine/data/loading/run_data.h"
#include "engine/spec/catalogue.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing_support::TempFolder;

// 8 lines, 1 a title between empty lines, 1 body text that begins as one, 3 empty; 22 words.
constexpr const char* kWikitext = " \n = Robert = \n \n a b c d e <unk> . \n = = Career = = \n = 2 x + 1 \n \n b c \n";
constexpr std::int64_t kLines = 8, kWords = 3 + 7 + 5 + 5 + 2;

class LanguageData : public ::testing::Test {
protected:
    RunData load(const std::string& task, const std::string& packing, std::int64_t maxLen = 64) const {
        Json document = asRunDocument(presetDocument(task == "causal_lm" ? "atinuke-text" : "bert-base"));
        for (const std::string& assignment :
             {"data.task=" + task, "data.packing=" + packing, "dims.max_len=" + std::to_string(maxLen),
              "data.train.source=" + text_, "data.valid.source=" + text_, std::string("data.tokenizer.min_count=1")})
            applySet(document, assignment);
        return loadRunData(RunSpec::parse(document, builtinCatalogue()), {}, {});
    }

    /// Tokens that a causal model is asked for.
    static std::int64_t predicted(const EncodedCorpus& corpus) {
        return static_cast<std::int64_t>(corpus.source.size()) - corpus.size();
    }

    TempFolder folder_;
    std::string text_ = folder_.write("wiki.test.tokens", kWikitext);
};

TEST_F(LanguageData, EveryTokenOfWikitextCountsAsInPublishedNumbers) {
    for (const char* packing : {"lines", "blocks", "documents"}) {
        const RunData data = load("causal_lm", packing, 16);
        EXPECT_EQ(predicted(data.valid), kWords + kLines) << packing;
        EXPECT_THAT(data.notes, Contains(HasSubstr("WikiText, 8 lines, 1 headings among them; 3 empty lines count")))
            << packing;
    }
    const Json file = inspectDocument(inspectFiles({text_}, {})).at("files")[0];
    EXPECT_EQ(file.at("words"), kWords);
    EXPECT_EQ(file.at("tokens_with_eos"), kWords + kLines);
    EXPECT_THAT(inspectText(inspectFiles({text_}, {})), HasSubstr("30 tokens with an <eos> a line"));
}

TEST_F(LanguageData, ATaskThatRestoresWordsReadsHeadingsButNoEmptyLine) {
    const RunData data = load("mlm", "lines");
    EXPECT_EQ(data.train.size(), 5);
    EXPECT_THAT(data.notes, Contains(HasSubstr("3 empty lines are left out")));
}

TEST_F(LanguageData, EveryBlockOfMaskedWordTrainingBeginsWithTheMarkOfBert) {
    const RunData data = load("mlm", "blocks", 8);
    ASSERT_GT(data.train.size(), 2);
    std::int64_t words = 0;
    for (std::int64_t row = 0; row < data.train.size(); ++row) {
        const auto begin = static_cast<std::size_t>(data.train.sourceBegin[static_cast<std::size_t>(row)]);
        const auto end = static_cast<std::size_t>(data.train.sourceBegin[static_cast<std::size_t>(row) + 1]);
        EXPECT_EQ(data.train.source[begin], kSos) << row;
        EXPECT_LE(end - begin, 8U);
        for (std::size_t i = begin + 1; i < end; ++i) words += data.train.source[i] == kSos ? 100 : 1;
    }
    EXPECT_EQ(words, kWords + 5) << "all of the text and its line ends, once";
}

TEST_F(LanguageData, EveryDocumentOfMaskedWordTrainingBeginsWithTheMarkOfBert) {
    const RunData data = load("mlm", "documents", 8);
    std::int64_t words = 0, documents = 0;
    for (std::int64_t row = 0; row < data.train.size(); ++row) {
        const auto begin = static_cast<std::size_t>(data.train.sourceBegin[static_cast<std::size_t>(row)]);
        const auto end = static_cast<std::size_t>(data.train.sourceBegin[static_cast<std::size_t>(row) + 1]);
        ASSERT_LE(end - begin, 8U);
        EXPECT_EQ(data.train.source[begin], kSos) << row;
        EXPECT_NE(data.train.source[end - 1], kSos) << "a document of no word at the end of row " << row;
        for (std::size_t i = begin; i < end; ++i) {
            if (data.train.source[i] != kSos) ++words;
            const bool follows = i > begin && data.train.source[i - 1] == kEos;
            EXPECT_EQ(data.train.source[i] == kSos, i == begin || follows) << row;
            documents += data.train.source[i] == kEos ? 1 : 0;
        }
    }
    EXPECT_EQ(documents, 5);
    EXPECT_EQ(words, kWords + 5) << "all of the text and its line ends, once";
}

TEST_F(LanguageData, EmptyLinesOfPlainTextCountInBlocksAlone) {
    text_ = folder_.write("plain", "a b\n\nc\n");
    EXPECT_EQ(predicted(load("causal_lm", "blocks").valid), 3 + 3);
    const RunData lines = load("causal_lm", "lines");
    EXPECT_EQ(predicted(lines.valid), 3 + 2);
    EXPECT_THAT(lines.notes, Contains(HasSubstr("plain text, 2 lines, 0 headings among them; 1 empty lines are left out")));
}

}  // namespace
}  // namespace heddle
