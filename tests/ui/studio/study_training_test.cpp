// SPDX-License-Identifier: GPL-3.0-or-later
// A study from its file to its verdict, trained by the window: what comes next is queued, and Pause and Stop are obeyed.
#include "app/study/asked_study.h"
#include "engine/base/files.h"
#include "tests/ui/studio/tour_fixture.h"
#include "ui/data/study_comparer.h"

#include <gmock/gmock.h>
#include <QFileDialog>

#include <algorithm>
#include <functional>
#include <set>

namespace heddle::studio::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// With the engine that trains nothing: the loss of "wide" is lower by 1.
class StudyTraining : public Tour {
protected:
    StudyTraining() {
        realEngine_ = false;
        engine_->stepMilliseconds = 0;
        engine_->evaluations = [](const RunSpec& spec) { return std::vector{lossOf(spec, "valid")}; };
        for (const char* file : {"a.src", "a.tgt"}) writeFileAtomically(folder_ / file, "a b\n", Readers::Umask);
    }
    static EvaluationDone lossOf(const RunSpec& spec, const std::string& split) {
        const double base = spec.variant.resolve().dims.d > 16 ? 1 : 2;
        return {1, split, {{"loss", base + 0.01 * base * double(spec.seed * spec.seed), "ce:nats", 100}}, 0};
    }
    /// Asks through the dialog whether "wide" is better than "base".
    void openStudy(const Json& changes = Json::object()) {
        Json spec = app::smallSpec("", 40).toJson();
        spec["data"]["train"] = {{"source", "a.src"}, {"target", "a.tgt"}};
        Json study{{"schema", "heddle.study/1"},
                   {"question", "Is wide better?"},
                   {"rows", {{{"name", "base"}, {"spec", spec}}, {{"name", "wide"}, {"spec", spec}, {"set", {"dims.d=32"}}}}},
                   {"baseline", "base"},
                   {"metric", {{"split", "valid"}, {"name", "loss"}, {"value", "last"}}},
                   {"seeds", {{"first", 3}, {"last", 6}}}};
        study.merge_patch(changes);
        const std::string file = folder_ / "width.json";
        writeFileAtomically(file, study.dump(), Readers::Umask);
        startOn(file_);
        showPage(Qt::Key_4, PageId::Compare);
        clickAction("openStudy");
        answerFileDialog(file);
        ASSERT_TRUE(waitUntil([&] { return comparer().study() && train().isEnabled(); })) << shownMessages();
        EXPECT_EQ(comparer().study()->key, "width");
    }
    StudyComparer& comparer() { return *page().findChild<StudyComparer*>(); }
    QAction& train() { return named<QAction>(page(), "trainStudy"); }
    std::vector<std::string> states() {
        std::vector<std::string> all;
        for (const auto* run : databases().runs()) all.push_back(run->state);
        return all;
    }
    /// The list of runs is polled.
    bool isTrained(const std::function<bool(std::size_t)>& hasAll) {
        return waitUntil(
            [&] {
                const auto now = states();
                return hasAll(now.size()) && std::count(now.begin(), now.end(), "completed") == std::ssize(now) &&
                       !train().isEnabled();
            },
            20s);
    }
    bool isTrained(std::size_t runs) {
        return isTrained([runs](std::size_t all) { return all == runs; });
    }
    bool isDecided() {
        return waitUntil([&] {
            const auto& judged = comparer().comparison()->judged[0];
            return judged && judged->verdict.rows.at(0).decision == Decision::Shown;
        });
    }
};

TEST_F(StudyTraining, GoesFromTheFileToItsVerdict) {
    openStudy();
    EXPECT_EQ(train().text(), text("Train study"));
    station("opened");
    clickAction("trainStudy");
    ASSERT_TRUE(isTrained(6)) << shownMessages() << testing::PrintToString(states());
    EXPECT_TRUE(isDecided()) << "after the first look, so that three further seeds are not trained";
    for (const auto* run : databases().runs()) EXPECT_EQ(run->group, "study/width");
    EXPECT_THAT(shownMessages(), HasSubstr("The study width is trained"));
    EXPECT_EQ(train().toolTip(), text("The study asks for no more runs."));
    station("decided");
}

TEST_F(StudyTraining, GoesOnFromLookToLook) {
    engine_->evaluations = [](const RunSpec& spec) {  // three seeds do not tell them apart
        EvaluationDone loss = lossOf(spec, "valid");
        if (spec.seed == 2) loss.values[0].value = 2;
        return std::vector{loss};
    };
    openStudy();
    clickAction("trainStudy");
    ASSERT_TRUE(isTrained([](std::size_t all) { return all > 6; })) << shownMessages() << testing::PrintToString(states());
    EXPECT_TRUE(isDecided());
}

TEST_F(StudyTraining, PausesAndGoesOnWithTheSameRuns) {
    engine_->stepMilliseconds = 20;
    openStudy();
    clickAction("trainStudy");
    ASSERT_TRUE(waitUntil([&] { return states().size() == 6 && train().text() == text("Pause study"); })) << shownMessages();
    ASSERT_TRUE(waitUntil([&] { return engine_->stepsTaken > 0; }));
    clickAction("trainStudy");
    ASSERT_TRUE(waitUntil([&] { return train().text() == text("Train study") && train().isEnabled(); }, 20s))
        << shownMessages();
    const auto areStopped = [&] {  // the list of runs is polled
        const auto now = states();
        return std::count(now.begin(), now.end(), "stopped") == 6;
    };
    EXPECT_TRUE(waitUntil(areStopped)) << testing::PrintToString(states());
    const std::int64_t taken = engine_->stepsTaken;
    EXPECT_LT(taken, 40);
    engine_->stepMilliseconds = 0;
    clickAction("trainStudy");
    ASSERT_TRUE(isTrained(6)) << shownMessages() << testing::PrintToString(states());
}

TEST_F(StudyTraining, EndsWhereAUserStopsARun) {
    engine_->stepMilliseconds = 20;
    openStudy({{"seeds", {1, 2}}});
    clickAction("trainStudy");
    ASSERT_TRUE(waitUntil([&] { return states().size() == 4; })) << shownMessages();
    RunRef running;
    ASSERT_TRUE(waitUntil([&] {
        for (const auto* run : databases().runs())
            if (run->state == "running") running = run->ref;
        return !running.id.empty();
    }));
    program_->studio().verbs().carryOut(running, RunVerb::Stop);
    engine_->stepMilliseconds = 0;
    ASSERT_TRUE(waitUntil([&] { return QString::fromStdString(shownMessages()).contains(text("is no longer trained")); }, 20s))
        << shownMessages();
    EXPECT_EQ(record(running.id)->state, "stopped") << "what a user stopped is not begun again";
    EXPECT_EQ(train().text(), text("Train study"));
    clickAction("trainStudy");
    EXPECT_TRUE(isTrained(4)) << shownMessages();
}

TEST_F(StudyTraining, EvaluatesTheMeansOfWeightsThatItsRuleAsksFor) {
    engine_->evaluator = [](const EvaluationRequest& request) {
        EvaluationReport report;
        report.measured = lossOf(request.spec, request.split);
        return report;
    };
    openStudy({{"metric", {{"value", "average of last 2"}}}});
    clickAction("trainStudy");
    ASSERT_TRUE(isTrained(6)) << shownMessages() << testing::PrintToString(states());
    EXPECT_EQ(engine_->averaged, 6);
    EXPECT_TRUE(isDecided());
}

TEST_F(StudyTraining, TrainsNothingWithoutItsData) {
    openStudy();
    for (const char* file : {"a.src", "a.tgt"}) std::filesystem::remove(folder_ / file);
    clickAction("trainStudy");
    ASSERT_TRUE(waitUntil([&] { return !train().isEnabled(); }));
    EXPECT_THAT(shownMessages(), HasSubstr("no such file"));
    EXPECT_TRUE(states().empty());
    EXPECT_THAT(train().toolTip().toStdString(), HasSubstr("a.src"));
}

TEST_F(StudyTraining, PausesWhatAnotherProgramTrains) {
    app::RunSession owner(session());
    openStudy();
    RunSpec spec = app::smallSpec("base", 40);
    spec.data.train = {folder_ / "a.src", folder_ / "a.tgt"};
    engine_->stepMilliseconds = 50;
    const auto run = owner.submit(spec, app::RunLabels{"study/width", {}});
    ASSERT_TRUE(waitUntil([&] { return train().text() == text("Pause study"); })) << shownMessages();
    clickAction("trainStudy");
    EXPECT_TRUE(reaches(run, "stopped"));
    EXPECT_TRUE(waitUntil([&] { return train().text() == text("Train study"); }));
}

TEST_F(StudyTraining, AFileThatIsNoStudyIsRefused) {
    writeFileAtomically(folder_ / "none.json", R"({"schema": "heddle.plan/1"})", Readers::Umask);
    startOn(file_);
    showPage(Qt::Key_4, PageId::Compare);
    EXPECT_FALSE(train().isEnabled());
    clickAction("openStudy");
    answerFileDialog(folder_ / "none.json");
    ASSERT_TRUE(waitUntil([&] { return !shownMessages().empty(); }));
    EXPECT_FALSE(comparer().study());
}

}  // namespace
}  // namespace heddle::studio::test
