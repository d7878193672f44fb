// SPDX-License-Identifier: Apache-2.0
// Answers begin and end at characters, whatever separates the words; a run says which kinds of answers it was taught.
#include "engine/data/loading/span_kinds.h"
#include "engine/data/loading/task_loaders.h"
#include "engine/spec/catalogue.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::TempFolder;

class SpanData : public ::testing::Test {
protected:
    RunData load(const std::string& kind, const std::string& context, const Json& answers, std::int64_t stride = 0) const {
        const Json question{{"id", 1}, {"question", "q"}, {"answers", answers}};
        const Json paragraph{{"context", context}, {"qas", Json::array({question})}};
        const Json document{{"data", Json::array({Json{{"paragraphs", Json::array({paragraph})}}})}};
        RunSpec spec;
        spec.variant =
            VariantSpec::parse({{"preset", "bert-base"}, {"dims", {{"max_len", 24}}}, {"head", "span"}}, builtinCatalogue());
        spec.data.task = "span";
        spec.data.format = "squad";
        spec.data.train.source = spec.data.valid.source = folder_.write("squad.json", document.dump());
        spec.data.tokenizer.kind = choiceNamed<TokenizerKind>(kind).value();
        spec.data.tokenizer.minCount = 1;
        spec.data.stride = stride;
        return loadRunData(spec, {}, {});
    }

    /// The first answer's tokens of the first row.
    static std::string answerOf(const RunData& data) {
        const auto& labels = data.train.labelsAs<SpanLabels>();
        std::string text;
        for (auto at = labels.first[0]; at > 0 && at <= labels.last[0]; ++at)
            text += data.sourceTokenizer->token(data.train.source[static_cast<std::size_t>(at)]);
        return text;
    }

    TempFolder folder_;
};

Json answer(const std::string& text, int start) { return Json::array({Json{{"text", text}, {"answer_start", start}}}); }

TEST_F(SpanData, AnswersArePartsOfWords) {
    EXPECT_EQ(answerOf(load("characters", "昨天安娜回家了。", answer("安娜", 2))), "安娜");
    const RunData range = load("characters", "of 1900–1905 .", answer("1900", 3));
    EXPECT_EQ(answerOf(range), "1900");
    EXPECT_EQ(range.classes, std::vector<std::string>{kAnswerKind});
    const RunData words = load("words", "the 18th day", answer("18", 4));
    EXPECT_EQ(answerOf(words), "18th") << "a token is given as a whole";
    EXPECT_THAT(words.notes, Contains(HasSubstr("1 of 1 answers begin or end within a token")));
}

TEST_F(SpanData, NoAnswerIsTaughtOnlyByQuestionsWithoutOne) {
    EXPECT_THAT(load("words", "the 18th day", Json::array()).classes, ElementsAre(kAnswerKind, kNoAnswerKind));
}

TEST_F(SpanData, WhatCannotBeReadAsAskedIsTold) {
    std::string context;
    for (int i = 0; i < 60; ++i) context += "w ";
    const RunData data = load("words", context + "end", answer(context.substr(0, 99), 0), 20);
    EXPECT_THAT(warningTexts(data.warnings),
                Contains(HasSubstr("train: data.stride 20 is more than half of what a row has room for")));
    EXPECT_THAT(warningTexts(data.warnings),
                Contains(HasSubstr("train: the answers to 1 of 1 questions are longer than the 30 tokens")));
}

}  // namespace
}  // namespace heddle
