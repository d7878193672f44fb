// SPDX-License-Identifier: Apache-2.0
// The road from a spec to a translation and a comparison, with the built program and the real engine.
#include "storage/run_query.h"
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <fstream>

namespace heddle::integration {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

double newest(const Json& run, const std::string& split, const std::string& metric) {
    double value = -1;
    for (const auto& e : run.at("evaluations"))
        if (e.at("split") == split && e.at("metric") == metric) value = e.at("value");
    return value;
}

TEST(Train, ATinyCorpusIsLearntByHeartToBleu100) {
    const Workshop shop;
    const Json run = shop.must({"train", shop / "spec.json", "--name", "tiny", "--steps", "240"});
    EXPECT_EQ(run.at("schema"), "heddle.run/1");
    EXPECT_EQ(run.at("state"), "completed");
    EXPECT_EQ(run.at("steps"), 240);
    EXPECT_DOUBLE_EQ(newest(run, "valid", "bleu"), 100);
    EXPECT_EQ(run.at("run_hash").get<std::string>().size(), 64U);
    EXPECT_GT(run.at("parameters"), 0);

    const Json translated = shop.must({"translate", "--run", "tiny", "ana sees birds ."});
    EXPECT_EQ(translated.at("lines").at(0).at("translation"), "birdse anao seest .");

    const Json best = shop.must({"translate", "--run", "tiny", "--beam", "4", "--n-best", "2", "--length-penalty", "0.6",
                                 "--attention", shop / "weights.json", "ana sees birds ."});
    EXPECT_EQ(best.at("search").at("beam"), 4);
    const Json texts = best.at("lines").at(0).at("hypotheses");
    ASSERT_EQ(texts.size(), 2U);
    EXPECT_EQ(texts.at(0).at("text"), "birdse anao seest .");
    EXPECT_GT(texts.at(0).at("score"), texts.at(1).at("score"));
    std::ifstream file(shop / "weights.json");
    const Json weights = Json::parse(file).at("lines").at(0);
    EXPECT_EQ(weights.at("source_tokens").size(), 5U);
    EXPECT_EQ(weights.at("target_tokens").back(), "<eos>");
    const Json& head = weights.at("cross").at(0).at("heads").at(0);
    EXPECT_EQ(head.size(), weights.at("target_tokens").size());
    EXPECT_EQ(head.at(0).size(), 5U);
    const auto generated = shop.run({"generate", "--run", "tiny", "ana"});
    EXPECT_EQ(generated.code, 3);
    EXPECT_THAT(generated.err, HasSubstr("heddle translate"));
}

TEST(Train, ADryRunSaysWhatTheRunWouldBeAndRecordsNothing) {
    const Workshop shop;
    const Json said = shop.must({"train", shop / "spec.json", "--epochs", "3", "--dry-run"});
    EXPECT_EQ(said.at("schema"), "heddle.dry_run/1");
    EXPECT_EQ(said.at("steps"), 3 * said.at("steps_per_epoch").get<std::int64_t>());
    EXPECT_FALSE(std::filesystem::exists(shop / Workshop::database()));
    const Json trained = shop.must({"train", shop / "spec.json", "--epochs", "3"});
    EXPECT_EQ(trained.at("steps"), said.at("steps"));
    EXPECT_EQ(trained.at("parameters"), said.at("parameters"));
    const auto missing = shop.run({"train", shop / "spec.json", "--set", "data.train.source=absent", "--dry-run"});
    EXPECT_EQ(missing.code, 3);
    EXPECT_THAT(missing.err + missing.out, HasSubstr("absent"));
}

TEST(Train, ACooldownForkedFromATrunkIsTheRunThatWasPlannedSo) {
    const Workshop shop;
    const std::vector<std::string> settings{"--set", "train.schedule.kind=wsd",   "--set", "train.schedule.warmup=5",
                                            "--set", "train.checkpoint_every=10", "--set", "train.keep_last=5"};
    const auto with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), settings.begin(), settings.end());
        return arguments;
    };
    shop.must(with({"train", shop / "spec.json", "--name", "trunk", "--steps", "30", "--set", "train.schedule.decay=0"}));
    const Json fork = shop.must({"fork", "trunk", "--at", "20", "--exact", "--set", "train.steps=25", "--set",
                                 "train.schedule.decay=0.2", "--name", "cooldown"});
    const Json planned = shop.must(
        with({"train", shop / "spec.json", "--name", "planned", "--steps", "25", "--set", "train.schedule.decay=0.2"}));
    EXPECT_EQ(fork.at("steps"), 25);
    EXPECT_EQ(lastWeights(fork), lastWeights(planned));
    const Result other = shop.run({"fork", "trunk", "--at", "20", "--exact", "--set", "train.batch.sentences=8"});
    EXPECT_EQ(other.code, 2);
    EXPECT_THAT(other.err, HasSubstr("keeps train.batch"));
}

TEST(Train, MapsThatTogetherExceedTheRecordersQueueAreAllKept) {
    const Workshop shop;
    std::string text;
    for (int line = 0; line < 220; ++line) text += "one loom weaves all of its threads by the heddle\n";
    for (const char* file : {"words.train", "words.valid"}) shop.write(file, text);
    // Of three probe sentences 4 layers × 8 heads × 600 × 600 weights: 138 MB, and the queue holds 67.
    const Json spec{{"schema", 1},
                    {"data",
                     {{"task", "causal_lm"},
                      {"packing", "blocks"},
                      {"tokenizer", {{"kind", "words"}}},
                      {"train", {{"source", shop / "words.train"}}},
                      {"valid", {{"source", shop / "words.valid"}}}}},
                    {"record", {{"maps_every", 1}, {"probes", 3}}},
                    {"train", {{"batch", {{"sentences", 1}, {"tokens", 0}}}, {"epochs", 0}, {"steps", 1}}},
                    {"variant",
                     {{"topology", "decoder"},
                      {"dims", {{"d", 16}, {"f", 16}, {"heads", 8}, {"layers_dec", 4}, {"max_len", 601}}},
                      {"head", {{"kind", "lm"}}},
                      {"position", {{"kind", "learned"}}}}}};
    shop.write("long.json", spec.dump());
    const Json trained = shop.must({"train", shop / "long.json"});
    const auto query = storage::RunQuery::open(shop / Workshop::database());
    const std::string run = trained.at("run");
    EXPECT_EQ(query->mapIndex(run).size(), 12U);
    // Scalars may be thinned on a busy machine, which is a gap too; nothing may be lost.
    for (const auto& event : query->events(run)) EXPECT_THAT(event.text, Not(HasSubstr("were left out")));
}

/// A number of bytes says whose they are: evaluations and checkpoints may take more.
TEST(Count, SaysWhichPhaseItsMemoryIsOf) {
    const Workshop shop;
    std::vector<std::string> arguments{"variants", "count", "eau-base", "--memory"};
    for (const char* size : {"vocab_src=50", "vocab_tgt=50", "d=16", "f=32", "heads=2", "layers_enc=1", "layers_dec=1"})
        arguments.insert(arguments.end(), {"--set", std::string("dims.") + size});
    Program program(arguments, shop / "");
    const Result text = program.wait();
    ASSERT_EQ(text.code, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("a training step on"));
    EXPECT_THAT(text.out, HasSubstr("Not counted: the program itself and the data, evaluation, decoding"));
    arguments.emplace_back("--json");
    const Json counted = Program(arguments, shop / "").wait().json();
    EXPECT_EQ(counted.at("peak_of"), "training step");
    const double parameters = counted.at("parameters").get<double>();
    EXPECT_GT(counted.at("peak_bytes").get<double>(), 16 * parameters) << "weights, gradients and two moments are in it";
}

TEST(Evaluate, MeasuresACheckpointAsTheRunDidAndOtherConditionsToo) {
    const Workshop shop;
    const Json shown = shop.must({"train", shop / "spec.json", "--name", "tiny", "--steps", "80"});
    const auto valueOf = [](const Json& report, const std::string& metric) {
        for (const Json& value : report.at("values"))
            if (value.at("metric") == metric) return value.at("value").get<double>();
        return -1.0;
    };
    const Json again = shop.must({"evaluate", "--run", "tiny", "--checkpoint", "last"});
    EXPECT_EQ(again.at("schema"), "heddle.evaluation/1");
    EXPECT_EQ(again.at("step"), 80);
    for (const char* metric : {"loss", "accuracy", "bleu"})
        EXPECT_DOUBLE_EQ(valueOf(again, metric), newest(shown, "valid", metric)) << metric;

    const Json timing = shop.must({"evaluate", "--run", "tiny", "--sentences", "3"});
    EXPECT_GT(valueOf(timing, "decode_seconds"), 0);
    for (const Json& value : timing.at("values")) {
        if (value.at("metric") != "decode_seconds") continue;
        EXPECT_EQ(value.at("n"), 3);
        EXPECT_THAT(value.at("signature").get<std::string>(), HasSubstr("|machine:"));
    }
    const Json uncached = shop.must({"evaluate", "--run", "tiny", "--sentences", "3", "--set", "evaluate.timed_uncached=true"});
    EXPECT_GT(valueOf(uncached, "decode_seconds_uncached"), 0);
    EXPECT_DOUBLE_EQ(valueOf(uncached, "bleu"), valueOf(timing, "bleu"));
    const Json searched = shop.must({"evaluate", "--run", "tiny", "--checkpoint", "last", "--set", "evaluate.beam=3", "--set",
                                     "evaluate.length_penalty=0.6"});
    for (const Json& value : searched.at("values")) {
        if (value.at("metric") != "bleu" && value.at("metric") != "chrf") continue;
        EXPECT_THAT(value.at("signature").get<std::string>(), EndsWith("|beam:3|length_penalty:0.6"));
    }
    const Json sample = searched.at("samples").at(0);
    const Json translated = shop.must({"translate", "--run", "tiny", "--checkpoint", "last", "--beam", "3", "--length-penalty",
                                       "0.6", sample.at("source").get<std::string>()});
    EXPECT_EQ(sample.at("hypothesis"), translated.at("lines").at(0).at("hypotheses").at(0).at("text"));
    EXPECT_GT(shown.at("training_seconds").get<double>(), 0);
    EXPECT_LT(shown.at("training_seconds"), shown.at("seconds"));
    EXPECT_GT(shown.at("seconds_per_epoch").get<double>(), 0);
    EXPECT_GT(shown.at("steps_to_best").get<int>(), 0);
    EXPECT_LE(shown.at("seconds_to_best"), shown.at("training_seconds"));

    const Json earlier = shop.must({"evaluate", "--run", "tiny", "--checkpoint", "60", "--no-decoding"});
    EXPECT_GT(valueOf(earlier, "loss"), valueOf(again, "loss"));
    EXPECT_EQ(valueOf(earlier, "bleu"), -1) << "not decoded";

    const auto other = shop.run({"evaluate", "--run", "tiny", "--set", "defaults.residual.kind=add"});
    EXPECT_NE(other.code, 0) << "other parameters than the checkpoint's";
    EXPECT_THAT(other.err, HasSubstr("residual.gate"));
    EXPECT_NE(shop.run({"evaluate", "--run", "tiny", "--split", "train"}).code, 0);
}

TEST(Train, TwoVariantsInOneDatabaseAreCompared) {
    const Workshop shop;
    shop.must({"train", shop / "spec.json", "--name", "full", "--steps", "40"});
    shop.must({"train", shop / "spec.json", "--set", "variant.preset=eau-base", "--name", "base", "--steps", "40"});
    const Json document = shop.must({"compare", "base", "full", "--svg", shop / "curves.svg"});
    EXPECT_FALSE(document.at("spec_differences").empty());
    EXPECT_FALSE(document.at("metrics").empty());
    EXPECT_GT(document.at("runs").at(1).at("parameters"), document.at("runs").at(0).at("parameters"));
    EXPECT_GT(std::filesystem::file_size(shop / "curves.svg"), 2000U);
}

TEST(Resume, AStoppedRunContinuesToTheSameBits) {
    const Workshop shop;
    const Json straight = shop.must({"train", shop / "spec.json", "--steps", "150"});

    const Workshop other;
    const auto program = other.start({"train", other / "spec.json", "--steps", "150"});
    const auto run = other.waitForStep(30);
    program->signal(SIGTERM);
    const auto stopped = program->wait();
    EXPECT_EQ(stopped.code, 75) << stopped.err;
    EXPECT_THAT(stopped.err, HasSubstr("heddle resume " + run));
    EXPECT_EQ(stopped.json().at("state"), "stopped");
    EXPECT_LT(stopped.json().at("steps"), 150) << "it was to be stopped in the middle";

    const Json resumed = other.must({"resume", run});
    EXPECT_EQ(resumed.at("attempts").size(), 2U);
    EXPECT_EQ(lastWeights(resumed), lastWeights(straight));
}

TEST(Resume, AKilledRunContinuesToTheSameBitsAndSaysSo) {
    const Workshop shop;
    const Json straight = shop.must({"train", shop / "spec.json", "--steps", "150"});

    const Workshop other;
    const auto program = other.start({"train", other / "spec.json", "--steps", "150"});
    const auto run = other.waitForStep(45);
    program->signal(SIGKILL);
    EXPECT_EQ(program->wait().code, 128 + SIGKILL);
    const Json resumed = other.must({"resume", run});
    EXPECT_EQ(lastWeights(resumed), lastWeights(straight));
    const Json attempt = resumed.at("attempts").at(1);
    EXPECT_NE(attempt.at("replay"), "different");
    EXPECT_GE(attempt.at("first_step"), 20) << "there were checkpoints to start from";
    EXPECT_LT(attempt.at("context").at("first_step_seconds"), attempt.at("seconds"));
}

TEST(Resume, ACompletedRunIsRefusedAndGetsNoAttempt) {
    const Workshop shop;
    shop.must({"train", shop / "spec.json", "--name", "tiny", "--steps", "20"});
    const auto refused = shop.run({"resume", "tiny"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("the run is complete: it ended at step 20"));
    EXPECT_THAT(refused.err, HasSubstr("--steps N"));
    EXPECT_EQ(refused.json().at("schema"), "heddle.error/1");
    const Json run = shop.run({"runs", "show", "tiny"}).json();
    EXPECT_EQ(run.at("state"), "completed");
    EXPECT_EQ(run.at("attempts").size(), 1U);
}

TEST(Resume, ANewLimitTrainsACompletedRunFurtherAsIfItHadBeenTheFirst) {
    const Workshop straight, shop;
    const Json whole = straight.must({"train", straight / "spec.json", "--steps", "40"});
    shop.must({"train", shop / "spec.json", "--name", "tiny", "--steps", "20"});
    const auto refused = shop.run({"resume", "tiny", "--steps", "20"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("the run already has 20"));
    const Json extended = shop.must({"resume", "tiny", "--steps", "40"});
    EXPECT_EQ(extended.at("steps"), 40);
    EXPECT_EQ(extended.at("attempts").size(), 2U);
    EXPECT_EQ(extended.at("spec").at("train").at("steps"), 40);
    EXPECT_EQ(lastWeights(extended), lastWeights(whole));
}

TEST(Resume, AnExtendedRunKeepsItsScheduleAndIsNotTakenForAWholeOne) {
    const Workshop straight, shop;
    const std::vector<std::string> linear = {"--set", "train.schedule.kind=linear", "--set", "train.schedule.warmup=3"};
    const auto with = [&](std::vector<std::string> command) {
        command.insert(command.end(), linear.begin(), linear.end());
        return command;
    };
    const Json whole = straight.must(with({"train", straight / "spec.json", "--steps", "20"}));
    EXPECT_EQ(whole.at("extended"), Json::array());
    shop.must(with({"train", shop / "spec.json", "--name", "tiny", "--steps", "10"}));
    const auto resumed = shop.run({"resume", "tiny", "--steps", "20"});
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("extended after step 10"));
    EXPECT_THAT(resumed.err, HasSubstr("schedule linear ends at step 10"));
    const Json run = shop.run({"runs", "show", "tiny"}).json();
    EXPECT_EQ(run.at("extended"), Json::array({10}));
    EXPECT_NE(run.at("run_hash"), whole.at("run_hash"));
    const auto query = storage::RunQuery::open((shop / Workshop::database()).string());
    const auto rates = query->points(run.at("run"), "lr", "", 10, 20);
    EXPECT_EQ(rates.size(), 11U);
    for (const auto& rate : rates) EXPECT_EQ(rate.value, 0) << "step " << rate.step << ": the schedule has ended";
}

TEST(Train, AWarmUpLongerThanTheRunIsSaid) {
    const Workshop shop;
    const std::string noam = "train.schedule.kind=noam";
    const auto dry = shop.run({"train", shop / "spec.json", "--steps", "10", "--set", noam, "--dry-run"});
    ASSERT_EQ(dry.code, 0) << dry.err;
    ASSERT_EQ(dry.json().at("warnings").size(), 1U);
    EXPECT_THAT(dry.json().at("warnings").at(0), HasSubstr("the warm-up is longer than the run"));
    const auto trained = shop.run({"train", shop / "spec.json", "--steps", "10", "--set", noam});
    EXPECT_THAT(trained.err, HasSubstr("warning: the warm-up is longer than the run"));
}

TEST(Signals, InterruptWritesACheckpointASecondOneEndsAtOnce) {
    const Workshop shop;
    const auto program = shop.start({"train", shop / "spec.json", "--steps", "100000"});
    shop.waitForStep(5);
    program->signal(SIGINT);
    const auto result = program->wait();
    EXPECT_EQ(result.code, 130) << result.err;
    EXPECT_EQ(result.json().at("state"), "stopped");
    lastWeights(result.json());

    const Workshop other;
    const auto stubborn = other.start({"train", other / "spec.json", "--steps", "100000"});
    other.waitForStep(5);
    stubborn->signal(SIGTERM);
    stubborn->signal(SIGTERM);
    const auto ended = stubborn->wait(20);
    EXPECT_TRUE(ended.code == 143 || ended.code == 75) << ended.code << "; 75 only if both signals were merged by the system";
}

TEST(TwoTrainers, TheSecondNamesTheOwnerOrEnqueues) {
    const Workshop shop;
    const auto first = shop.start({"train", shop / "spec.json", "--name", "first", "--steps", "400"});
    shop.waitForStep(1);
    const auto second = shop.run({"train", shop / "spec.json", "--name", "second", "--steps", "20"});
    EXPECT_EQ(second.code, 1);
    EXPECT_EQ(second.json().at("schema"), "heddle.error/1");
    EXPECT_THAT(second.err, HasSubstr("heddle train, pid "));
    EXPECT_THAT(second.err, HasSubstr("--enqueue"));
    const auto third = shop.run({"train", shop / "spec.json", "--name", "third", "--steps", "20", "--enqueue"});
    EXPECT_EQ(third.code, 0) << third.err;
    const auto ended = first->wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    const Json runs = shop.run({"runs", "list"}).json().at("runs");
    ASSERT_EQ(runs.size(), 2U);
    for (const auto& run : runs) EXPECT_EQ(run.at("state"), "completed") << run.dump();
}

}  // namespace
}  // namespace heddle::integration
