// SPDX-License-Identifier: Apache-2.0
// Whole attempts through the engine's face: learning, events, commands, divergence.
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Property;
using enum RunState;

struct CommandedAttempt : test::Attempt {
    CommandedAttempt() : test::Attempt(40, 6) {}
    void command(Command command) { mailbox.put(std::move(command)); }
};

TEST(Train, OverfitsATinyCorpusToBleu100) {
    CommandedAttempt attempt;
    const auto pairs = test::toyPairs(12);
    attempt.spec = test::toySpec(attempt.folder.path(), pairs, pairs);
    attempt.spec.data.test = attempt.spec.data.valid;
    attempt.spec.evaluate.testAtEnd = true;
    attempt.spec.train.batchSentences = 12;
    attempt.spec.train.epochs = 0;
    attempt.spec.train.steps = 150;
    attempt.spec.train.lr = 1e-2;
    attempt.spec.train.labelSmoothing = 0;
    attempt.spec.train.warmup = 20;
    attempt.spec.evaluate.everyEpochs = 50;
    const auto outcome = attempt.run();
    EXPECT_EQ(outcome.state, Completed);
    EXPECT_EQ(outcome.step, 150);
    EXPECT_NEAR(attempt.sink.metric("valid", "bleu").back(), 100, 1e-9);
    EXPECT_NEAR(attempt.sink.metric("test", "bleu").back(), 100, 1e-9);
    EXPECT_EQ(attempt.sink.metric("valid", "accuracy").back(), 1);
    const auto samples = attempt.sink.all<SampleText>();
    ASSERT_FALSE(samples.empty());
    EXPECT_EQ(samples.back().hypothesis, samples.back().reference);

    const auto session =
        test::createEngine()->openInference(attempt.spec, attempt.folder / "run", attempt.folder / "run/step-150", "cpu");
    DecodeRequest request;
    request.lines = {pairs[0].first, "", pairs[5].first};
    const auto greedy = session->translate(request);
    EXPECT_EQ(greedy[0].hypotheses.front().text, pairs[0].second);
    EXPECT_EQ(greedy[1].hypotheses.front().text, "");
    EXPECT_EQ(greedy[2].hypotheses.front().text, pairs[5].second);
    EXPECT_EQ(greedy[0].hypotheses.front().tokens.size(), 6U);
    DecodeRequest tooLong;
    tooLong.lines.emplace_back();
    for (int i = 0; i < 30; ++i) tooLong.lines[0] += "dog ";
    EXPECT_THROW(session->translate(tooLong), Error);

    EXPECT_EQ(session->decodingObstacle(), "");
    request.search.method = SearchOptions::Method::Beam;
    request.search.nBest = 3;
    request.attention = DecodeRequest::Attention::Cross;
    const auto lines = session->translate(request);
    EXPECT_EQ(lines[0].hypotheses.front().text, pairs[0].second);
    EXPECT_EQ(lines[2].hypotheses.front().text, pairs[5].second);
    EXPECT_EQ(lines[2].hypotheses.size(), 3U);
    EXPECT_EQ(lines[1].hypotheses.front().text, "");
    EXPECT_TRUE(lines[1].hypotheses.front().cross.empty());
    const AttentionMap& map = lines[0].hypotheses.front().cross.front();
    EXPECT_EQ(map.path, "decoder.layers.0.cross");
    EXPECT_EQ(map.rows, 7);  // six words and <eos>
    EXPECT_EQ(map.columns, static_cast<std::int64_t>(lines[0].sourceTokens.size()) + 1);
    ASSERT_EQ(map.values.size(), static_cast<std::size_t>(map.heads * map.rows * map.columns));
    for (auto row = map.values.begin(); row != map.values.end(); row += map.columns)
        EXPECT_NEAR(std::accumulate(row, row + map.columns, 0.0), 1, 1e-5);
    EXPECT_THROW(session->generate(request), Error) << "it has an encoder";
}

TEST(Train, EveryEvaluationIsFollowedByItsMemory) {
    CommandedAttempt attempt;
    attempt.spec.train.epochs = 3;
    attempt.run();
    std::size_t evaluations = 0;
    const auto& events = attempt.sink.events;
    for (auto event = events.begin(); event != events.end(); ++event) {
        const auto* done = std::get_if<EvaluationDone>(&event->body);
        if (done == nullptr || done->split != "valid") continue;
        ++evaluations;
        const auto memory = std::find_if(event, events.end(),
                                         [](const Event& later) { return std::holds_alternative<MemoryMeasured>(later.body); });
        ASSERT_NE(memory, events.end());
        EXPECT_EQ(memory->step, event->step) << "its time says when the evaluation was over";
    }
    EXPECT_EQ(evaluations, 3U);
}

TEST(Train, EmitsEverySeriesEvaluationAndCheckpoint) {
    CommandedAttempt attempt;
    attempt.spec.train.epochs = 3;
    attempt.spec.train.checkpointEvery = 4;
    attempt.spec.record.histogramsEvery = 5;
    attempt.spec.record.mapsEvery = 10;
    const auto outcome = attempt.run();
    EXPECT_EQ(outcome.epoch, 3);
    EXPECT_EQ(outcome.step, 30);
    EXPECT_THAT(attempt.sink.states(), ElementsAre(Preparing, Running));

    for (const char* name : {"loss", "accuracy", "grad_norm", "lr", "tokens_per_second", "step_seconds"})
        EXPECT_EQ(attempt.sink.series(name).size(), 30U) << name;
    EXPECT_FLOAT_EQ(attempt.sink.series("lr")[4], 3e-3F);  // the peak, at the end of the warm-up
    for (const char* split : {"train", "valid"}) EXPECT_EQ(attempt.sink.metric(split, "loss").size(), 3U) << split;
    EXPECT_LT(attempt.sink.metric("valid", "loss").back(), attempt.sink.metric("valid", "loss").front());
    EXPECT_EQ(attempt.sink.metric("valid", "bleu").size(), 3U);

    std::set<std::int64_t> mapSteps, gateSteps;
    std::set<std::string> mapPaths;
    for (const Event& event : attempt.sink.events) {
        if (const auto* map = std::get_if<MapTaken>(&event.body)) {
            mapSteps.insert(event.step);
            mapPaths.insert(map->path);
            EXPECT_EQ(map->values.size(), static_cast<std::size_t>(map->heads * map->rows * map->columns));
            EXPECT_EQ(map->rowTokens.size(), static_cast<std::size_t>(map->rows));
            EXPECT_EQ(map->columnTokens.size(), static_cast<std::size_t>(map->columns));
            float sum = 0;
            for (std::int64_t k = 0; k < map->columns; ++k) sum += map->values[static_cast<std::size_t>(k)];
            EXPECT_NEAR(sum, 1, 1e-5) << "a row of weights";
        }
        if (const auto* histogram = std::get_if<HistogramTaken>(&event.body))
            if (histogram->name == "gate") gateSteps.insert(event.step);
    }
    EXPECT_THAT(mapSteps, ElementsAre(1, 2, 4, 8, 10, 20, 30));
    EXPECT_THAT(mapPaths, ElementsAre("decoder.layers.0.cross", "decoder.layers.0.self", "encoder.layers.0.self"));
    EXPECT_THAT(gateSteps, ElementsAre(1, 5, 10, 15, 20, 25, 30));

    std::map<std::string, std::size_t> shares;  // by module
    for (const auto& block : attempt.sink.all<StepBlock>())
        for (const auto& series : block.series)
            if (series.name.starts_with("near_zero@")) ++shares[series.path];
    for (const char* module : {"", "embed", "encoder.layers.0.self.scorer", "decoder.layers.0.ffn.ffn", "head"})
        EXPECT_EQ(shares[module], 3U * 4) << module;
    std::map<std::string, std::map<std::int64_t, double>> norms;  // of gradients, by path and step
    for (const auto& block : attempt.sink.all<StepBlock>())
        for (const auto& series : block.series)
            if (series.name == "grad_norm")
                for (std::size_t i = 0; i < series.values.size(); ++i)
                    norms[series.path][series.firstStep + static_cast<std::int64_t>(i) * series.stride] = series.values[i];
    for (std::int64_t step = 5; step <= 30; step += 5) {
        const auto sumOver = [&](std::initializer_list<const char*> paths) {
            double squares = 0;
            for (const char* path : paths) squares += std::pow(norms[path].at(step), 2);
            return std::sqrt(squares);
        };
        EXPECT_NEAR(sumOver({"embed", "encoder", "decoder", "head"}), norms[""].at(step), 1e-5 * norms[""].at(step));
        EXPECT_NEAR(sumOver({"encoder.layers.0"}), sumOver({"encoder"}), 1e-5);
        EXPECT_GT(sumOver({"encoder.layers.0.self.scorer"}), 0);
    }
    EXPECT_EQ(norms["encoder"].size(), 6U);
    std::map<std::string, int> kinds;
    for (const auto& written : attempt.sink.all<CheckpointWritten>()) {
        for (const std::string& kind : written.kinds) ++kinds[kind];
        EXPECT_NO_THROW(readCheckpoint(attempt.folder.path() + "/" + written.folder));
    }
    EXPECT_GE(kinds["step"], 6);  // 0, 4, 8, …; an evaluation's best takes the place of one at the same step
    EXPECT_GE(kinds["best"], 1);
    EXPECT_EQ(kinds["last"], 1);
}

TEST(Train, ZLossIsPartOfTheObjectiveAndItsSignature) {
    const auto means = [](double zLoss) {
        test::Attempt attempt(20, 4);
        attempt.spec.train.zLoss = zLoss;
        attempt.spec.train.lr = 0;
        attempt.spec.train.epochs = 1;
        attempt.run();
        const auto done = attempt.sink.all<EvaluationDone>();
        const auto train = std::find_if(done.begin(), done.end(), [](const auto& one) { return one.split == "train"; });
        std::map<std::string, EvaluationDone::Value> byMetric;
        for (const auto& value : train->values) byMetric[value.metric] = value;
        return byMetric;
    };
    const auto with = means(0.5), without = means(0);
    EXPECT_THAT(with.at("objective").signature, HasSubstr("|z:0.5"));
    EXPECT_GT(with.at("objective").value, without.at("objective").value);
    EXPECT_EQ(with.at("loss").signature, without.at("loss").signature);
    EXPECT_EQ(with.at("loss").value, without.at("loss").value);
    EXPECT_THAT(without.at("objective").signature, testing::Not(HasSubstr("|z:")));
}

TEST(Train, SameSeedGivesTheSameCheckpoint) {
    std::vector<std::string> weights, states;
    for (int i = 0; i < 2; ++i) {
        CommandedAttempt attempt;
        attempt.spec.train.epochs = 2;
        attempt.run();
        weights.push_back(attempt.sink.all<CheckpointWritten>().back().weightsSha256);
        states.push_back(attempt.sink.all<CheckpointWritten>().back().stateSha256);
    }
    EXPECT_EQ(weights[0], weights[1]);
    EXPECT_EQ(states[0], states[1]);
}

TEST(Train, MapsAndHistogramsDoNotChangeTraining) {
    std::vector<std::string> weights;
    for (const bool isWatched : {false, true}) {
        CommandedAttempt attempt;
        attempt.spec.train.epochs = 1;
        attempt.spec.record.probes = isWatched ? 2 : 0;
        attempt.spec.record.histogramsEvery = isWatched ? 1 : 0;
        attempt.spec.record.mapsEvery = isWatched ? 1 : 0;
        attempt.run();
        weights.push_back(attempt.sink.all<CheckpointWritten>().back().weightsSha256);
    }
    EXPECT_EQ(weights[0], weights[1]);
}

TEST(Train, ScalarsEveryNthStep) {
    CommandedAttempt attempt;
    attempt.spec.train.epochs = 1;
    attempt.spec.record.scalarsEvery = 3;
    attempt.run();
    EXPECT_EQ(attempt.sink.series("loss").size(), 3U);  // steps 3, 6, 9 of 10
    for (const auto& block : attempt.sink.all<StepBlock>())
        if (block.series.front().name == "loss") {
            EXPECT_EQ(block.series.front().firstStep % 3, 0);
            EXPECT_EQ(block.series.front().stride, 3);
        }
}

TEST(Train, PausesAndGoesOn) {
    CommandedAttempt attempt;
    attempt.spec.train.epochs = 1;
    attempt.command(PauseCommand{"user"});
    attempt.command(CheckpointCommand{});
    attempt.command(AskCommand{7, {{"ask", "translate"}, {"text", "the red dog sees it"}}});
    attempt.command(AskCommand{7, {{"ask", "weather"}}});
    attempt.command(ResumeCommand{"user"});
    EXPECT_EQ(attempt.run().state, Completed);
    EXPECT_THAT(attempt.sink.states(), ElementsAre(Preparing, Running, Paused, Running));
    const auto answers = attempt.sink.all<Answer>();
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_TRUE(answers[0].ok);
    EXPECT_EQ(answers[0].question, 7U);
    EXPECT_EQ(answers[0].value.at("source_tokens").size(), 5U);
    EXPECT_FALSE(answers[1].ok);
}

TEST(Train, StopsAtTheNextBorderWithALastCheckpoint) {
    CommandedAttempt attempt;
    attempt.spec.train.epochs = 100;
    attempt.sink.onEvent = [&](const Event& event) {
        if (event.step == 5 && std::get_if<MapTaken>(&event.body)) attempt.command(StopCommand{"user"});
        if (event.step == 4 && std::get_if<MapTaken>(&event.body)) attempt.command(StopCommand{"user"});
    };
    const auto outcome = attempt.run();
    EXPECT_EQ(outcome.state, Stopped);
    EXPECT_EQ(outcome.step, 4);
    EXPECT_THAT(attempt.sink.states(), ElementsAre(Preparing, Running, Stopping));
    EXPECT_THAT(attempt.sink.all<CheckpointWritten>().back().kinds, testing::ElementsAre("last"));
    EXPECT_EQ(attempt.sink.series("loss").size(), 4U);
}

TEST(Train, StopsWhilePreparing) {
    CommandedAttempt attempt;
    attempt.command(StopCommand{"user"});
    EXPECT_EQ(attempt.run().state, Stopped);
    EXPECT_EQ(attempt.sink.states().back(), Stopping);
}

TEST(Train, APausedRunCanBeStopped) {
    CommandedAttempt attempt;
    attempt.command(PauseCommand{"user"});
    attempt.sink.onEvent = [&](const Event& event) {
        const auto* change = std::get_if<StateChanged>(&event.body);
        if (change && change->state == Paused) attempt.command(StopCommand{"user"});
    };
    EXPECT_EQ(attempt.run().state, Stopped);
    EXPECT_THAT(attempt.sink.states(), ElementsAre(Preparing, Running, Paused, Stopping));
}

TEST(Train, AnInterruptedEvaluationIsMadeAnew) {
    CommandedAttempt attempt;
    attempt.spec.train.epochs = 1;
    attempt.sink.onEvent = [&](const Event& event) {
        const auto* done = std::get_if<EvaluationDone>(&event.body);
        if (done && done->split == "train") attempt.command(CheckpointCommand{});
    };
    EXPECT_EQ(attempt.run().state, Completed);
    EXPECT_EQ(attempt.sink.metric("valid", "loss").size(), 1U);
}

TEST(Train, PausesItselfWhenTheRecorderCannotFollow) {
    CommandedAttempt attempt;
    attempt.spec.train.epochs = 1;
    attempt.sink.onEvent = [&](const Event& event) {
        if (std::get_if<MapTaken>(&event.body) && event.step == 2) attempt.sink.pressureNow = EventSink::Pressure::Pause;
        const auto* change = std::get_if<StateChanged>(&event.body);
        if (change && change->state == Paused) attempt.sink.pressureNow = EventSink::Pressure::None;
    };
    EXPECT_EQ(attempt.run().state, Completed);
    EXPECT_THAT(attempt.sink.states(), ElementsAre(Preparing, Running, Paused, Running));
    EXPECT_EQ(attempt.sink.all<StateChanged>()[2].reason, "recorder");
}

TEST(Train, ThinsScalarsUnderPressureAndSaysSo) {
    CommandedAttempt attempt;
    attempt.spec.train.epochs = 2;
    attempt.sink.pressureNow = EventSink::Pressure::ThinScalars;
    attempt.run();
    EXPECT_LT(attempt.sink.series("loss").size(), 15U);
    EXPECT_GE(attempt.sink.series("loss").size(), 1U);
    bool isSaid = false;
    for (const ScalarsThinned& thinned : attempt.sink.all<ScalarsThinned>()) isSaid |= thinned.keptOneOf == 2;
    EXPECT_TRUE(isSaid);
}

TEST(Train, DivergenceEndsTheRunWithCodeFive) {
    CommandedAttempt attempt;
    attempt.spec.train.lr = 1e30;
    attempt.spec.train.schedule = ScheduleKind::Constant;
    attempt.spec.train.clip = 0;
    EXPECT_THAT([&] { attempt.run(); }, testing::Throws<Error>(testing::AllOf(Property(&Error::code, ErrorCode::Diverged),
                                                                              Property(&Error::where, HasSubstr("step ")))));
    const auto failures = attempt.sink.all<Failure>();
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures[0].exitCode, 5);
    EXPECT_NO_THROW(readCheckpoint(attempt.folder / "run/step-0"));
}

TEST(Train, StopsWhenPatienceIsOut) {
    CommandedAttempt attempt;
    attempt.spec.train.epochs = 0;
    attempt.spec.train.patience = 2;
    attempt.spec.train.lr = 0;  // never better than after the first epoch
    attempt.spec.train.schedule = ScheduleKind::Constant;
    attempt.spec.train.weightDecay = 0;
    const auto outcome = attempt.run();
    EXPECT_EQ(outcome.state, Completed);
    EXPECT_EQ(outcome.epoch, 3);
}

TEST(Train, BadSpecsAreFailuresWithAReason) {
    CommandedAttempt attempt;
    attempt.spec.train.device = "cuda:99";
    EXPECT_THROW(attempt.run(), Error);
    attempt.spec.train.device = "cpu";
    attempt.spec.train.epochs = 0;
    EXPECT_THROW(attempt.run(), Error);
    attempt.spec.train.epochs = 1;
    attempt.spec.data.train.source = attempt.folder / "missing";
    EXPECT_THROW(attempt.run(), Error);
    EXPECT_EQ(attempt.sink.all<Failure>().size(), 3U);
    for (const Failure& failure : attempt.sink.all<Failure>()) EXPECT_EQ(failure.exitCode, 3);
}

TEST(EngineLibrary, RefusesAnotherAbiAndCountsParameters) {
    const auto engine = test::createEngine();
    ASSERT_TRUE(engine);
    EXPECT_EQ(engine->torchVersion(), "2.11.0");
    const auto variant = VariantSpec::parse(
        Json::parse(R"({"preset":"eau-full","dims":{"d":128,"f":512,"heads":8,"layers_enc":2,"layers_dec":2,"max_len":64}})"),
        builtinCatalogue());
    std::int64_t total = 0;
    for (const BuiltModule& module : engine->builtModules(variant, 5893, 7853)) total += module.parameters;
    EXPECT_EQ(total, 4061869);  // Table 3
}

}  // namespace
}  // namespace heddle
