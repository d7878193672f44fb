// SPDX-License-Identifier: Apache-2.0
// Mean and resample ablation equal numpy's (tests/oracle/ablation_oracle.py), and change nothing where there is nothing to
// change.
#include "engine/model/ablation.h"

#include "engine/base/error.h"
#include "engine/blocks/connections.h"
#include "engine/device/torch_pch.h"
#include "engine/model/forwarding_model.h"
#include "engine/model/intervened_model.h"
#include "engine/verify/tiny_presets.h"
#include "tests/unit/engine/tiny_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <utility>

namespace heddle {
namespace {

using testing::HasSubstr;
using testing_support::buildTiny;
using testing_support::distance;
using testing_support::ids;

constexpr double kEqualLoss = 1e-12;  // float64

const Json& cases() {
    static const Json all = [] {
        std::ifstream stream(HEDDLE_SOURCE_DIR "/tests/unit/engine/model/cases/ablation_cases.json");
        return Json::parse(stream);
    }();
    return all;
}

/// The sentences of the oracle, padded.
at::Tensor sentences() {
    std::vector<at::Tensor> rows;
    for (const Json& row : cases().at("sentences")) rows.push_back(at::tensor(row.get<std::vector<std::int64_t>>()));
    return at::stack(rows);
}

const Json kGated{{"defaults", {{"residual", {{"kind", "grc"}}}}}};

/// The oracle's model: 0.3 sin(0.7 i + c), c the sum of the characters of the parameter's name.
std::unique_ptr<Model> oracleModel() {
    auto model = buildTiny(kGated);
    const at::NoGradGuard noGrad;
    for (const auto& [path, tensor] : model->parameters().entries()) {
        double sum = 0;
        for (const char c : path) sum += c;
        tensor.copy_(at::arange(tensor.numel(), tensor.options()).mul(0.7).add(sum).sin().mul(0.3).view_as(tensor));
    }
    return model;
}

at::Tensor encoded(const Model& model, const at::Tensor& ids_BS) {
    const at::NoGradGuard noGrad;
    return model.encode({ids_BS, {}}, {});
}

/// Of the model as it is, over these sentences.
OutputMeans meansOf(Model& model, const std::vector<Intervention>& interventions, const at::Tensor& ids_BS) {
    OutputSums sums(interventions, model.variant());
    const at::Tensor before = encoded(model, ids_BS);
    EXPECT_TRUE(at::equal(encoded(IntervenedModel(model, sums), ids_BS), before)) << "summing changes nothing";
    return sums.means();
}

at::Tensor changed(Model& model, const std::vector<Intervention>& interventions, const at::Tensor& ids_BS) {
    checkInterventions(interventions, interventionTargets(model.variant()));
    const OutputMeans means = meansOf(model, interventions, ids_BS);
    return encoded(IntervenedModel(model, interventions, means), ids_BS);
}

/// The oracle's numbers: of each sentence its positions, of each position the first features.
double distanceTo(const Json& expected, const at::Tensor& hidden_BSD) {
    double largest = 0;
    for (std::size_t row = 0; row < expected.size(); ++row)
        for (std::size_t s = 0; s < expected[row].size(); ++s)
            for (std::size_t i = 0; i < expected[row][s].size(); ++i) {
                const auto at = [](std::size_t n) { return static_cast<std::int64_t>(n); };
                const double mine = hidden_BSD[at(row)][at(s)][at(i)].item<double>();
                largest = std::max(largest, std::abs(mine - expected[row][s][i].get<double>()));
            }
    return largest;
}

template <class Ablation>
std::vector<Intervention> ablations(const std::string& what) {
    if (what == "heads") return {Ablation{"encoder.layers.0.self", 1}, Ablation{"encoder.layers.1.self", 2}};
    if (what == "sublayer") return {Ablation{"encoder.layers.0.ffn"}};
    return {Ablation{"encoder.layers.1.self.residual.gate"}};
}

TEST(Ablation, EqualsNumpy) {
    const auto model = oracleModel();
    const Json& hidden = cases().at("hidden");
    EXPECT_LT(distanceTo(hidden.at("trained"), encoded(*model, sentences())), 1e-10);
    const auto which = std::size_t(otherRows(3) == cases().at("others").at(0).get<std::vector<std::int64_t>>() ? 0 : 1);
    ASSERT_EQ(otherRows(3), cases().at("others").at(which).get<std::vector<std::int64_t>>());
    for (const char* what : {"heads", "sublayer", "gate"}) {
        const at::Tensor mean = changed(*model, ablations<MeanOutput>(what), sentences());
        EXPECT_LT(distanceTo(hidden.at(what).at("mean"), mean), 1e-10) << what;
        const at::Tensor other = changed(*model, ablations<ResampleOutput>(what), sentences());
        EXPECT_LT(distanceTo(hidden.at(what).at("resample").at(which), other), 1e-10) << what;
        EXPECT_GT(distanceTo(hidden.at("trained"), mean), 1e-3) << what;
        EXPECT_GT(distanceTo(hidden.at("trained"), other), 1e-3) << what;
    }
}

TEST(Ablation, TheMeanOfAConstantOutputChangesNothing) {
    const auto model = oracleModel();
    {
        const at::NoGradGuard noGrad;
        model->parameters().find("encoder.layers.0.self.value.v.weight").narrow(0, 4, 4).zero_();  // head 1 is its bias
    }
    const at::Tensor before = encoded(*model, sentences());
    EXPECT_LT(distance(changed(*model, {MeanOutput{"encoder.layers.0.self", 1}}, sentences()), before), kEqualLoss);
    EXPECT_GT(distance(changed(*model, {MeanOutput{"encoder.layers.0.self", 2}}, sentences()), before), 1e-4);
}

TEST(Ablation, ResamplingEqualExamplesChangesNothing) {
    const auto model = oracleModel();
    const at::Tensor row = ids({8, 9, 3, 1, 1}), alike = row.repeat({4, 1}), mask = alike.ne(1).unsqueeze(2);
    for (const char* what : {"heads", "sublayer", "gate"}) {
        const at::Tensor other = changed(*model, ablations<ResampleOutput>(what), alike);
        EXPECT_TRUE(at::equal(other.mul(mask), encoded(*model, alike).mul(mask))) << what;
        const at::Tensor alone = changed(*model, ablations<ResampleOutput>(what), row);
        EXPECT_TRUE(at::equal(alone.narrow(1, 0, 3), encoded(*model, row).narrow(1, 0, 3)))
            << "an example without others keeps its own";
    }
}

TEST(Ablation, EveryRowGetsAnotherRow) {
    for (const std::int64_t rows : {2, 3, 7, 64, 301}) {
        const std::vector<std::int64_t> others = otherRows(rows);
        EXPECT_EQ(std::set<std::int64_t>(others.begin(), others.end()).size(), std::size_t(rows)) << "a permutation";
        for (std::int64_t row = 0; row < rows; ++row) EXPECT_NE(others[std::size_t(row)], row) << rows;
        EXPECT_EQ(otherRows(rows), others);
    }
    EXPECT_EQ(otherRows(1), std::vector<std::int64_t>{0});
}

/// Position s reads position s mod the other row's length.
TEST(Ablation, AShorterExampleBeginsAgain) {
    const at::Tensor x_BSD = at::arange(8, at::kDouble).view({2, 4, 1});
    const at::Tensor padding_BS = at::tensor(std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0, 1}).view({2, 4}).to(at::kBool);
    const at::Tensor expected = at::tensor(std::vector<double>{4, 5, 6, 4, 0, 1, 2, 3}).view({2, 4, 1});
    EXPECT_TRUE(at::equal(resampled(x_BSD, padding_BS), expected));
    EXPECT_TRUE(at::equal(resampled(x_BSD, {}), x_BSD.flip(0)));
}

TEST(Ablation, AMeanIsOverThePositionsOfEveryBatchWithoutPadding) {
    const auto model = oracleModel();
    const std::vector<Intervention> head{MeanOutput{"encoder.layers.0.self", 1}};
    OutputSums sums(head, model->variant());
    const IntervenedModel summed(*model, sums);
    for (const Json& row : cases().at("sentences")) {  // one by one, cut where their padding begins
        auto words = row.get<std::vector<std::int64_t>>();
        std::erase(words, kPad);
        encoded(summed, at::tensor(words).unsqueeze(0));
    }
    const std::string tap = "encoder.layers.0.self.value.head_output";
    EXPECT_EQ(sums.means().at(tap).sizes(), (std::vector<std::int64_t>{4, 4})) << "of all heads";
    EXPECT_LT(distance(sums.means().at(tap), meansOf(*model, head, sentences()).at(tap)), kEqualLoss);
    OutputSums padded(head, model->variant());
    encoded(IntervenedModel(*model, padded), sentences());
    EXPECT_EQ(padded.lengths().at(tap).sizes(), (std::vector<std::int64_t>{4}));
    EXPECT_LT(distance(sums.lengths().at(tap), padded.lengths().at(tap)), kEqualLoss);
    EXPECT_GT(padded.lengths().at(tap).min().item<double>(), 0);
    EXPECT_THAT(
        [&] {
            OutputSums({MeanOutput{"decoder.layers.0.self", 0}}, model->variant()).means();
        },
        testing::ThrowsMessage<Error>(HasSubstr("decoder.layers.0.self.value.head_output")))
        << "no pass went through it";
}

constexpr const char* kGateModule = "encoder.layers.0.self.residual";

/// Passes one gate as a fused path does: only where it is wanted, and nothing else.
class PassesWhatIsWanted final : public ForwardingModel {
public:
    using ForwardingModel::ForwardingModel;
    at::Tensor encode(const ModelInput& source, const Forward& f) const override {
        at::Tensor hidden_BSD = inner().encode(source, {});
        if (f.wants(kGateModule, "gate")) f.pass(kGateModule, "gate", at::full_like(hidden_BSD, 0.25));
        return hidden_BSD;
    }
};

TEST(Ablation, AMeanIsAlsoOfWhatAFusedPathShowsOnlyWhereItIsWanted) {
    const auto model = oracleModel();
    PassesWhatIsWanted fused(*model);
    const std::string gate = std::string(kGateModule) + ".gate";
    const OutputMeans means = meansOf(fused, {MeanOutput{gate}}, sentences());
    EXPECT_TRUE(means.at(gate).eq(0.25).all().item<bool>());
    OutputSums sums({MeanOutput{gate}}, model->variant());
    const TapChanges none;
    const InterveningTaps taps(none, {nullptr, &sums, {}});
    EXPECT_TRUE(taps.wants(kGateModule, "gate"));
    EXPECT_FALSE(taps.wants("encoder.layers.1.self.residual", "gate")) << "blocks do extra work for what is wanted";
}

TEST(Ablation, OnlyOtherExamplesDependOnThePadding) {
    const ResolvedVariant variant = testing_support::resolveTiny(kGated);
    const std::string gate = std::string(kGateModule) + ".gate";
    EXPECT_FALSE(TapChanges({MuteHead{"encoder.layers.0.self", 1}, ClampExposure{gate, 1}}, variant).readsPadding());
    EXPECT_TRUE(TapChanges({ClampExposure{gate, 1}, ResampleOutput{"encoder.layers.0.ffn"}}, variant).readsPadding());
}

/// Decoded step by step a mean is what it is in the whole sequence.
TEST(Ablation, AMeanHoldsInStepsOfDecoding) {
    const auto model = buildTiny(kGated);
    const at::NoGradGuard noGrad;
    const at::Tensor source = ids({4, 5, 6, 7, 3}), target = ids({2, 5, 9, 4, 8});
    const std::vector<Intervention> all{MeanOutput{"decoder.layers.0.cross", 1}, MeanOutput{"decoder.layers.1.ffn"}};
    OutputSums sums(all, model->variant());
    testing_support::logitsOf(IntervenedModel(*model, sums), source, target);
    const OutputMeans means = sums.means();
    const IntervenedModel intervened(*model, all, means);
    const Memory memory{intervened.encode({source, {}}, {}), source};
    const at::Tensor whole = intervened.decode({target, {}}, memory, {});
    const auto state = intervened.startDecoding(memory);
    std::vector<at::Tensor> steps;
    for (std::int64_t i = 0; i < target.size(1); ++i) steps.push_back(state->step(target.narrow(1, i, 1), {}));
    EXPECT_LT(distance(at::cat(steps, 1), whole), kEqualLoss);
    EXPECT_GT(distance(whole, model->decode({target, {}}, memory, {})), 1e-5);
}

/// Every value block shows the outputs of its heads where they can be replaced.
TEST(Ablation, EveryHeadAndSublayerOfThePresetsHasAMean) {
    for (const std::string& name : presetNames()) {
        const auto model = buildModel(verify::tinyPreset(name), 1);
        const at::NoGradGuard noGrad;
        for (const auto& [path, tensor] : model->parameters().entries())
            tensor.add_(at::arange(tensor.numel(), tensor.options()).mul(0.7).sin().mul(0.1).view_as(tensor).add(0.05));
        const InterventionTargets targets = interventionTargets(model->variant());
        std::vector<Intervention> all;
        for (const auto& [path, heads] : targets.attentions) all.emplace_back(MeanOutput{path, heads - 1});
        for (const std::string& path : targets.residuals) all.emplace_back(MeanOutput{path});
        OutputSums sums(all, model->variant());
        const at::Tensor before = verify::toyAnswer(*model);
        EXPECT_TRUE(at::equal(verify::toyAnswer(IntervenedModel(*model, sums)), before)) << name;
        OutputMeans means = sums.means();
        for (auto& [tap, mean] : means) mean = mean + 0.5;  // one example of one position would be its own mean
        for (const Intervention& one : all)
            EXPECT_GT(distance(verify::toyAnswer(IntervenedModel(*model, {one}, means)), before), 1e-9)
                << name << " " << textOf(one);
    }
}

}  // namespace
}  // namespace heddle
