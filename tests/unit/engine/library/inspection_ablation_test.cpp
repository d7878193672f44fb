// SPDX-License-Identifier: Apache-2.0
// Mean and resample ablation of a trained checkpoint: what a session measures, ranks and refuses.
#include "engine/metrics/correlation.h"
#include "engine/model/device_batch.h"
#include "engine/model/intervened_model.h"
#include "engine/run/inspection.h"
#include "tests/unit/engine/library/inspected_toy.h"
#include "tests/unit/engine/spec/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace heddle {
namespace {

using test::kHead;
using test::metric;
using ::testing::Contains;
using ::testing::HasSubstr;

class InspectionAblation : public test::Inspection {};

/// A head whose output is its mean is zeroed columns of W_O and a bias that has what they gave.
TEST_F(InspectionAblation, AHeadAtItsMeanCostsWhatItsMeanInTheBiasCosts) {
    const auto session = open();
    const std::vector<Intervention> mean{MeanOutput{kHead, 1}};
    const EffectReport report = session->effect({mean, {"valid", 0}});
    const RunData data = loadRunData(spec, {folder / "cache", tokenizerFolderOf(checkpoint), {}}, {});
    const auto model = buildModel(spec.variant.resolve(data.sourceWords(), data.targetWords()), spec.seed);
    copyInto(namedParameters(model->parameters()), readCheckpointWeights(checkpoint), checkpoint);
    const auto task = makeTask(spec, data);
    OutputSums sums(mean, model->variant());
    for (std::int64_t i = 0; i < data.valid.size(); ++i) {  // one by one, so that there is no padding
        const at::NoGradGuard noGrad;
        const DeviceBatch one = toDevice(task->makeEvaluationBatch(data.valid, {i}), at::kCPU);
        IntervenedModel(*model, sums).encode({one.source_BS, {}, one.sourcePadding}, {});
    }
    const at::Tensor mean_E = sums.means().begin()->second.select(0, 1).to(at::kFloat);
    const Evaluation hand = byHand([&](const NamedTensors& weights) {
        const at::Tensor columns_DE = weights.at(std::string(kHead) + ".value.out.weight").narrow(1, 8, 8);
        weights.at(std::string(kHead) + ".value.out.bias").add_(columns_DE.matmul(mean_E));
        columns_DE.zero_();
    });
    EXPECT_NEAR(metric(report, "loss").intervened, hand.loss, 1e-6);
    EXPECT_NE(metric(report, "loss").intervened,
              metric(session->effect({{MuteHead{kHead, 1}}, {"valid", 0}}), "loss").intervened);
    const TextEffect text = session->outputs({"the red dog sees the cat", mean, {}, {"valid", 0}});
    EXPECT_FALSE(text.intervened.empty());
}

TEST_F(InspectionAblation, RanksByEveryAblation) {
    const auto session = open();
    RankRequest request;
    request.on = {"valid", 0};
    std::vector<RankReport> reports;
    for (const auto ablation : {RankRequest::Ablation::Value, RankRequest::Ablation::Mean, RankRequest::Ablation::Resample}) {
        request.ablation = ablation;
        reports.push_back(session->rank(request));
        ASSERT_EQ(reports.back().entries.size(), 12U);
        EXPECT_TRUE(reports.back().isOfHeads());
        const RankReport::Entry& first = reports.back().entries.front();
        EXPECT_EQ(metric(session->effect({{first.intervention}, {"valid", 0}}), "loss").intervened, first.loss.intervened);
    }
    EXPECT_EQ(reports[0].kind(), "mute");
    EXPECT_EQ(reports[1].kind(), "mean");
    EXPECT_EQ(reports[2].kind(), "resample");
    EXPECT_NE(reports[0].entries.front().loss.intervened, reports[1].entries.front().loss.intervened);
    request.what = RankRequest::What::Gates;
    EXPECT_EQ(session->rank(request).entries.size(), 22U);
    EXPECT_FALSE(session->rank(request).isOfHeads());
    request.ablation = RankRequest::Ablation::Mean;
    const RankReport means = session->rank(request);
    ASSERT_EQ(means.entries.size(), 22U);
    EXPECT_EQ(means.kind(), "mean");
    const RankReport::Entry& first = means.entries.front();
    EXPECT_EQ(metric(session->effect({{first.intervention}, {"valid", 0}}), "loss").intervened, first.loss.intervened);
}

TEST_F(InspectionAblation, MassStandsBesideTheCost) {
    const auto session = open();
    RankRequest request;
    request.on = {"valid", 0};
    EXPECT_FALSE(session->rank(request).entries.front().mass) << "of zero ablation";
    request.ablation = RankRequest::Ablation::Mean;
    const RankReport heads = session->rank(request);
    std::map<std::string, double> byAttention;
    std::vector<double> masses, costs;
    for (const RankReport::Entry& entry : heads.entries) {
        ASSERT_TRUE(entry.mass);
        EXPECT_GT(*entry.mass, 0);
        byAttention[pathOf(entry.intervention)] += *entry.mass;
        masses.push_back(*entry.mass);
        costs.push_back(entry.loss.difference());
    }
    ASSERT_EQ(byAttention.size(), 6U);
    for (const auto& [path, sum] : byAttention) EXPECT_NEAR(sum, 1, 1e-9) << path;
    EXPECT_NEAR(heads.massCorrelation.value(), spearman(masses, costs).value, 1e-12);
    request.what = RankRequest::What::Gates;
    for (const RankReport::Entry& entry : session->rank(request).entries) {
        EXPECT_TRUE(std::isfinite(entry.mass.value())) << textOf(entry.intervention);
    }
}

TEST_F(InspectionAblation, AnExampleIsReplacedByAnotherOnlyWhereThereIsOne) {
    const auto session = open();
    const std::vector<Intervention> other{ResampleOutput{kHead, 1}};
    const EffectReport alone = session->effect({other, {"valid", 1}});
    EXPECT_EQ(metric(alone, "loss").intervened, metric(alone, "loss").trained);
    EXPECT_THAT(alone.warnings,
                Contains("Examples alone in their batch keep their own outputs: 1. Measure more examples, or use --mean."));
    EXPECT_NE(metric(session->effect({other, {"valid", 0}}), "loss").difference(), 0);
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] { session->outputs({"the red dog", other}); }), HasSubstr("use --mean"));
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] { session->observe({"", "", 0, other, {}}); }), HasSubstr("use --mean"));
    const std::vector<Intervention> mean{MeanOutput{kHead, 1}};
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] {
                    session->observe({"", "", 0, mean, {}});
                }),
                HasSubstr("a mean is over many examples"));
    const EffectRequest decoded{other, {"valid", 4}, EffectRequest::Depth::Decoded};
    EXPECT_THAT(whyRefused<ErrorCode::Usage>([&] { session->effect(decoded); }), HasSubstr("leave --decode out"));
}

}  // namespace
}  // namespace heddle
