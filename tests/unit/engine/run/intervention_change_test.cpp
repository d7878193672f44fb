// SPDX-License-Identifier: Apache-2.0
#include "engine/run/intervention_change.h"

#include "engine/base/error.h"
#include "engine/run/event_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Intervention kMute = MuteHead{"encoder.layers.0.self", 3}, kCut = CutCarry{"decoder.layers.1.self"};

InterventionTargets targets() {
    InterventionTargets targets;
    targets.attentions = {{"encoder.layers.0.self", 4}};
    targets.carries = {"decoder.layers.1.self"};
    return targets;
}

TEST(InterventionChange, IsReadFromItsQuestion) {
    const InterventionChange change{{kMute}, {kCut}};
    const Json question = interventionQuestion(change);
    EXPECT_TRUE(isInterventionQuestion(question));
    EXPECT_EQ(readInterventionChange(question), change);
    for (const Json& other : {Json(), Json("intervene"), Json{{"ask", "translate"}}}) {
        EXPECT_FALSE(isInterventionQuestion(other));
        EXPECT_THROW(readInterventionChange(other), Error) << other;
    }
    EXPECT_THROW(readInterventionChange({{"ask", "intervene"}, {"add", "all"}}), Error);
}

TEST(InterventionChange, AddsBehindWhatIsInForceAndRemoves) {
    EXPECT_THAT(changedInterventions({kMute}, {{kCut}, {}}, targets()), ElementsAre(kMute, kCut));
    EXPECT_THAT(changedInterventions({kMute}, {{kCut}, {kMute}}, targets()), ElementsAre(kCut));
    EXPECT_THAT(changedInterventions({kMute}, {{}, {kMute}}, targets()), IsEmpty());
    EXPECT_THROW(changedInterventions({kMute}, {{kMute}, {}}, targets()), Error) << "twice";
    EXPECT_THROW(changedInterventions({}, {{}, {kMute}}, targets()), Error) << "not in force";
    EXPECT_THROW(changedInterventions({}, {}, targets()), Error) << "nothing";
    EXPECT_THROW(changedInterventions({}, {{MuteHead{"encoder.layers.0.self", 4}}, {}}, targets()), Error) << "no such head";
}

TEST(InterventionChange, ATrainingHasNoExamplesToTakeOutputsFrom) {
    for (const Intervention& one :
         {Intervention(MeanOutput{"encoder.layers.0.self", 1}), Intervention(ResampleOutput{"encoder.layers.0.self", 1})}) {
        EXPECT_FALSE(isForTraining(one));
        EXPECT_THAT(
            [&] {
                changedInterventions({kMute}, {{one}, {}}, targets());
            },
            testing::ThrowsMessage<Error>(testing::HasSubstr("a run in training does not have")))
            << textOf(one);
    }
    EXPECT_TRUE(isForTraining(kMute) && isForTraining(kCut));
}

TEST(InterventionChange, ItsEventTellsWhatIsInForce) {
    const EventWords words = wordsOf(Intervened{{kMute}, {kMute}, {kCut}});
    EXPECT_EQ(words.kind, kInterventionEvent);
    EXPECT_EQ(words.text,
              "interventions from the next step on: mute encoder.layers.0.self:3; added: mute encoder.layers.0.self:3; "
              "undone: cut_carry decoder.layers.1.self");
    EXPECT_EQ(readInterventionsAt(7, words.data.dump()), (InterventionsAt{7, {kMute}}));
    EXPECT_EQ(readInterventionsAt(9, wordsOf(Intervened{}).data.dump()), (InterventionsAt{9, {}}));
    EXPECT_THROW(readInterventionsAt(7, ""), Error);
    EXPECT_THROW(readInterventionsAt(7, "{}"), Error);
}

}  // namespace
}  // namespace heddle
