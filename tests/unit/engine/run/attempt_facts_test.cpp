// SPDX-License-Identifier: Apache-2.0
#include "engine/run/attempt_facts.h"

#include "engine/base/json.h"
#include "engine/run/event_words.h"

#include <gmock/gmock.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool operator==(const RunsAtOnce& a, const RunsAtOnce& b) {
    return a.least == b.least && a.most == b.most && a.runs == b.runs && a.share == b.share;
}

/// A context as the recorder makes it: the data of one event after the other.
std::string contextOf(const std::vector<EventWords>& events) {
    Json context = Json::object();
    for (const EventWords& words : events) context.update(words.data);
    return context.dump();
}

TEST(AttemptFacts, WhatEventsWriteIsReadBack) {
    AttemptDescribed described;
    described.dataHashes = {"x", "y"};
    described.vocabSource = 50;
    described.classes = 3;
    described.stepsPerEpoch = 7;
    described.deviceName = "Xeon";
    described.precision = "bf16";
    described.products = "onednn";
    const AttemptFacts facts = attemptFacts(contextOf({wordsOf(described), wordsOf(FirstStepDone{1.5}),
                                                       wordsOf(StepsCaptured{9, 2, 8, 1}), wordsOf(RunsAtOnce{1, 3, 2, 0.5})}));
    EXPECT_THAT(facts.dataHashes, ElementsAre("x", "y"));
    EXPECT_TRUE(facts.isDescribed);
    EXPECT_EQ(facts.sizes(), (AssumedVocabulary{50, 50, 3})) << "one stack has one vocabulary";
    EXPECT_EQ(facts.stepsPerEpoch, 7);
    EXPECT_EQ(facts.deviceName, "Xeon");
    EXPECT_EQ(facts.precision, "bf16");
    EXPECT_EQ(facts.products, "onednn");
    EXPECT_EQ(facts.firstStepSeconds, 1.5);
    ASSERT_TRUE(facts.captured);
    EXPECT_EQ(std::tuple(facts.captured->steps, facts.captured->captures, facts.captured->replays, facts.captured->evictions),
              std::tuple(9, 2, 8, 1));
    ASSERT_TRUE(facts.runsAtOnce);
    EXPECT_TRUE(*facts.runsAtOnce == (RunsAtOnce{1, 3, 2, 0.5}));
    EXPECT_EQ(attemptFacts(beginningContext({}, 4, 1)).jobs, 4);
    EXPECT_EQ(attemptFacts(beginningContext({}, 1, 2)).processes, 2);
    EXPECT_EQ(beginningContext({}, 1, 1), "");
}

TEST(AttemptFacts, SurroundingsAreReadBack) {
    const Surroundings all{{"heddle", "train", "a b.json"}, "/work", "0123456789012345678901234567890123456789", true};
    EXPECT_EQ(attemptFacts(beginningContext(all, 2, 1)).surroundings, all);
    for (const char* context : {"", "no JSON", "[]", R"({"command":"x","folder":7,"git":"main"})",
                                R"({"command":[1],"git":{"commit":1,"dirty":"yes"}})"})
        EXPECT_EQ(attemptFacts(context).surroundings, Surroundings{}) << context;
}

TEST(AttemptFacts, AnotherFormSaysNothing) {
    for (const char* context :
         {"", "[", "null", "7", "{}", R"({"data_hashes":3,"vocab_source":"many","products":null,"jobs":1.5})",
          R"({"data_hashes":[1],"steps_per_epoch":-4,"first_step_seconds":"soon","captured_steps":2,"runs_at_once":2})"}) {
        const AttemptFacts facts = attemptFacts(context);
        EXPECT_THAT(facts.dataHashes, IsEmpty()) << context;
        EXPECT_FALSE(facts.isDescribed || facts.firstStepSeconds || facts.captured || facts.runsAtOnce) << context;
        EXPECT_EQ(facts.sizes(), (AssumedVocabulary{0, 0, 0})) << context;
        EXPECT_EQ(facts.stepsPerEpoch, 0) << context;
        EXPECT_EQ(facts.products, "torch") << context;
        EXPECT_EQ(facts.jobs, 1) << context;
    }
}

}  // namespace
}  // namespace heddle
