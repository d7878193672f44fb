// SPDX-License-Identifier: Apache-2.0
// How events are told is stored and printed: kinds, keys and sentences stay what they were.
#include "engine/run/event_words.h"

#include "engine/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

namespace heddle {
namespace {

using testing::HasSubstr;

template <class Body>
std::string told(const Body& body) {
    const EventWords words = wordsOf(body);
    return words.kind + "|" + words.text + "|" + words.data.dump();
}

TEST(EventWords, AnAttemptIsDescribedByTheKeysThatViewsRead) {
    AttemptDescribed attempt;
    attempt.seed = 18'446'744'073'709'551'615U;
    attempt.variantHash = "v";
    attempt.runHash = "r";
    attempt.dataHashes = {"a", "b"};
    attempt.vocabSource = 40;
    attempt.stepsPerEpoch = 7;
    attempt.products = "onednn";
    attempt.deterministic = true;
    const EventWords words = wordsOf(attempt);
    EXPECT_EQ(words.kind, "info");
    EXPECT_EQ(words.text, "attempt");
    EXPECT_EQ(words.data.dump(),
              R"({"batch_round":0,"data_hashes":["a","b"],"deterministic":true,"device":"","device_name":"","graphs":false,)"
              R"("parameters":0,"precision":"","products":"onednn","run_hash":"r","seed":"18446744073709551615",)"
              R"("steps_per_epoch":7,"task":"","threads":0,"tokenizer_hashes":[],"torch":"","total_steps":0,"train_pairs":0,)"
              R"("variant_hash":"v","vocab_source":40,"vocab_target":0})");
    attempt.classes = 2;
    attempt.classesHash = "c";
    attempt.synthetic = "generated/copy";
    const Json more = wordsOf(attempt).data;
    EXPECT_EQ(more.at("classes"), 2);
    EXPECT_EQ(more.at("classes_hash"), "c");
    EXPECT_EQ(more.at("synthetic"), "generated/copy");
}

TEST(EventWords, AModelIsListedByItsModules) {
    EXPECT_EQ(told(ModelBuilt{{{"encoder.layers.0.self.residual", "grc", 12}, {"head", "linear", 30}}}),
              R"(model|built 2 modules with 42 parameters|{"modules":[{"block":"grc","parameters":12,)"
              R"("path":"encoder.layers.0.self.residual"},{"block":"linear","parameters":30,"path":"head"}]})");
}

TEST(EventWords, AreWhatEarlierVersionsStored) {
    EXPECT_EQ(told(StartedFrom{"run", "step-5", "abc", {"p", "q"}, {"r"}, {"s"}, {}}),
              R"(start|starts from run, step-5: 2 tensors taken, 2 new; without effect at first: s; drawn at random: r|)"
              R"({"drawn":["r"],"frozen":[],"neutral":["s"],"run":"run","step":"step-5","taken":["p","q"],)"
              R"("weights_sha256":"abc"})");
    StartedFrom many{"run", "step-5", "abc", {}, std::vector<std::string>(10, "x"), {}, {}, "the classes are others"};
    EXPECT_THAT(told(many), HasSubstr("drawn at random: x, x, x, x, x, x, x, x and 2 more; the classes are others|"));
    EXPECT_THAT(told(many), HasSubstr(R"("note":"the classes are others")"));
    EXPECT_EQ(told(StateRestored{5, 1, 2, true}),
              R"(resume|state restored exactly|{"batch":2,"epoch":1,"same_spec":true,"step":5})");
    EXPECT_THAT(told(StateRestored{5, 1, 2, false}), HasSubstr("the run spec differs from the checkpoint's"));
    EXPECT_EQ(told(FirstStepDone{0.25}), R"(info|first step after 250 ms|{"first_step_seconds":0.25})");
    EXPECT_EQ(told(MemoryMeasured{3U << 20}), R"(memory|peak resident memory 3 MiB|{"peak_bytes":3145728})");
    EXPECT_EQ(told(RunsAtOnce{1, 2, 2, 0.5}),
              R"(info|runs trained at once: 1 to 2|{"runs_at_once":{"least":1,"most":2,"runs":2,"share":0.5}})");
    EXPECT_EQ(told(RunsAtOnce{2, 2, 2, 1}).substr(0, 29), "info|runs trained at once: 2|");
    EXPECT_EQ(told(ScalarsThinned{9, 4}),
              R"(gap|the recorder is behind: one of 4 recorded steps is kept|{"from_step":9,"kept_one_of":4})");
    EXPECT_EQ(told(ScalarsThinned{9, 1}), R"(gap|recording is back to full density|{"from_step":9,"kept_one_of":1})");
    EXPECT_EQ(told(DecodingWithoutCache{"an lstm"}),
              "decoding|translations are decoded without a cache, every position over the whole prefix: an lstm|"
              R"({"obstacle":"an lstm"})");
    EXPECT_EQ(told(SlowPrecision{0.5}),
              "warning|on this processor products in bfloat16 take 200 % of the time of float32: train.precision fp32 would be "
              R"(faster and more exact|{"bfloat16_gain":0.5})");
    EXPECT_EQ(told(CheckpointSkipped{"the disk is full", "make room", "/f", 10, 4}),
              "warning|checkpoint skipped, the disk is full; last good step: 4; make room|"
              R"({"bytes_needed":10,"folder":"/f","last_good_step":4})");
    EXPECT_THAT(told(CheckpointSkipped{"the disk is full", "make room", "/f", 10, -1}), HasSubstr("; none written yet; "));
    EXPECT_EQ(told(BestCheckpointUnreadable{4, "it is damaged"}),
              "warning|test split not evaluated, the best checkpoint cannot be read: it is damaged|"
              R"({"best_step":4})");
    EXPECT_EQ(told(DataWarning{"60 examples were cut"}), R"(warning|60 examples were cut|{"about":"data"})");
    EXPECT_EQ(told(Remark{Remark::Kind::Data, "read"}), "data|read|null");
    EXPECT_EQ(told(Remark{Remark::Kind::Info, "post-norm"}), "info|post-norm|null");
    EXPECT_EQ(told(Remark{Remark::Kind::Warning, "slow"}), "warning|slow|null");
    EXPECT_EQ(told(Failure{5, "diverged", "step 3", "all", "lower train.lr"}),
              R"(failure|diverged|{"exit_code":5,"next":"lower train.lr","safe":"all","where":"step 3"})");
    const TokenizerReport report{"source", "words", 40, {{"train", 10, 100, 2, 30}}};
    EXPECT_EQ(told(TokenizerReported{report}), "data|" + report.line() + "|" + report.json().dump());
}

TEST(EventWords, WhatIsWrittenIsReadBack) {
    EXPECT_EQ(exitCodeIn(wordsOf(Failure{5, "diverged", "step 3", "", ""}).data.dump()), 5);
    EXPECT_TRUE(concernsData(wordsOf(DataWarning{"two files are the same"}).data.dump()));
}

TEST(EventWords, AnotherFormSaysNothing) {
    for (const char* data : {"null", "7", R"({"exit_code":"5","about":1})"}) EXPECT_EQ(exitCodeIn(data), 0) << data;
    EXPECT_THROW(exitCodeIn("["), Error);
    for (const char* data : {"", "[", "null", "7", R"({"exit_code":"5","about":1})"}) EXPECT_FALSE(concernsData(data)) << data;
}

}  // namespace
}  // namespace heddle
