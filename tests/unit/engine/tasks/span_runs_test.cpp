// SPDX-License-Identifier: Apache-2.0
// Runs of task span as a whole: those of older versions, and those that start from each other's weights.
#include "engine/base/json.h"
#include "engine/device/torch_pch.h"
#include "engine/run/inspection.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/start.h"
#include "tests/unit/engine/tasks/task_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace heddle {
namespace {

using test::encoder;
using ::testing::HasSubstr;

class SpanRuns : public test::TaskRun {
protected:
    /// Two questions a context; with `mayBeNone`, the second of each has no answer.
    std::string questions(const std::string& name, bool mayBeNone) const {
        Json paragraphs = Json::array();
        for (int i = 0; i < 20; ++i) {
            const std::string room = "room" + std::to_string(i % 5), context = "The key lies in " + room + " today.";
            const Json answers = Json::array({{{"text", room}, {"answer_start", context.find(room)}}});
            const std::string id = std::to_string(i);
            const Json where{{"id", id + "a"}, {"question", "Where is the key?"}, {"answers", answers}};
            Json who{{"id", id + "b"}, {"question", "Where is it?"}, {"answers", mayBeNone ? Json::array() : answers}};
            who["is_impossible"] = mayBeNone;
            paragraphs.push_back({{"context", context}, {"qas", Json::array({where, who})}});
        }
        return file(name,
                    Json{{"version", "2.0"}, {"data", Json::array({{{"title", "Keys"}, {"paragraphs", paragraphs}}})}}.dump());
    }

    RunSpec spanSpec(const std::string& document) const {
        RunSpec spec = specFor("span", "squad", encoder("span"), document);
        spec.train.epochs = 1;
        return spec;
    }

    /// Makes a checkpoint one of the time when answers were words: its run named no kinds of answers.
    void makeOld(const std::string& run, const std::string& checkpoint) const {
        Json state = readJsonFile(checkpoint + "/state.json");
        ASSERT_EQ(state.at("identity").erase("classes_hash"), 1U);
        test::writeFile(checkpoint + "/state.json", state.dump());
        ASSERT_TRUE(std::filesystem::remove(folder / run + "/tokenizer/classes.json"));
    }
};

TEST_F(SpanRuns, OfOlderVersionsAreRefusedWhateverTheyAreUsedFor) {
    const RunSpec spec = spanSpec(questions("squad.json", false));
    const std::string checkpoint = folder / "run/" + checkpointName(train(spec).step);
    const auto engine = test::createEngine();
    const auto open = [&] { return engine->openInference(spec, folder / "run", checkpoint, "cpu"); };
    const auto inspect = [&] {
        engine->openInspection({.spec = spec,
                                .runFolder = folder / "run",
                                .checkpointFolder = checkpoint,
                                .cacheFolder = folder / "cache",
                                .device = "cpu"});
    };
    const auto evaluate = [&](bool otherFiles) {
        EvaluationRequest request{
            .spec = spec, .checkpointFolder = checkpoint, .cacheFolder = folder / "cache", .device = "cpu"};
        request.otherFiles = otherFiles;
        engine->evaluate(request);
    };
    const auto resume = [&] {
        RunSpec longer = spec;
        longer.train.epochs = 2;
        train(longer, "run", checkpoint);
    };
    EXPECT_EQ(whyRefused([&] { open()->classify({{"Where is the key?", "The key lies in room1 today.", {}, {}}}); }), "");
    EXPECT_EQ(whyRefused(inspect), "");
    for (const bool otherFiles : {false, true}) EXPECT_EQ(whyRefused([&] { evaluate(otherFiles); }), "") << otherFiles;

    makeOld("run", checkpoint);
    const std::string refusal = whyRefused(open);
    EXPECT_THAT(refusal, HasSubstr("answers were words instead of token offsets"));
    EXPECT_THAT(refusal, HasSubstr("train it again"));
    EXPECT_EQ(whyRefused(inspect), refusal);
    for (const bool otherFiles : {false, true}) EXPECT_EQ(whyRefused([&] { evaluate(otherFiles); }), refusal) << otherFiles;
    EXPECT_EQ(whyRefused(resume), refusal);
}

// Before: the head was drawn anew, "trained for other classes: answer", where one file has questions without an answer.
TEST_F(SpanRuns, TakeEachOthersHeadWhetherOrNotTheDataHaveQuestionsWithoutAnAnswer) {
    RunSpec spec = spanSpec(questions("first.json", false));
    const std::string first = folder / "first/" + checkpointName(train(spec, "first").step);
    RunSpec next = spanSpec(questions("second.json", true));
    next.train.start.checkpoint = first;
    const std::string second = folder / "second/" + checkpointName(train(next, "second").step);
    EXPECT_THAT(sink.all<StartedFrom>().back().taken, testing::IsSupersetOf({"head.out.weight", "head.out.bias"}));
    EXPECT_EQ(sink.all<StartedFrom>().back().note, "");

    spec.train.start.checkpoint = second;
    train(spec, "back");
    EXPECT_THAT(sink.all<StartedFrom>().back().taken, testing::Contains("head.out.weight"));
}

// Before: the fork drew its head anew, with a note, and trained.
TEST_F(SpanRuns, OfOlderVersionsAreNoStartForAnswersEither) {
    RunSpec fork = spanSpec(questions("squad.json", false));
    const std::string old = folder / "old/" + checkpointName(train(fork, "old").step);
    makeOld("old", old);
    fork.train.start.checkpoint = old;
    fork.train.start.neutral = true;
    const std::string refusal = whyRefused([&] { train(fork, "fork"); });
    EXPECT_THAT(refusal, HasSubstr("answers were words instead of token offsets"));
    EXPECT_THAT(refusal, HasSubstr(old)) << "the run's checkpoint is named";
    EXPECT_THAT(refusal, HasSubstr("train that run again with this version, and start from the new one"));

    std::string places;
    for (int i = 0; i < 40; ++i) places += i % 2 == 0 ? "the key lies in room1\there\n" : "where is room2\tthere\n";
    RunSpec other = specFor("classify", "tsv", encoder("classify"), file("places.tsv", places));
    other.train.start.checkpoint = old;
    other.train.epochs = 1;
    train(other, "other");
    EXPECT_THAT(sink.all<StartedFrom>().back().drawn, testing::IsSupersetOf({"head.out.weight", "head.out.bias"}));
    EXPECT_THAT(sink.all<StartedFrom>().back().note, HasSubstr("the head of the checkpoint does not match the classes"))
        << "of a task with another head the rest is as good as ever";
}

}  // namespace
}  // namespace heddle
