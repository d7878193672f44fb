// SPDX-License-Identifier: Apache-2.0
// Training of models with score gates: lengths that the gates bound, and the precisions.
#include "engine/base/error.h"
#include "engine/kernels/gemm_ceiling.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

using testing::HasSubstr;

/// A toy run of a thesis model with dropout of its gates and one of the sparse normalisers.
struct GatedAttempt : test::Attempt {
    explicit GatedAttempt(const Json& gate) : test::Attempt(24, 4) {
        Json document = Json::parse(R"({"preset":"thesis-G2","dims":{"d":16,"f":32,"heads":2,"key_dim":8,"max_len":24}})");
        document["defaults"] = {{"score", {{"gate", gate}}}, {"normaliser", "entmax15"}};
        spec.variant = VariantSpec::parse(document, builtinCatalogue());
        spec.train.epochs = 2;
    }
    std::string notes() const {
        std::string all;
        for (const Remark& remark : sink.all<Remark>()) all += remark.text + "\n";
        for (const DataWarning& warning : sink.all<DataWarning>()) all += warning.text + "\n";
        return all;
    }
};

TEST(TrainGate, ShortGatesBoundDataAndDecodingAndSaySo) {
    GatedAttempt attempt(Json{{"max_len", 6}});  // most sentences have 7 tokens with <eos>
    EXPECT_EQ(attempt.run().state, RunState::Completed);
    EXPECT_THAT(attempt.notes(), HasSubstr("takes no more than 6 tokens"));
    EXPECT_THAT(attempt.notes(), HasSubstr("longer than 6 tokens"));
    EXPECT_FALSE(attempt.sink.metric("valid", "bleu").empty()) << "the longer sources of the validation set were cut";
}

TEST(TrainGate, LongGatesSayNothing) {
    GatedAttempt attempt(Json{{"dropout", {{"p", 0.5}}}, {"score_dropout", 0.1}});
    EXPECT_EQ(attempt.run().state, RunState::Completed);
    EXPECT_EQ(attempt.notes().find("takes no more than"), std::string::npos);
}

TEST(TrainGate, BFloat16IsMeasuredWhereItIsAskedFor) {
    EXPECT_GT(bfloat16Gain(), 0);
    GatedAttempt attempt(Json{{"dropout", {{"p", 0.2}}}});
    EXPECT_EQ(attempt.run().state, RunState::Completed);
    EXPECT_TRUE(attempt.sink.all<SlowPrecision>().empty()) << "nobody asked for it";
}

TEST(TrainGate, LearnsInBFloat16) {
    for (const char* normaliser : {"topk", "sparsek", "entmax15"}) {
        GatedAttempt attempt(Json{{"dropout", {{"p", 0.2}, {"mode", "element"}}}});
        Json document = attempt.spec.variant.compact();
        document["defaults"]["normaliser"] = {{"kind", normaliser}};
        attempt.spec.variant = VariantSpec::parse(document, builtinCatalogue());
        attempt.spec.train.precision = Precision::BFloat16;
        EXPECT_EQ(attempt.run().state, RunState::Completed) << normaliser;
        for (const float loss : attempt.sink.series("loss")) EXPECT_TRUE(std::isfinite(loss)) << normaliser;
    }
}

}  // namespace
}  // namespace heddle
