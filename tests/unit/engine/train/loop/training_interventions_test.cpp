// SPDX-License-Identifier: Apache-2.0
// Interventions in a run that trains: from the next step on, undone exactly, repeated by a resumed attempt to the bit.
#include "engine/train/loop/training_interventions.h"

#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "tests/unit/engine/tiny_model.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kGate = "encoder.layers.0.self.residual";
const Intervention kMute = MuteHead{"encoder.layers.0.self", 1};
const Intervention kShut = ClampExposure{"decoder.layers.0.ffn.residual.gate", 0.25};
const Intervention kNeutral = NeutralBlock{kGate};

/// Changes by the step of the checkpoint that they follow; they take effect one step later.
using Changes = std::map<std::int64_t, std::vector<InterventionChange>>;

/// A run of 24 steps with dropout, which writes a checkpoint after each.
class TrainingInterventionsTest : public testing::Test {
protected:
    static constexpr std::int64_t kSteps = 24;

    test::RecordingSink train(const std::string& name, const Changes& changes, const std::string& from = "",
                              const std::vector<InterventionsAt>& journal = {}) {
        RunSpec spec = test::toySpec(folder_.path(), test::toyPairs(40), test::toyPairs(9));
        spec.train.lr = 1e-2;
        spec.train.epochs = 0;
        spec.train.steps = kSteps;
        spec.train.checkpointEvery = 1;
        spec.record.probes = 0;
        TrainRequest request = test::toyRequest(spec, folder_.path(), name);
        request.resumeFrom = from;
        request.interventions = journal;
        test::RecordingSink sink;
        Mailbox mailbox;
        sink.onEvent = [&](const Event& event) {
            const auto found = std::holds_alternative<CheckpointWritten>(event.body) ? changes.find(event.step) : changes.end();
            if (found == changes.end()) return;
            for (const InterventionChange& change : found->second) mailbox.put(AskCommand{1, interventionQuestion(change)});
        };
        EXPECT_EQ(test::createEngine()->train(request, sink, mailbox).step, kSteps);
        sink.onEvent = {};
        return sink;
    }
    std::string checkpoint(const std::string& name, std::int64_t step) const {
        return folder_ / name + "/" + checkpointName(step);
    }
    at::Tensor parameter(const std::string& name, std::int64_t step, const std::string& path) const {
        return readCheckpointWeights(checkpoint(name, step)).at(path);
    }
    static std::string end(const test::RecordingSink& sink) {
        const auto last = sink.all<CheckpointWritten>().back();
        return last.weightsSha256 + last.optimizerSha256 + last.stateSha256;
    }
    /// The journal that the events of a run make, as the session reads it back.
    static std::vector<InterventionsAt> journalOf(const test::RecordingSink& sink) {
        std::vector<InterventionsAt> journal;
        for (const Event& event : sink.events)
            if (const auto* body = std::get_if<Intervened>(&event.body)) journal.push_back({event.step, body->inForce});
        return journal;
    }

    TemporaryFolder folder_;
};

TEST_F(TrainingInterventionsTest, AreInForceFromTheNextStepOn) {
    const auto plain = train("plain", {});
    const auto changed = train("changed", {{5, {{{kMute, kShut}, {}}}}});
    EXPECT_THAT(journalOf(changed), ElementsAre(InterventionsAt{6, {kMute, kShut}}));
    const auto before = plain.series("loss"), after = changed.series("loss");
    ASSERT_THAT(after, SizeIs(kSteps));
    for (std::size_t step = 1; step <= 6; ++step) EXPECT_EQ(before[step - 1], after[step - 1]) << step;
    for (std::size_t step = 7; step <= kSteps; ++step) EXPECT_NE(before[step - 1], after[step - 1]) << step;
    const auto answers = changed.all<Answer>();
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_TRUE(answers[0].ok);
    EXPECT_EQ(answers[0].value.at("step"), 6);
}

TEST_F(TrainingInterventionsTest, UndoneBeforeAStepLeaveTheRunAsItWas) {
    const auto plain = train("plain", {});
    const auto undone = train("undone", {{5, {{{kMute, kNeutral}, {}}, {{}, {kNeutral, kMute}}}}});
    EXPECT_THAT(journalOf(undone), SizeIs(2));
    EXPECT_EQ(end(undone), end(plain));
    EXPECT_EQ(undone.series("loss"), plain.series("loss"));
}

TEST_F(TrainingInterventionsTest, ANeutralBlockDoesNotLearnAndGetsItsWeightsBack) {
    train("run", {{5, {{{kNeutral}, {}}}}, {12, {{{}, {kNeutral}}}}});
    const std::string gate = std::string(kGate) + ".gate.weight";
    EXPECT_FALSE(at::equal(parameter("run", 5, gate), parameter("run", 6, gate)));
    EXPECT_GT(parameter("run", 6, gate).abs().max().item<double>(), 0);
    for (const std::int64_t step : {7, 10, 13}) EXPECT_TRUE(at::equal(parameter("run", step, gate), parameter("run", 6, gate)));
    EXPECT_FALSE(at::equal(parameter("run", 14, gate), parameter("run", 13, gate)));
    const auto before = readCheckpoint(checkpoint("run", 6)).optimizer,
               during = readCheckpoint(checkpoint("run", 10)).optimizer;
    int moments = 0;
    for (const auto& [name, tensor] : before) {
        if (name.find(gate) == std::string::npos) continue;
        ++moments;
        EXPECT_TRUE(at::equal(tensor, during.at(name))) << name << ": it had gradients";
    }
    EXPECT_EQ(moments, 2);
    const std::string other = "decoder.layers.0.self.residual.gate.weight";
    EXPECT_FALSE(at::equal(parameter("run", 8, other), parameter("run", 6, other)));
}

TEST(TrainingInterventions, ANeutralBlockStaysNeutralWhenACheckpointCannotBeWritten) {
    const auto model = testing_support::buildTiny({{"defaults", {{"residual", {{"kind", "grc"}}}}}});
    const at::Tensor gate = model->parameters().find(std::string(kGate) + ".gate.weight");
    const at::Tensor trained = gate.detach().clone();
    TrainingInterventions interventions(*model, {});
    interventions.change({{kNeutral}, {}}, 1);
    const at::Tensor neutral = gate.detach().clone();
    ASSERT_FALSE(at::equal(neutral, trained));
    at::Tensor seen;
    const auto failToWrite = [&] {
        seen = gate.detach().clone();
        throw std::runtime_error("the disk is full");
    };
    EXPECT_THROW(interventions.withTrainedWeights(failToWrite), std::runtime_error);
    EXPECT_TRUE(at::equal(seen, trained));
    EXPECT_TRUE(at::equal(gate, neutral));
    EXPECT_FALSE(gate.requires_grad());
    interventions.change({{}, {kNeutral}}, 2);
    EXPECT_TRUE(at::equal(gate, trained));
    EXPECT_TRUE(gate.requires_grad());
}

TEST_F(TrainingInterventionsTest, AResumedAttemptRepeatsThemToTheBit) {
    const auto straight =
        train("straight", {{5, {{{kMute, kNeutral}, {}}}}, {9, {{{kShut}, {kMute}}}}, {15, {{{}, {kNeutral}}}}});
    const auto journal = journalOf(straight);
    ASSERT_THAT(journal, SizeIs(3));
    for (const std::int64_t step : {3, 6, 8, 10, 13, 20}) {  // before, at the border of, and between the changes
        const auto resumed = train("straight", {}, checkpoint("straight", step), journal);
        EXPECT_EQ(end(resumed), end(straight)) << step;
        EXPECT_THAT(journalOf(resumed), IsEmpty()) << "they are recorded already";
    }
    const auto forgetful = train("straight", {}, checkpoint("straight", 3), {});
    EXPECT_NE(end(forgetful), end(straight)) << "the journal has no effect";
}

TEST_F(TrainingInterventionsTest, RefusalsNameTheReasonAndChangeNothing) {
    const auto plain = train("plain", {});
    const auto refused = train(
        "refused", {{4, {{{MuteHead{"encoder.layers.0.self", 9}}, {}}, {{}, {kMute}}, {}}}, {kSteps - 1, {{{kMute}, {}}}}});
    EXPECT_THAT(journalOf(refused), IsEmpty());
    EXPECT_EQ(end(refused), end(plain));
    std::vector<std::string> problems;
    for (const Answer& answer : refused.all<Answer>()) {
        EXPECT_FALSE(answer.ok);
        problems.push_back(answer.value.value("what", ""));
    }
    EXPECT_THAT(problems, ElementsAre(HasSubstr("has no head 9"), HasSubstr("is not in force"), HasSubstr("nothing to add"),
                                      HasSubstr("takes no further step")));
}

TEST_F(TrainingInterventionsTest, AreRefusedWhileEarlierOnesAreStillToBeRepeated) {
    const auto straight = train("straight", {{9, {{{kShut}, {}}}}});
    const auto resumed = train("straight", {{5, {{{kMute}, {}}}}}, checkpoint("straight", 3), journalOf(straight));
    EXPECT_EQ(end(resumed), end(straight));
    const auto answers = resumed.all<Answer>();
    ASSERT_THAT(answers, SizeIs(1));
    EXPECT_FALSE(answers[0].ok);
    EXPECT_THAT(answers[0].value.value("what", ""), HasSubstr("up to step 10"));
}

}  // namespace
}  // namespace heddle
