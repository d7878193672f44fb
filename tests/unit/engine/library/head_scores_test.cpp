// SPDX-License-Identifier: Apache-2.0
// Scores of heads: of maps written by hand, and of heads that were built to do one thing.
#include "engine/library/head_scores.h"

#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/library/example_scores.h"
#include "tests/unit/engine/library/inspected_language.h"
#include "tests/unit/engine/library/inspected_toy.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HeadScores, SumsTheWeightsOfTheKeysThatAScoreNames) {
    // One head; queries 2 and 3 have two positions before them.
    const at::Tensor weights_HQK =
        at::tensor({1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.05, 0.15, 0.35, 0.45}).view({1, 4, 4});
    QuerySums sums;
    sums.addSelf(weights_HQK);
    EXPECT_EQ(sums.queries, 2);
    EXPECT_EQ(sums.queriesWithNext, 1);
    EXPECT_NEAR(sums.previous_H.item<double>(), 0.2 + 0.35, 1e-12);
    EXPECT_NEAR(sums.current_H.item<double>(), 0.3 + 0.45, 1e-12);
    EXPECT_NEAR(sums.next_H.item<double>(), 0.4, 1e-12);
    EXPECT_NEAR(sums.first_H.item<double>(), 0.1 + 0.05, 1e-12);
    QuerySums cross;
    cross.addEntropy(weights_HQK.narrow(1, 0, 2));
    EXPECT_NEAR(cross.entropy_H.item<double>(), 1, 1e-12) << "0 of the first query, 1 bit of the second";
}

/// After one mark the tokens a b a b: the second a and b are queries 3 and 4.
TEST(HeadScores, FindsTheFirstOccurrenceAndTheTokenAfterIt) {
    at::Tensor weights_BHQK = at::zeros({1, 1, 5, 5}, at::kDouble);
    weights_BHQK[0][0][3][1] = 0.5, weights_BHQK[0][0][4][2] = 0.25;  // to the first a, to the first b
    weights_BHQK[0][0][3][2] = 0.3, weights_BHQK[0][0][4][3] = 0.4;   // to the token after each
    const RepeatSums sums = repeatSums(weights_BHQK, 1, 2);
    EXPECT_NEAR(sums.duplicate_H.item<double>(), 0.75, 1e-12);
    EXPECT_NEAR(sums.induction_H.item<double>(), 0.7, 1e-12);
}

/// The word "xy" of the target has two tokens, the source words have one and two.
TEST(HeadScores, LinksEveryTargetWordToTheSourceWordWithTheLargestWeight) {
    const at::Tensor weights_HTS = at::tensor({0.4, 0.3, 0.2, 0.1,  // first token of xy: word 1 has 0.5
                                               0.6, 0.2, 0.1, 0.1,  // second: word 0 has 0.6; together 1.0 to 0.8
                                               0.3, 0.2, 0.3, 0.2,  // z: word 1 has 0.5
                                               0.0, 0.0, 0.0, 1.0})
                                       .view({1, 4, 4});
    const auto links = largestWeightLinks(weights_HTS, {{0, 1, 1}, {0, 0, 1}});
    ASSERT_EQ(links.size(), 1U);
    EXPECT_EQ(links[0], (std::set<WordLink>{{0, 0}, {1, 1}}));
}

/// Against the eigenvalues of the whole circuit over the vocabulary.
TEST(HeadScores, CopyingIsThatOfTheWholeCircuit) {
    const at::Tensor embed_VD = uniform(randomKey(1, "embed"), {11, 6}, -1, 1);
    const at::Tensor output_VD = uniform(randomKey(1, "output"), {11, 6}, -1, 1);
    const at::Tensor value_ED = uniform(randomKey(1, "value"), {4, 6}, -1, 1);  // two heads of width 2
    const at::Tensor out_DE = uniform(randomKey(1, "out"), {6, 4}, -1, 1);
    for (std::int64_t head = 0; head < 2; ++head) {
        const at::Tensor circuit_VV =
            output_VD.matmul(out_DE.narrow(1, 2 * head, 2)).matmul(value_ED.narrow(0, 2 * head, 2)).matmul(embed_VD.t());
        const at::Tensor all_V = at::linalg_eigvals(circuit_VV);
        const double whole = at::real(all_V).sum().item<double>() / all_V.abs().sum().item<double>();
        EXPECT_NEAR(copyingScore(embed_VD.t().matmul(output_VD), {value_ED, out_DE, head, 2}), whole, 1e-9) << head;
    }
    EXPECT_NEAR(copyingScore(embed_VD.t().matmul(embed_VD), {value_ED, value_ED.t(), 0, 2}), 1, 1e-9);
    EXPECT_NEAR(copyingScore(embed_VD.t().matmul(embed_VD), {value_ED, -value_ED.t(), 0, 2}), -1, 1e-9);
}

TEST(HeadScores, LabelsAreTheScoresAboveTheThreshold) {
    HeadScores scores;
    EXPECT_TRUE(labelsOf(scores).empty());
    scores.previous = 0.5, scores.first = 0.49, scores.copying = 0.9, scores.errorRate = 0.3;
    EXPECT_THAT(labelsOf(scores), ElementsAre("copying", "alignment", "previous token"));
}

/// Two layers without feed-forward whose heads are written by hand. The stream has 4 features of the position, a point on a
/// circle and its opposite; 12 of the token; and 12 that the first layer fills with the token before.
class PlantedHeads : public test::LanguageInspection {
protected:
    static constexpr std::int64_t kWidth = 32, kHeadWidth = 16, kToken = 4, kBefore = 16, kWords = 12, kLongest = 24;

    PlantedHeads() {
        spec.variant = VariantSpec::parse(
            {{"preset", "nanogpt"},
             {"dims",
              {{"d", kWidth}, {"f", 4}, {"heads", 2}, {"layers_dec", 2}, {"max_len", kLongest}, {"vocab_tgt", "from_data"}}}},
            builtinCatalogue());
        data_ = loadRunData(spec, {folder / "cache", "", {}}, {});
        words_ = data_.targetWords();
        EXPECT_LE(words_, kWords + kSpecials);
        model_ = buildModel(spec.variant.resolve(data_.sourceWords(), words_), 1);
        const at::NoGradGuard noGrad;
        for (const auto& entry : model_->parameters().entries())
            if (entry.tensor.dim() > 1) entry.tensor.zero_();  // norms keep their weight 1
        plant();
    }

    at::Tensor weight(const std::string& path) { return model_->parameters().find(path + ".weight"); }
    static at::Tensor ofHead(const at::Tensor& rows, std::int64_t head) {
        return rows.narrow(0, head * kHeadWidth, kHeadWidth);
    }

    void plant() {
        const at::Tensor position_SD = weight("position");
        for (std::int64_t at = 0; at < kLongest; ++at) {
            const double angle = kStep * static_cast<double>(at);
            const double point[] = {std::cos(angle), std::sin(angle), -std::cos(angle), -std::sin(angle)};
            for (int i = 0; i < 4; ++i) position_SD[at][i] = point[i];
        }
        for (std::int64_t word = 0; word < words_; ++word) weight("embed.shared")[word][kToken + word % kWords] = 1;
        const std::string first = "decoder.layers.0.self", second = "decoder.layers.1.self";
        for (std::int64_t head = 0; head < 2; ++head) {  // head 0: the position before; head 1: the own
            const double turn = head == 0 ? -kStep : 0, scale = 40;
            const at::Tensor q_ED = ofHead(weight(first + ".scorer.q"), head), k_ED = ofHead(weight(first + ".scorer.k"), head);
            q_ED[0][0] = scale * std::cos(turn), q_ED[0][1] = -scale * std::sin(turn);
            q_ED[1][0] = scale * std::sin(turn), q_ED[1][1] = scale * std::cos(turn);
            k_ED[0][0] = scale, k_ED[1][1] = scale;
        }
        const at::Tensor value_ED = weight(first + ".value.v"), out_DE = weight(first + ".value.out");
        const at::Tensor q_ED = weight(second + ".scorer.q"), k_ED = weight(second + ".scorer.k");
        for (std::int64_t i = 0; i < kWords; ++i) {
            value_ED[i][kToken + i] = 1, out_DE[kBefore + i][i] = 1;                              // head 0: moves
            value_ED[kHeadWidth + i][kToken + i] = 1, out_DE[kToken + i][kHeadWidth + i] = 0.25;  // head 1: copies
            q_ED[i][kToken + i] = 20, k_ED[i][kBefore + i] = 20;                                  // induction
            weight(second + ".value.v")[kHeadWidth + i][kToken + i] = 1;
            weight(second + ".value.out")[kToken + i][kHeadWidth + i] = -1;
        }
    }

    LabelsReport score() {
        const auto task = makeTask(spec, data_);
        const DecodeOptions how{at::kCPU};
        const LabelsRequest request;
        const ModelOnExamples on{*model_, *task, data_.valid, how};
        LabelsReport report;
        EXPECT_TRUE(scoreHeads({on, data_, data_.valid.size(), request, taskKind(spec.data.task)}, report));
        return report;
    }

    static constexpr double kStep = 2 * 3.14159265358979323846 / kLongest;
    RunData data_;
    std::int64_t words_ = 0;
    std::unique_ptr<Model> model_;
};

TEST_F(PlantedHeads, GetTheLabelsOfWhatTheyWereBuiltToDo) {
    const LabelsReport report = score();
    ASSERT_EQ(report.heads.size(), 4U);
    const HeadScores &before = report.heads[0], &own = report.heads[1], &induction = report.heads[2], &idle = report.heads[3];
    EXPECT_GT(before.previous.value(), 0.95);
    EXPECT_LT(before.current.value(), 0.05);
    EXPECT_THAT(before.labels, ElementsAre("previous token"));
    EXPECT_GT(own.current.value(), 0.95);
    EXPECT_NEAR(own.copying.value(), 1, 1e-6);
    EXPECT_THAT(own.labels, Contains("current token"));
    EXPECT_THAT(own.labels, Contains("copying"));
    EXPECT_GT(induction.induction.value(), 0.9);
    EXPECT_LT(induction.duplicate.value(), 0.1);
    EXPECT_THAT(induction.labels, ElementsAre("induction"));
    EXPECT_NEAR(idle.copying.value(), -1, 1e-6);
    EXPECT_TRUE(idle.labels.empty()) << "equal weights on all keys, and it takes the token away";
    EXPECT_GT(before.queries, 0);
    EXPECT_FALSE(before.next || before.entropy || before.errorRate);
}

class TranslationLabels : public test::Inspection {};

TEST_F(TranslationLabels, HaveErrorRatesWhereAlignmentsAreGiven) {
    const auto session = open();
    LabelsRequest request{{"valid", 0}, {}, "gold.txt"};
    const LabelsReport without = session->labels(request);
    ASSERT_EQ(without.heads.size(), 12U);
    const auto cross = [](const LabelsReport& report) {
        for (const HeadScores& one : report.heads)
            if (one.path == "decoder.layers.0.cross") return one;
        return HeadScores();
    };
    EXPECT_GT(cross(without).entropy.value(), 0);
    EXPECT_FALSE(cross(without).errorRate || cross(without).previous || cross(without).copying);
    EXPECT_FALSE(without.heads[0].induction) << "an encoder's";
    EXPECT_GT(without.heads[0].next.value(), 0);
    request.alignments.assign(20, "0-0 1-1");
    const LabelsReport with = session->labels(request);
    EXPECT_GT(cross(with).errorRate.value(), 0);
    EXPECT_LT(cross(with).errorRate.value(), 1);
    EXPECT_GT(cross(with).links, 20);
    EXPECT_TRUE(with.warnings.empty());
    request.alignments.pop_back();
    EXPECT_THAT(whyRefused([&] { session->labels(request); }), HasSubstr("it has 19 lines, and the split has 20 examples"));
    request.alignments.assign(20, "0+0");
    EXPECT_THAT(whyRefused([&] { session->labels(request); }), HasSubstr("gold.txt:1"));
}

}  // namespace
}  // namespace heddle
