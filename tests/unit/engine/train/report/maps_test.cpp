// SPDX-License-Identifier: Apache-2.0
// Attention maps and what is measured on them, recorded while a run trains.
#include "engine/spec/catalogue.h"
#include "engine/train/report/map_measures.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::Not;

class RecordedMaps : public ::testing::Test {
protected:
    /// Trains a step of a small encoder-decoder with these blocks in every attention.
    void train(const Json& blocks) {
        RunSpec spec = test::toySpec(folder.path(), test::toyPairs(12), test::toyPairs(4));
        spec.variant = VariantSpec::parse(
            {{"topology", "encdec"},
             {"dims", {{"d", 16}, {"f", 32}, {"heads", 2}, {"layers_enc", 1}, {"layers_dec", 1}, {"max_len", 24}}},
             {"defaults", blocks}},
            builtinCatalogue());
        spec.train.epochs = 0;
        spec.train.steps = 2;
        sink = {};
        Mailbox mailbox;
        test::createEngine()->train(test::toyRequest(spec, folder.path(), "run"), sink, mailbox);
    }
    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const StepBlock& block : sink.all<StepBlock>())
            for (const SeriesBlock& series : block.series) all.push_back(series.name + " " + series.path);
        return all;
    }

    TemporaryFolder folder;
    test::RecordingSink sink;
};

TEST_F(RecordedMaps, NoNormaliserEndsATraining) {
    for (const BlockDescriptor* block : builtinCatalogue().ofSlot("normaliser")) {
        SCOPED_TRACE(block->id);
        EXPECT_NO_THROW(train({{"normaliser", {{"kind", block->id}}}}));
        EXPECT_FALSE(sink.all<MapTaken>().empty());
    }
}

TEST_F(RecordedMaps, TalkingHeadsShowNegativeWeightsAndNoMeasuresOfShares) {
    train({{"normaliser", "talking_heads"}});
    float least = 0;
    for (const MapTaken& map : sink.all<MapTaken>())
        for (const float value : map.values) least = std::min(least, value);
    EXPECT_LT(least, 0) << "the mixing is drawn: some weights are negative";
    EXPECT_THAT(names(), Not(Contains("attention_entropy encoder.layers.0.self/head 0")));
}

TEST_F(RecordedMaps, EntropyAndAlignmentOfHeadsAreSeries) {
    train({{"normaliser", "softmax"}});
    for (const char* name :
         {"attention_distance encoder.layers.0.self/head 1", "attention_entropy decoder.layers.0.cross/head 0",
          "head_divergence decoder.layers.0.self", "head_cosine decoder.layers.0.self", "head_cosine ", "attention_entropy ",
          "attention_distance ", "head_divergence ", "attention_sink encoder.layers.0.self/head 1", "attention_sink ",
          "attention_logit decoder.layers.0.cross", "attention_logit "})
        EXPECT_THAT(names(), Contains(name));
    train({{"score", "add"}});
    EXPECT_THAT(names(), Contains("head_cosine encoder.layers.0.self")) << "scores with what was carried";
}

TEST_F(RecordedMaps, TheHighestScoreIsWhatTheSoftmaxReads) {
    const auto highest = [this] {
        float most = -1;
        for (const StepBlock& block : sink.all<StepBlock>())
            for (const SeriesBlock& series : block.series)
                if (series.name == "attention_logit" && series.path.empty()) most = std::max(most, series.values.front());
        return most;
    };
    train({{"scorer", "dot"}});
    EXPECT_GT(highest(), 0.02F);
    train({{"cap", {{"kind", "soft"}, {"limit", 0.01}}}});
    EXPECT_LE(highest(), 0.01F) << "after the cap";
    EXPECT_GT(highest(), 0);
    train({{"scorer", "qk_norm"}});
    EXPECT_LT(highest(), 1.05 * std::sqrt(8.0)) << "keys are 8 wide: the bound of normalised queries and keys";
    for (const char* normaliser : {"sink", "talking_heads", "differential"}) {
        train({{"normaliser", normaliser}});
        EXPECT_THAT(names(), Contains("attention_logit encoder.layers.0.self")) << normaliser;
    }
}

TEST(MapMeasures, ByHand) {
    // Two heads, one query, three keys; the last key is hidden: its scores count nowhere.
    const MapTaken weights{"weight", "self", 0, 2, 1, 3, {0.5F, 0.5F, 0, 1, 0, 0}, {}, {}};
    MapMeasures measures;
    measures.add(weights, {1, 3, 100, 5, 1, -7}, 4);
    std::map<std::string, float> values;
    for (const SeriesBlock& series : measures.take(4).series) values[series.name + " " + series.path] = series.values.front();
    EXPECT_FLOAT_EQ(values.at("attention_entropy self/head 0"), 1);
    EXPECT_FLOAT_EQ(values.at("attention_entropy self/head 1"), 0);
    EXPECT_FLOAT_EQ(values.at("attention_entropy "), 0.5);
    EXPECT_FLOAT_EQ(values.at("head_cosine self"), -1);  // (−1, 1) and (2, −2) without their means
    EXPECT_FLOAT_EQ(values.at("attention_logit self"), 5) << "not the hidden key's 100";
    EXPECT_EQ(values.count("attention_sink self/head 0"), 0U) << "the first query is left out";
    EXPECT_TRUE(measures.take(5).series.empty());
    measures.add({"weight", "a", 0, 1, 2, 2, {1, 0, 0.25F, 0.75F}, {}, {}}, {9, -1e9F, 2, 3}, 6);
    measures.add({"weight", "b", 0, 1, 2, 2, {1, 0, 0.75F, 0.25F}, {}, {}}, {1, -1e9F, 4, 3}, 6);
    values.clear();
    for (const SeriesBlock& series : measures.take(6).series) values[series.name + " " + series.path] = series.values.front();
    EXPECT_FLOAT_EQ(values.at("attention_sink a/head 0"), 0.25F);
    EXPECT_FLOAT_EQ(values.at("attention_sink "), 0.5F);
    EXPECT_FLOAT_EQ(values.at("attention_logit b"), 4);
    EXPECT_FLOAT_EQ(values.at("attention_logit "), 9) << "the highest, not the mean";
}

}  // namespace
}  // namespace heddle
