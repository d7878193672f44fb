// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/submissions.h"

#include "engine/base/json.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing_support::invalidInput;

std::vector<Prediction> classes(const std::vector<std::string>& labels) {
    std::vector<Prediction> predictions;
    for (const auto& label : labels) predictions.push_back({"", label, {}});
    return predictions;
}

TEST(Submissions, GlueIsTabSeparatedWithItsOwnLabels) {
    const SubmissionFile file = submissionFile({"glue/rte", "", classes({"entailment", "not_entailment"})});
    EXPECT_EQ(file.name, "RTE.tsv");
    EXPECT_EQ(file.contents, "index\tprediction\n0\tentailment\n1\tnot_entailment\n");
    EXPECT_EQ(submissionFile({"glue/mrpc", "", classes({"1"})}).contents, "index\tprediction\n0\t1\n");
    EXPECT_EQ(submissionFile({"glue/cola", "", {{"17", "0", {}}, {"4", "1", {}}}}).contents, "index\tprediction\n17\t0\n4\t1\n")
        << "the publisher's ids, in the order of its file";
}

TEST(Submissions, MnliHasTwoFiles) {
    EXPECT_EQ(submissionFile({"glue/mnli", "", classes({"neutral"})}).name, "MNLI-m.tsv");
    EXPECT_EQ(submissionFile({"glue/mnli", "mm", classes({"neutral"})}).name, "MNLI-mm.tsv");
    EXPECT_THAT(invalidInput([] { submissionFile({"glue/mnli", "mx", classes({"neutral"})}); }), HasSubstr("no part \"mx\""));
    EXPECT_THAT(invalidInput([] { submissionFile({"glue/rte", "m", classes({"entailment"})}); }), HasSubstr("remove the part"));
}

TEST(Submissions, SimilarityIsClippedAndRounded) {
    const std::vector<Prediction> values{{"", "", 3.14159}, {"", "", -0.2}, {"", "", 7.0}};
    EXPECT_EQ(submissionFile({"glue/sts-b", "", values}).contents, "index\tprediction\n0\t3.142\n1\t0.000\n2\t5.000\n");
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        EXPECT_THAT(invalidInput([&] {
                        submissionFile({"glue/sts-b", "", {{"", "", bad}}});
                    }),
                    HasSubstr("not a finite number"));
    EXPECT_THAT(invalidInput([] { submissionFile({"glue/sts-b", "", classes({"1"})}); }), HasSubstr("STS-B.tsv, prediction 1"));
}

TEST(Submissions, ClueIsAJsonObjectALine) {
    const SubmissionFile file = submissionFile({"clue/tnews", "", {{"0", "104", {}}, {"1", "116", {}}}});
    EXPECT_EQ(file.name, "tnews11_predict.json");
    EXPECT_EQ(file.contents, "{\"id\": 0, \"label\": \"104\"}\n{\"id\": 1, \"label\": \"116\"}\n");
    EXPECT_EQ(submissionFile({"clue/tnews", "10", classes({"100"})}).name, "tnews10_predict.json");
    const SubmissionFile pronouns = submissionFile({"clue/wsc", "", {{"7", "true", {}}}});
    EXPECT_EQ(pronouns.name, "cluewsc11_predict.json");
    EXPECT_EQ(pronouns.contents, "{\"id\": 7, \"label\": \"true\"}\n");
    EXPECT_EQ(submissionFile({"clue/wsc", "10", classes({"false"})}).name, "cluewsc10_predict.json");
    const std::string odd = submissionFile({"clue/afqmc", "", {{"a\"7", "1", {}}}}).contents;
    EXPECT_EQ(Json::parse(odd), (Json{{"id", "a\"7"}, {"label", "1"}})) << "what is not a number stays a text";
}

TEST(Submissions, EveryFormatHasADifferentFile) {
    EXPECT_THAT(submissionFormats(), AllOf(SizeIs(18), Contains("glue/ax"), Contains("clue/cmnli")));
    EXPECT_THAT(invalidInput([] {
                    submissionFile({"glue/mprc", "", classes({"1"})});
                }),
                HasSubstr("did you mean \"glue/mrpc\""));
}

TEST(Submissions, SquadAnswersAreWhatTheOfficialScriptReads) {
    const SubmissionFile file = submissionFile({"squad", "", {{"q\"1", "am See", {}}, {"q2", "", {}}}});
    EXPECT_EQ(Json::parse(file.contents), (Json{{"q\"1", "am See"}, {"q2", ""}}));
    EXPECT_THAT(invalidInput([] {
                    submissionFile({"squad", "", {{"q1", "a", {}}, {"q1", "b", {}}}});
                }),
                HasSubstr("not unique"));
}

TEST(Submissions, WhatTheTaskDoesNotKnowIsRefused) {
    EXPECT_THAT(invalidInput([] {
                    submissionFile({"glue/rte", "", classes({"entailment", "neutral"})});
                }),
                AllOf(HasSubstr("unknown label \"neutral\""), HasSubstr("RTE.tsv, prediction 2")));
    EXPECT_THAT(invalidInput([] { submissionFile({"clue/tnews", "", classes({"105"})}); }), HasSubstr("unknown label \"105\""));
    EXPECT_THAT(invalidInput([] { submissionFile({"glue/rte", "", {}}); }), HasSubstr("no predictions"));
    EXPECT_THAT(invalidInput([] {
                    submissionFile({"glue/mrpc", "", {{"3", "1", {}}, {"3", "0", {}}}});
                }),
                HasSubstr("not unique"));
    EXPECT_THAT(invalidInput([] { submissionFile({"glue/mrpc", "", {{"3\t4", "1", {}}}}); }), HasSubstr("is invalid"));
}

TEST(Submissions, AnotherNumberOfLinesIsSaid) {
    EXPECT_THAT(submissionFile({"glue/wnli", "", classes({"1", "0"})}).notice, HasSubstr("2 predictions for the 146 examples"));
    EXPECT_THAT(submissionFile({"glue/wnli", "", classes(std::vector<std::string>(146, "1"))}).notice, IsEmpty());
}

}  // namespace
}  // namespace heddle
