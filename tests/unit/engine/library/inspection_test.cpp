// SPDX-License-Identifier: Apache-2.0
// What a session says of a changed model is what hand-written weights give, and without a change what `heddle evaluate` tells.
#include "engine/run/inspection.h"

#include "engine/analysis/bleu_difference.h"
#include "engine/analysis/paired_difference.h"
#include "engine/base/error.h"
#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/metrics/bleu.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "tests/unit/engine/library/inspected_toy.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace heddle {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

using test::byMetric;
using test::Inspection;
using test::kGate;
using test::kHead;
using test::metric;

TEST_F(Inspection, WithoutInterventionsSaysWhatEvaluateSays) {
    const auto session = open();
    const EffectReport report = session->effect({{}, {"valid", 0}, EffectRequest::Depth::Decoded});
    EXPECT_EQ(byMetric(report.trained), byMetric(evaluate().measured.values));
    EXPECT_GE(report.trained.size(), 5U);
    EXPECT_TRUE(report.metrics.empty());
    EXPECT_EQ(report.examples, 20);
    const EffectReport some = session->effect({{}, {"valid", 7}});
    EXPECT_EQ(some.examples, 7);
    EXPECT_NE(byMetric(some.trained).at("loss"), byMetric(report.trained).at("loss"));
    EXPECT_FALSE(byMetric(some.trained).contains("bleu"));
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] { session->effect({{}, {"train", 0}}); }), HasSubstr("choose valid or test"));
    EXPECT_THAT(whyRefused([&] { session->effect({{}, {"test", 0}}); }), HasSubstr("has no test data"));
}

TEST_F(Inspection, AMutedHeadCostsWhatZeroedColumnsCost) {
    const auto session = open();
    const EffectReport report = session->effect({{MuteHead{kHead, 1}}, {"valid", 0}});
    const Evaluation hand = byHand(
        [](const NamedTensors& weights) { weights.at(std::string(kHead) + ".value.out.weight").narrow(1, 8, 8).zero_(); });
    const MetricEffect &loss = metric(report, "loss"), &accuracy = metric(report, "accuracy");
    EXPECT_NEAR(loss.intervened, hand.loss, 1e-6);
    EXPECT_NEAR(accuracy.intervened, hand.accuracy, 1e-12);
    EXPECT_GT(std::abs(loss.difference()), 1e-4);
    EXPECT_EQ(loss.trained, byMetric(evaluate().measured.values).at("loss"));
    EXPECT_THAT(loss.signature, HasSubstr("ce:nats"));
    ASSERT_TRUE(loss.interval) << loss.whyNoInterval;
    EXPECT_LT(loss.interval->low, loss.difference());
    EXPECT_GT(loss.interval->high, loss.difference());
    EXPECT_EQ(byMetric(session->effect({{}, {"valid", 0}}).trained), byMetric(report.trained)) << "nothing stays changed";
}

/// The interval, from every sentence's own evaluation.
TEST_F(Inspection, TheIntervalIsThatOfSentencesMeasuredOneByOne) {
    const auto session = open();
    const std::vector<Intervention> clamp{ClampExposure{kGate, 0}};
    const EffectReport all = session->effect({clamp, {"valid", 0}});
    const RunData data = loadRunData(spec, {folder / "cache", tokenizerFolderOf(checkpoint), {}}, {});
    std::vector<PairedExample> pairs;
    double before = 0, after = 0, tokens = 0;
    for (std::int64_t n = 1; n <= data.valid.size(); ++n) {  // the sums of the first n sentences grow by those of one
        const MetricEffect loss = metric(session->effect({clamp, {"valid", n}}), "loss");
        const auto count = static_cast<double>(loss.n);
        pairs.push_back({loss.trained * count - before, loss.intervened * count - after, count - tokens});
        before = loss.trained * count, after = loss.intervened * count, tokens = count;
    }
    const PairedDifference found = pairedDifference(pairs);
    EXPECT_NEAR(metric(all, "loss").difference(), found.difference, 1e-6);
    ASSERT_TRUE(found.interval) << found.whyNone;
    EXPECT_NEAR(metric(all, "loss").interval->low, found.interval->low, 1e-5);
    EXPECT_NEAR(metric(all, "loss").interval->high, found.interval->high, 1e-5);
    const EffectReport few = session->effect({clamp, {"valid", 4}});
    EXPECT_FALSE(metric(few, "loss").interval);
    EXPECT_EQ(metric(few, "loss").whyNoInterval, "an interval needs at least 20 examples; there are 4");
}

TEST_F(Inspection, DecodedEffectsShowOutputsBeforeAndAfter) {
    const auto session = open();
    const EffectReport report =
        session->effect({{IdentityResidual{"decoder.layers.1.cross"}}, {"valid", 10}, EffectRequest::Depth::Decoded});
    EXPECT_NO_THROW(metric(report, "bleu"));
    EXPECT_FALSE(metric(report, "bleu").interval) << "of ten sentences";
    EXPECT_EQ(metric(report, "chrf").whyNoInterval, "intervals are available for loss, accuracy and BLEU only");
    ASSERT_EQ(report.outputs.size(), 5U);
    EXPECT_FALSE(report.outputs.front().trained.empty());
    const TextEffect text = session->outputs({report.outputs.front().source, {IdentityResidual{"decoder.layers.1.cross"}}});
    EXPECT_EQ(text.trained, report.outputs.front().trained);
    EXPECT_EQ(text.intervened, report.outputs.front().intervened);
    const TextEffect same = session->outputs({report.outputs.front().source, {}});
    EXPECT_EQ(same.trained, same.intervened);
}

TEST_F(Inspection, TheIntervalOfBleuIsThatOfItsSentences) {
    const auto session = open();
    const EffectReport report = session->effect({{ClampExposure{kGate, 0}}, {"valid", 0}, EffectRequest::Depth::Decoded});
    ASSERT_THAT(metric(report, "bleu").signature, HasSubstr("tok:none"));
    const MetricEffect& bleu = metric(report, "bleu");
    std::vector<BleuStatistics> before, after;
    for (const auto& [source, target] : test::toyPairs(20)) {
        const TextEffect text = session->outputs({source, {ClampExposure{kGate, 0}}});
        const BleuOptions words{"none", "exp", false};
        const std::vector<std::string> reference = bleuWords(target, words);
        before.push_back(bleuStatistics(bleuWords(text.trained, words), reference));
        after.push_back(bleuStatistics(bleuWords(text.intervened, words), reference));
    }
    const PairedDifference found = bleuDifference(before, after, "exp");
    EXPECT_NEAR(bleu.difference(), found.difference, 1e-9);
    EXPECT_EQ(bleu.whyNoInterval, found.whyNone);
    EXPECT_EQ(bleu.interval, found.interval);
}

TEST_F(Inspection, NeutralBlocksChangeACopyThatIsPutBack) {
    const auto session = open();
    const std::string before = test::readFile(trainedFolder() + "/weights.safetensors");
    const std::string block = "encoder.layers.0.self.residual";
    const EffectReport report = session->effect({{NeutralBlock{block}}, {"valid", 0}});
    const Evaluation hand = byHand([&](const NamedTensors& weights) {
        weights.at(block + ".gate.weight").fill_(0);
        weights.at(block + ".gate.bias").fill_(8);
    });
    EXPECT_NEAR(metric(report, "loss").intervened, hand.loss, 1e-6);
    EXPECT_EQ(byMetric(session->effect({{}, {"valid", 0}}).trained).at("loss"), metric(report, "loss").trained);
    EXPECT_EQ(session->outputs({"the red dog sees the cat", {}}).trained,
              session->outputs({"the red dog sees the cat", {NeutralBlock{block}}}).trained);
    EXPECT_EQ(test::readFile(trainedFolder() + "/weights.safetensors"), before);
}

TEST_F(Inspection, RanksEveryHeadByWhatMutingItCosts) {
    const auto session = open();
    RankRequest request;
    request.on = {"valid", 0};
    std::vector<std::int64_t> progress;
    request.progress = [&](std::int64_t done, std::int64_t all) {
        progress.push_back(done);
        EXPECT_EQ(all, 12);
    };
    const RankReport report = session->rank(request);
    ASSERT_EQ(report.entries.size(), 12U);
    EXPECT_EQ(report.all, 12);
    EXPECT_EQ(progress.size(), 12U);
    for (std::size_t i = 1; i < report.entries.size(); ++i)
        EXPECT_GE(report.entries[i - 1].loss.difference(), report.entries[i].loss.difference());
    const RankReport::Entry& first = report.entries.front();
    const EffectReport alone = session->effect({{first.intervention}, {"valid", 0}});
    EXPECT_EQ(metric(alone, "loss").intervened, first.loss.intervened);
    EXPECT_EQ(metric(alone, "loss").interval, first.loss.interval);
    EXPECT_FALSE(metric(alone, "loss").corrected || metric(alone, "loss").simultaneous);
    std::vector<double> p, corrected;
    for (const RankReport::Entry& entry : report.entries) {
        ASSERT_EQ(entry.loss.corrected.has_value(), entry.loss.interval.has_value());
        ASSERT_EQ(entry.loss.simultaneous.has_value(), entry.loss.interval.has_value());
        if (!entry.loss.interval) continue;
        EXPECT_LT(entry.loss.simultaneous->low, entry.loss.interval->low);
        EXPECT_GT(entry.loss.simultaneous->high, entry.loss.interval->high);
        const bool isOutside = entry.loss.simultaneous->low > 0 || entry.loss.simultaneous->high < 0;
        EXPECT_EQ(isOutside, entry.loss.interval->p * 12 < 0.05) << "at 1 - 0.05 / 12";
        p.push_back(entry.loss.interval->p), corrected.push_back(*entry.loss.corrected);
    }
    EXPECT_GE(p.size(), 6U);
    EXPECT_EQ(corrected, holmCorrected(p, 12)) << "of all twelve heads";
    EXPECT_EQ(metric(alone, "accuracy").intervened, first.accuracy->intervened);
}

TEST_F(Inspection, RanksGatesThatThereAre) {
    const auto session = open();
    RankRequest request;
    request.what = RankRequest::What::Gates;
    request.on = {"valid", 5};
    const RankReport report = session->rank(request);
    // GRC gates of 10 sublayers, the evaluation and adjustment gates of EAU on 6 attentions; the ungated carry has none.
    EXPECT_EQ(report.entries.size(), 22U);
    for (const RankReport::Entry& entry : report.entries) EXPECT_EQ(std::get<ClampExposure>(entry.intervention).value, 1);
    const std::vector<Intervention> absent{ClampExposure{"decoder.layers.1.self.score.gate", 0}};
    const EffectRequest asked{absent, {"valid", 5}};
    EXPECT_EQ(whyRefused<ErrorCode::Usage>([&] { session->effect(asked); }),
              whyRefused<ErrorCode::Usage>([&] { checkInterventions(absent, session->targets()); }))
        << "an exposure that these settings never show";
}

TEST_F(Inspection, AStoppedRankingSaysWhatItHas) {
    bool stops = false;
    const auto session = open([&] { return stops; });
    RankRequest request;
    request.on = {"valid", 4};
    request.progress = [&](std::int64_t done, std::int64_t) { stops = done == 3; };
    const RankReport report = session->rank(request);
    EXPECT_EQ(report.entries.size(), 3U);
    EXPECT_EQ(report.all, 12);
    const EffectRequest muted{{MuteHead{kHead, 0}}, {"valid", 4}};
    EXPECT_THAT(whyRefused<ErrorCode::Failure>([&] { session->effect(muted); }), HasSubstr("stopped"));
    stops = false;
    EXPECT_EQ(session->rank({.on = {"valid", 4}}).entries.size(), 12U) << "it goes on as before";
}

TEST_F(Inspection, SaysWhenAGateIsHeldWhereItNeverIs) {
    const auto session = open();
    EXPECT_THAT(session->effect({{ClampExposure{kGate, 2}}, {"valid", 4}}).warnings,
                Contains(HasSubstr("always lies between 0 and 1")));
    EXPECT_THAT(session->effect({{ClampExposure{kGate, 1}}, {"valid", 4}}).warnings,
                ::testing::Not(Contains(HasSubstr("never"))));
}

TEST_F(Inspection, TheLossesOfSentencesAreTheLossOfTheSet) {
    const auto session = open();
    double sum = 0, tokens = 0;
    for (std::int64_t example = 0; example < 7; ++example) {
        const Observation seen = session->observe({"", "", example, {}, {}});
        EXPECT_FALSE(seen.input.empty());
        EXPECT_FALSE(seen.reference.empty());
        for (const LabelLoss& label : seen.losses) sum += label.loss;
        tokens += static_cast<double>(seen.losses.size());
    }
    EXPECT_NEAR(sum / tokens, byMetric(session->effect({{}, {"valid", 7}}).trained).at("loss"), 1e-5);
}

TEST_F(Inspection, ASentenceShowsEveryMapAndGate) {
    const auto session = open();
    const Observation seen = session->observe({"", "", 0, {}, {}});
    std::map<std::string, int> maps;
    for (const MapTaken& map : seen.maps) {
        ++maps[map.name];
        EXPECT_EQ(map.heads, 2);
        EXPECT_EQ(std::ssize(map.rowTokens), map.rows);
        EXPECT_EQ(std::ssize(map.columnTokens), map.columns);
        ASSERT_EQ(std::ssize(map.values), map.heads * map.rows * map.columns);
        if (map.name != kAttentionWeight) continue;
        for (std::int64_t row = 0; row < map.heads * map.rows; ++row) {
            const auto first = map.values.begin() + row * map.columns;
            EXPECT_NEAR(std::accumulate(first, first + map.columns, 0.0), 1, 1e-5) << map.path;
        }
    }
    EXPECT_EQ(maps, (std::map<std::string, int>{{"weight", 6}, {"score", 6}, {"logits", 4}, {"prev", 2}}))
        << "the two self-attentions of every layer carry scores on";
    const auto gate = std::find_if(seen.means.begin(), seen.means.end(), [path = std::string(kGate)](const PositionMeans& one) {
        return one.path + "." + one.name == path;
    });
    ASSERT_NE(gate, seen.means.end());
    EXPECT_EQ(gate->values.size(), gate->tokens.size());
    for (const float mean : gate->values) EXPECT_TRUE(mean > 0 && mean < 1) << mean;
}

TEST_F(Inspection, AFreeTextWithItsTranslationIsTheExample) {
    const auto session = open();
    const Observation example = session->observe({"", "", 3, {}, {}});
    const Observation text = session->observe({example.input, example.reference, 0, {}, {}});
    ASSERT_EQ(text.losses.size(), example.losses.size());
    for (std::size_t i = 0; i < text.losses.size(); ++i) EXPECT_EQ(text.losses[i].loss, example.losses[i].loss);
    EXPECT_EQ(text.output, example.output);
    EXPECT_EQ(text.output, session->outputs({example.input, {}, {}}).trained);
}

TEST_F(Inspection, AnInterventionShowsInTheSentenceAndGoesWithIt) {
    const auto session = open();
    const Observation before = session->observe({"", "", 0, {}, {}});
    const Observation changed = session->observe({"", "", 0, {ClampExposure{kGate, 1}}, {}});
    EXPECT_NE(changed.losses.front().loss, before.losses.front().loss);
    const Observation after = session->observe({"", "", 0, {}, {}});
    EXPECT_EQ(after.losses.front().loss, before.losses.front().loss);
}

TEST_F(Inspection, ASentenceThatCannotBeReadIsRefused) {
    const auto session = open();
    const ObservationRequest absent{"", "", 99, {}, {}};
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] { session->observe(absent); }), HasSubstr("choose one of 0 … 19"));
    std::string words;
    for (int i = 0; i < 40; ++i) words += "word ";
    EXPECT_THAT(whyRefused([&] { session->observe({words, "word", 0, {}, {}}); }), HasSubstr("shorten it"));
}

}  // namespace
}  // namespace heddle
