// SPDX-License-Identifier: Apache-2.0
// `heddle inspect`, with the built program and the real engine.
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <set>
#include <string>
#include <thread>

namespace heddle::integration {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kGate = "encoder.layers.0.self.residual.gate";

Json metricOf(const Json& document, const std::string& metric) {
    for (const Json& value : document.at("values"))
        if (value.at("metric") == metric) return value;
    ADD_FAILURE() << "no " << metric << " in " << document.dump();
    return {};
}

/// A small trained run, made once.
class Inspect : public testing::Test {
protected:
    static void SetUpTestSuite() {
        shop_ = std::make_unique<Workshop>();
        shop_->must({"train", *shop_ / "spec.json", "--name", "tiny", "--steps", "160"});
    }
    static void TearDownTestSuite() { shop_.reset(); }

    static Result inspect(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"inspect", "tiny"});
        return shop_->run(std::move(arguments));
    }
    /// The message of a command that is refused as bad usage.
    static std::string refusal(std::vector<std::string> arguments) {
        const Result result = inspect(std::move(arguments));
        EXPECT_EQ(result.code, 2) << result.err;
        return result.err;
    }

    static std::unique_ptr<Workshop> shop_;
};
std::unique_ptr<Workshop> Inspect::shop_;

TEST_F(Inspect, WithoutInterventionsTellsWhatEvaluateTellsAndWhatCanBeChanged) {
    const Result inspected = inspect({"--examples", "0", "--decode"}), evaluated = shop_->run({"evaluate", "--run", "tiny"});
    ASSERT_EQ(inspected.code, 0) << inspected.err;
    const Json document = inspected.json(), measured = evaluated.json();
    EXPECT_EQ(document.at("schema"), "heddle.inspect/1");
    EXPECT_EQ(document.at("examples"), 24);
    for (const char* metric : {"loss", "accuracy", "bleu", "chrf"}) {
        EXPECT_EQ(metricOf(document, metric).at("trained"), metricOf(measured, metric).at("value")) << metric;
        EXPECT_EQ(metricOf(document, metric).at("signature"), metricOf(measured, metric).at("signature")) << metric;
    }
    const Json& targets = document.at("targets");
    EXPECT_EQ(targets.at("mute").at(0), Json::parse(R"({"path":"encoder.layers.0.self","heads":4})"));
    EXPECT_EQ(targets.at("mute").size(), 3U);
    EXPECT_EQ(targets.at("identity").size(), 5U);
    EXPECT_TRUE(targets.at("cut_carry").empty());
}

TEST_F(Inspect, MeasuresAndShowsTheEffectOfInterventions) {
    const Result result = inspect(
        {"--mute", "encoder.layers.0.self:1", "--clamp", std::string(kGate) + "=0", "--decode", "--text", "ana sees birds ."});
    ASSERT_EQ(result.code, 0) << result.err;
    const Json document = result.json();
    EXPECT_EQ(document.at("step"), shop_->run({"evaluate", "--run", "tiny", "--no-decoding"}).json().at("step"));
    EXPECT_EQ(document.at("interventions").at(0), Json::parse(R"({"kind":"mute","path":"encoder.layers.0.self","head":1})"));
    const Json loss = metricOf(document, "loss");
    EXPECT_DOUBLE_EQ(loss.at("difference").get<double>(),
                     loss.at("intervened").get<double>() - loss.at("trained").get<double>());
    EXPECT_GT(loss.at("difference").get<double>(), 0);
    EXPECT_LT(loss.at("interval").at(0), loss.at("difference"));
    EXPECT_GT(loss.at("interval").at(1), loss.at("difference"));
    EXPECT_LT(loss.at("p"), 0.05);
    EXPECT_TRUE(loss.at("no_interval").is_null());
    EXPECT_TRUE(metricOf(document, "chrf").at("interval").is_null());
    EXPECT_TRUE(metricOf(document, "chrf").at("p").is_null());
    EXPECT_EQ(metricOf(document, "chrf").at("no_interval"), "intervals are available for loss, accuracy and BLEU only");
    EXPECT_EQ(document.at("outputs").size(), 5U);
    const Result translated = shop_->run({"translate", "--run", "tiny", "ana sees birds ."});
    EXPECT_EQ(document.at("text").at("trained"), translated.json().at("lines").at(0).at("translation"));

    const Result alone = inspect({"--identity", "decoder.layers.0.cross", "--text", "ana sees birds .", "--step", "160"});
    ASSERT_EQ(alone.code, 0) << alone.err;
    EXPECT_FALSE(alone.json().contains("values"));
    EXPECT_NE(alone.json().at("text").at("intervened"), alone.json().at("text").at("trained"));
    EXPECT_EQ(alone.json().at("step"), 160);
}

TEST_F(Inspect, RanksHeadsAndGates) {
    const Result heads = inspect({"--rank", "heads", "--examples", "10"});
    ASSERT_EQ(heads.code, 0) << heads.err;
    EXPECT_EQ(heads.json().at("examples"), 10);
    EXPECT_EQ(heads.json().at("rank").at("entries").at(0).at("loss").at("no_interval"),
              "an interval needs at least 20 examples; there are 10");
    EXPECT_TRUE(heads.json().at("rank").at("entries").at(0).at("loss").at("p_holm").is_null());
    const Json rank = heads.json().at("rank");
    EXPECT_EQ(rank.at("entries").size(), 12U);
    EXPECT_EQ(rank.at("complete"), true);
    EXPECT_GE(rank.at("entries").at(0).at("loss").at("difference"), rank.at("entries").at(11).at("loss").at("difference"));
    const Result gates = inspect({"--rank", "gates", "--at", "0"});
    ASSERT_EQ(gates.code, 0) << gates.err;
    EXPECT_EQ(gates.json().at("rank").at("value"), 0);
    const Json first = gates.json().at("rank").at("entries").at(0).at("loss");
    EXPECT_GE(first.at("p_holm"), first.at("p"));
    EXPECT_EQ(gates.json().at("rank").at("entries").at(0).at("intervention").at("kind"), "clamp");
}

TEST_F(Inspect, RanksAndMeasuresByMeanAndByAnotherExample) {
    std::set<std::string> losses;
    int intervals = 0;
    for (const std::string how : {"zero", "mean", "resample"}) {
        const Result result = inspect({"--rank", "heads", "--ablation", how, "--examples", "0"});
        ASSERT_EQ(result.code, 0) << result.err;
        const Json rank = result.json().at("rank"), first = rank.at("entries").at(0);
        EXPECT_EQ(rank.at("ablation"), how);
        EXPECT_EQ(rank.contains("seed"), how == "resample");
        EXPECT_EQ(first.at("intervention").at("kind"), how == "zero" ? "mute" : how);
        losses.insert(first.at("loss").at("intervened").dump());
        for (const Json& entry : rank.at("entries")) {
            const Json& loss = entry.at("loss");
            EXPECT_EQ(loss.at("interval_all").is_null(), loss.at("interval").is_null()) << loss;
            EXPECT_NE(loss.at("no_interval").is_null(), loss.at("interval").is_null()) << loss;
            if (loss.at("interval").is_null()) continue;
            ++intervals;
            EXPECT_LT(loss.at("interval_all").at(0), loss.at("interval").at(0));
            EXPECT_GT(loss.at("interval_all").at(1), loss.at("interval").at(1));
        }
    }
    EXPECT_EQ(losses.size(), 3U);
    EXPECT_GT(intervals, 0);
    const Json gates = inspect({"--rank", "gates", "--ablation", "mean"}).json().at("rank");
    EXPECT_EQ(gates.at("ablation"), "mean");
    EXPECT_GT(gates.at("entries").at(0).at("mass"), 0);
    EXPECT_EQ(gates.at("mass_correlation").at("n"), gates.at("of"));
    ASSERT_EQ(inspect({"--rank", "heads", "--ablation", "mean", "--plot", *shop_ / "heads.svg"}).code, 0);
    EXPECT_TRUE(std::filesystem::exists(*shop_ / "heads.svg"));
    EXPECT_THAT(refusal({"--rank", "heads", "--plot", *shop_ / "zero.svg"}), HasSubstr("add --rank heads or gates"));
    EXPECT_FALSE(gates.contains("value"));
    const Json sublayer = inspect({"--mean", "encoder.layers.0.ffn", "--text", "ana sees birds ."}).json();
    EXPECT_EQ(sublayer.at("interventions").at(0), Json::parse(R"({"kind":"mean","path":"encoder.layers.0.ffn"})"));
    const Json other = inspect({"--resample", std::string(kGate)}).json();
    EXPECT_EQ(other.at("interventions").at(0).at("seed"), 1);
    EXPECT_NE(metricOf(other, "loss").at("difference"), 0);
}

TEST_F(Inspect, ReadsEveryLayerOfSeveralCheckpoints) {
    const Result one = inspect({"--lens", "--examples", "0"});
    ASSERT_EQ(one.code, 0) << one.err;
    const Json document = one.json(), trained = inspect({"--examples", "0"}).json();
    EXPECT_EQ(document.at("schema"), "heddle.inspect/1");
    EXPECT_EQ(document.at("step"), trained.at("step"));
    const Json layers = document.at("lens").at("checkpoints").at(0).at("layers");
    ASSERT_EQ(layers.size(), 2U) << "the decoder has one layer";
    EXPECT_EQ(layers.at(0).at("path"), "decoder.h0");
    EXPECT_EQ(layers.at(1).at("loss"), metricOf(trained, "loss").at("trained"));
    EXPECT_EQ(layers.at(1).at("kl"), 0);
    EXPECT_GT(layers.at(0).at("kl"), 0);
    const Json all = inspect({"--lens", "--checkpoint", "all"}).json().at("lens");
    ASSERT_GE(all.at("checkpoints").size(), 1U);
    EXPECT_GT(all.at("positions"), 24);
    const Json twice = inspect({"--lens", "--checkpoint", "160,last"}).json().at("lens").at("checkpoints");
    ASSERT_EQ(twice.size(), 1U) << "the last one is that of step 160";
    EXPECT_EQ(twice.at(0).at("step"), 160);
    EXPECT_THAT(refusal({"--checkpoint", "all"}), HasSubstr("add --lens"));
    EXPECT_THAT(refusal({"--lens", "--mute", "encoder.layers.0.self:1"}), HasSubstr("remove the interventions"));
    EXPECT_THAT(refusal({"--lens", "--checkpoint", "160,7"}), HasSubstr("there is no checkpoint \"7\""));
}

TEST_F(Inspect, LabelsHeads) {
    shop_->write("gold.txt", [] {
        std::string lines;
        for (int i = 0; i < 24; ++i) lines += "0-0 1?1\n";
        return lines;
    }());
    const Result result = inspect({"--labels", "--examples", "0", "--alignments", *shop_ / "gold.txt"});
    ASSERT_EQ(result.code, 0) << result.err;
    const Json labels = result.json().at("labels");
    EXPECT_EQ(labels.at("threshold"), 0.5);
    ASSERT_EQ(labels.at("heads").size(), 12U);
    const Json first = labels.at("heads").at(0), last = labels.at("heads").at(11);
    EXPECT_EQ(first.at("path"), "encoder.layers.0.self");
    EXPECT_GT(first.at("previous_token"), 0);
    EXPECT_GT(first.at("n"), 0);
    EXPECT_TRUE(first.at("aer").is_null());
    EXPECT_EQ(last.at("path"), "decoder.layers.0.cross");
    EXPECT_TRUE(last.at("previous_token").is_null());
    EXPECT_GE(last.at("aer"), 0);
    EXPECT_LE(last.at("aer"), 1);
    EXPECT_THAT(refusal({"--alignments", "gold.txt"}), HasSubstr("add --labels"));
    EXPECT_THAT(refusal({"--labels", "--lens"}), HasSubstr("two tables"));
    EXPECT_EQ(inspect({"--labels", "--alignments", *shop_ / "none.txt"}).code, 3);
}

TEST_F(Inspect, PatchesFromAnotherCheckpointAndFromAnotherText) {
    shop_->must({"train", *shop_ / "spec.json", "--name", "160", "--steps", "160", "--set", "seed=9"});
    const Result result = inspect({"--patch-from", "160@best", "--examples", "0"});
    ASSERT_EQ(result.code, 0) << result.err;
    const Json document = result.json();
    const Json& patch = document.at("patch");
    EXPECT_EQ(patch.at("complete"), true);
    ASSERT_EQ(patch.at("parts").size(), 12U + 5U);
    const double whole = patch.at("whole").at("difference").get<double>();
    for (const Json& part : patch.at("parts"))
        EXPECT_NEAR(part.at("restored").get<double>(), part.at("loss").at("difference").get<double>() / whole, 1e-9);
    const std::string other = patch.at("from").at("run");
    EXPECT_NE(other, document.at("run"));
    EXPECT_EQ(inspect({"--patch-from", "160"}).json().at("patch").at("from").at("run"), document.at("run")) << "a step";
    for (const std::string& named : {other, other + "@160"})
        EXPECT_EQ(inspect({"--patch-from", named}).json().at("patch").at("from").at("run"), other);

    EXPECT_THAT(refusal({"--text", "ana sees birds .", "--corrupt", "ana sees birds ."}),
                HasSubstr("both texts have the answer"));
    EXPECT_THAT(refusal({"--text", "ana sees birds .", "--corrupt", "ana sees ."}), HasSubstr("as many tokens"));
    EXPECT_THAT(refusal({"--corrupt", "ana sees birds ."}), HasSubstr("give that with --text"));
    EXPECT_THAT(refusal({"--patch-from", "other", "--rank", "heads"}), HasSubstr("remove the interventions"));
    EXPECT_THAT(refusal({"--patch-from", "other", "--text", "ana"}), HasSubstr("measures examples"));
}

TEST_F(Inspect, SaysWhatCannotBeDoneAndWhatCan) {
    EXPECT_THAT(refusal({"--mute", "encoder.layers.0.sef:1"}),
                AllOf(HasSubstr("did you mean \"encoder.layers.0.self\"?"), HasSubstr("decoder.layers.0.cross")));
    EXPECT_THAT(refusal({"--mute", "encoder.layers.0.self:4"}), HasSubstr("its heads are 0 to 3"));
    EXPECT_THAT(refusal({"--mute", "encoder.layers.0.self"}), HasSubstr("(--mute): write it as"));
    EXPECT_THAT(refusal({"--clamp", "encoder.layers.0.self.adjuster.hidden=1"}), HasSubstr("can be observed but not changed"));
    EXPECT_THAT(refusal({"--clamp", std::string(kGate) + "=high"}), HasSubstr("does not specify what to clamp"));
    EXPECT_THAT(refusal({"--cut-carry", "encoder.layers.0.self"}), HasSubstr("reads no scores of earlier layers"));
    EXPECT_THAT(refusal({"--neutral", "encoder.layers.0.self"}), HasSubstr("encoder.layers.0.self.residual"));
    EXPECT_THAT(refusal({"--step", "7"}), HasSubstr("there is no checkpoint \"7\""));
    EXPECT_THAT(refusal({"--rank", "layers"}), HasSubstr("--rank heads"));
    EXPECT_THAT(refusal({"--rank", "heads", "--mute", "encoder.layers.0.self:1"}), HasSubstr("remove the interventions"));
    EXPECT_THAT(refusal({"--ablation", "mean"}), HasSubstr("--ablation needs --rank"));
    EXPECT_THAT(refusal({"--rank", "heads", "--ablation", "median"}), HasSubstr("unknown ablation"));
    EXPECT_THAT(refusal({"--rank", "gates", "--ablation", "mean", "--at", "0"}), HasSubstr("remove --at or --ablation"));
    EXPECT_THAT(refusal({"--mean", "encoder.layers.0.self.weight"}), HasSubstr("over pairs of positions"));
    EXPECT_THAT(refusal({"--resample", "encoder.layers.0.self:1", "--decode"}), HasSubstr("leave --decode out"));
    EXPECT_THAT(refusal({"--resample", "encoder.layers.0.self:1", "--text", "ana"}), HasSubstr("leave --text out"));
    EXPECT_THAT(refusal({"--split", "train"}), HasSubstr("choose valid or test"));
    EXPECT_EQ(inspect({"--split", "test"}).code, 3) << "the run has none";
    EXPECT_EQ(shop_->run({"inspect", "tinny"}).code, 2);
    const Json error = inspect({"--mute", "x:1"}).json();
    EXPECT_EQ(error.at("schema"), "heddle.error/1");
}

TEST_F(Inspect, NothingStoredChanges) {
    const auto hashes = [] { return lastWeights(shop_->run({"runs", "show", "tiny"}).json()); };
    const std::string before = hashes();
    ASSERT_EQ(inspect({"--neutral", "encoder.layers.0.self.residual"}).code, 0);
    EXPECT_EQ(hashes(), before);
    EXPECT_EQ(shop_->run({"runs", "verify"}).code, 0);
}

TEST_F(Inspect, ASignalEndsARankingWithWhatItHas) {
    const auto program = shop_->start({"inspect", "tiny", "--rank", "heads", "--examples", "0"});
    for (int i = 0; i < 100 && program->running(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    program->signal(SIGINT);
    const Result result = program->wait();
    if (result.code == 0) GTEST_SKIP() << "it was faster";
    EXPECT_EQ(result.code, 130) << result.err;
    if (!result.out.empty()) {
        EXPECT_EQ(result.json().value("schema", ""), "heddle.inspect/1");
    }
}

}  // namespace
}  // namespace heddle::integration
