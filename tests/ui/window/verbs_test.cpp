// SPDX-License-Identifier: GPL-3.0-or-later
// Verbs on runs: which are offered, what they say they act on, and what is shown until they have happened.
#include "storage/run_store.h"
#include "tests/ui/support/noting_control.h"
#include "tests/ui/support/offscreen.h"
#include "tests/ui/support/run_refs.h"
#include "ui/data/run_actions.h"
#include "ui/data/studio.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestsystem.h>
#include <QApplication>
#include <QMenu>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>

#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

const std::string kRun = "aaaaaaaaaaaa", kOther = "bbbbbbbbbbbb";

/// An owner that answers when the test lets it, or refuses.
class SlowControl : public NotingControl {
public:
    void answer(bool refuse = false) {
        const std::lock_guard lock(mutex_);
        answers_ = true;
        refuses_ = refuse;
        changed_.notify_all();
    }
    std::string submit(const RunSpec&, const std::string&) override { return ""; }
    void resume(const std::string& run) override { wait("resume " + run); }
    void command(const std::string& run, RunVerb verb, const std::string&) override {
        wait(std::to_string(int(verb)) + ' ' + run);
    }
    void edit(const Edit&) override {}

private:
    void wait(const std::string& call) {
        note(call);
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return answers_; });
        if (refuses_) throw std::runtime_error("the owner did not answer within 30 s");
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    bool answers_ = false, refuses_ = false;
};

class Verbs : public testing::Test {
protected:
    Verbs() : settings_(folder_.filePath(text("settings.ini")), QSettings::IniFormat) {
        const std::string file = folder_.filePath(text("runs.heddle")).toStdString();
        store_ = storage::RunStore::open(file, {"test", 0});
        for (const auto& [id, name] : {std::pair(kRun, "eau-full"), std::pair(kOther, "eau & base")}) {
            storage::RunRecord run;
            run.id = id;
            run.name = name;
            run.state = "running";
            run.seed = 1;
            run.spec = R"({"schema":1,"train":{}})";
            run.created = 1;
            store_->addRun(run);
        }
        QSignalSpy opened(&studio_.databases(), &Databases::opened);
        studio_.open(QString::fromStdString(file));
        EXPECT_TRUE(waitUntil([&] { return opened.size() == 1 && studio_.databases().runs().size() == 2; }));
        verbs_.setRuns(refsOf({kRun}));
    }
    ~Verbs() override { control_.answer(); }
    void setState(const std::string& run, const std::string& state) {
        store_->setState(run, state, "");
        EXPECT_TRUE(waitUntil([&] { return studio_.databases().runWithId(run)->state == state; }));
    }
    QAction& action(RunVerb verb) { return verbs_.action(verb); }
    QString word(const std::string& run) { return studio_.stateWord(*studio_.databases().runWithId(run)); }

    QTemporaryDir folder_;
    QSettings settings_;
    SlowControl control_;
    std::unique_ptr<storage::RunStore> store_;
    Studio studio_{[this](const QString&) { return &control_; }, settings_};
    RunActions verbs_{studio_};
};

}  // namespace

TEST_F(Verbs, ComeFromTheTransitionTable) {
    for (int i = 0; i < kRunStateCount; ++i) {
        const auto state = RunState(i);
        setState(kRun, std::string(name(state)));
        for (const RunVerb verb : {RunVerb::Pause, RunVerb::Checkpoint, RunVerb::Stop})
            EXPECT_EQ(action(verb).isEnabled(), isAllowed(state, verb)) << name(state) << ", verb " << int(verb);
        const bool goesOn = isAllowed(state, RunVerb::Resume) || isAllowed(state, RunVerb::Start) || state == RunState::Queued;
        EXPECT_EQ(action(RunVerb::Resume).isEnabled(), goesOn) << name(state);
        EXPECT_EQ(verbs_.pauseOrResume().isEnabled(), goesOn || isAllowed(state, RunVerb::Pause)) << name(state);
    }
    setState(kRun, "completed");
    EXPECT_FALSE(action(RunVerb::Resume).isEnabled()) << "a completed run has nothing to go on with";
    verbs_.setRuns({});
    for (const RunVerb verb : {RunVerb::Pause, RunVerb::Resume, RunVerb::Checkpoint, RunVerb::Stop})
        EXPECT_FALSE(action(verb).isEnabled());
}

TEST_F(Verbs, NameTheRunThatTheyActOn) {
    EXPECT_EQ(action(RunVerb::Stop).text(), text("Stop eau-full s1"));
    EXPECT_EQ(action(RunVerb::Stop).iconText(), text("Stop"));
    EXPECT_EQ(action(RunVerb::Checkpoint).text(), text("Write a checkpoint of eau-full s1"));
    EXPECT_EQ(verbs_.pauseOrResume().text(), text("Pause eau-full s1"));
    setState(kRun, "paused");
    EXPECT_EQ(verbs_.pauseOrResume().text(), text("Resume eau-full s1"));
    verbs_.setRuns(refsOf({kOther}));
    EXPECT_EQ(action(RunVerb::Stop).text(), text("Stop eau && base s1")) << "no letter of the name is a key";
    verbs_.setRuns(refsOf({kRun, kOther}));
    EXPECT_EQ(action(RunVerb::Stop).text(), text("Stop 2 runs"));
    EXPECT_FALSE(action(RunVerb::Pause).isEnabled()) << "not all of them may";
    verbs_.setRuns({});
    EXPECT_EQ(action(RunVerb::Stop).text(), text("Stop"));
}

TEST_F(Verbs, AVerbIsShownFromTheClickUntilItHasHappened) {
    action(RunVerb::Pause).trigger();
    EXPECT_EQ(word(kRun), text("Pausing…")) << "at once, whoever is to answer";
    EXPECT_EQ(action(RunVerb::Pause).iconText(), text("Pausing…"));
    EXPECT_FALSE(action(RunVerb::Pause).isEnabled());
    EXPECT_TRUE(action(RunVerb::Stop).isEnabled()) << "another verb may still be wanted";
    EXPECT_EQ(word(kOther), text("Running"));
    control_.answer();
    ASSERT_TRUE(waitUntil([&] { return control_.calls().size() == 1; }));
    EXPECT_EQ(word(kRun), text("Pausing…")) << "accepted, not done";
    setState(kRun, "paused");
    EXPECT_EQ(word(kRun), text("Paused"));
    EXPECT_EQ(action(RunVerb::Resume).iconText(), text("Resume"));
    EXPECT_TRUE(action(RunVerb::Resume).isEnabled());
}

TEST_F(Verbs, ARefusalEndsItAndIsTold) {
    QSignalSpy told(&studio_, &Studio::messageRequested);
    action(RunVerb::Stop).trigger();
    EXPECT_EQ(word(kRun), text("Stopping…"));
    control_.answer(true);
    ASSERT_TRUE(waitUntil([&] { return told.size() == 1; }));
    EXPECT_EQ(told[0][0].value<MessageStrip::Message>().title,
              text("eau-full s1 was not stopped: the owner did not answer within 30 s"));
    EXPECT_EQ(word(kRun), text("Running"));
    EXPECT_TRUE(action(RunVerb::Stop).isEnabled());
}

TEST_F(Verbs, WhatIsAcceptedAndDoesNotHappenIsTold) {
    studio_.verbs().setTimeout(std::chrono::milliseconds(20));
    QSignalSpy told(&studio_, &Studio::messageRequested);
    control_.answer();
    action(RunVerb::Pause).trigger();
    EXPECT_EQ(word(kRun), text("Pausing…"));
    ASSERT_TRUE(waitUntil([&] { return told.size() == 1; }));
    EXPECT_EQ(told[0][0].value<MessageStrip::Message>().title, text("eau-full s1 is not paused yet"));
    EXPECT_EQ(word(kRun), text("Running"));
    EXPECT_TRUE(action(RunVerb::Pause).isEnabled());
}

TEST_F(Verbs, AnOlderRequestDoesNotEndANewerOne) {
    studio_.verbs().setTimeout(std::chrono::milliseconds(200));
    QSignalSpy told(&studio_, &Studio::messageRequested);
    control_.answer();
    action(RunVerb::Pause).trigger();
    QTest::qWait(60);  // accepted
    studio_.verbs().setTimeout(std::chrono::minutes(1));
    studio_.verbs().carryOut(refOf(kRun), RunVerb::Stop);
    QTest::qWait(400);
    EXPECT_EQ(word(kRun), text("Stopping…"));
    EXPECT_TRUE(told.isEmpty()) << "the patience with the first one is over, that with the second one is not";
}

TEST_F(Verbs, ACheckpointIsPendingUntilItIsAccepted) {
    action(RunVerb::Checkpoint).trigger();
    EXPECT_EQ(word(kRun), text("Saving…"));
    control_.answer();
    EXPECT_TRUE(waitUntil([&] { return word(kRun) == text("Running"); }));
}

TEST_F(Verbs, RunsAreShownComparedAndCloned) {
    QSignalSpy pages(&studio_, &Studio::pageRequested);
    verbs_.watch().trigger();
    EXPECT_EQ(studio_.currentRun(), refOf(kRun));
    verbs_.inspect().trigger();
    QSignalSpy compared(&studio_, &Studio::compareRequested);
    verbs_.compare().trigger();
    verbs_.setRuns(refsOf({kRun, kOther}));
    EXPECT_FALSE(verbs_.watch().isEnabled() || verbs_.clone().isEnabled() || verbs_.fork().isEnabled()) << "one at a time";
    EXPECT_EQ(verbs_.compare().text(), text("Compare 2 runs"));
    verbs_.compare().trigger();
    ASSERT_EQ(compared.size(), 2);
    EXPECT_EQ(compared[0][0].value<std::vector<RunRef>>(), refsOf({kRun}));
    EXPECT_EQ(compared[1][0].value<std::vector<RunRef>>(), refsOf({kRun, kOther}));
    QList<PageId> shown;
    for (const auto& page : pages) shown << page[0].value<PageId>();
    EXPECT_EQ(shown, (QList<PageId>{PageId::Watch, PageId::Inspect, PageId::Compare, PageId::Compare}));
}

TEST_F(Verbs, AForkStartsFromTheCheckpointThatIsChosen) {
    QSignalSpy told(&studio_, &Studio::messageRequested), composed(&studio_, &Studio::composeRequested);
    verbs_.fork().trigger();
    ASSERT_TRUE(waitUntil([&] { return told.size() == 1; }));
    EXPECT_EQ(told[0][0].value<MessageStrip::Message>().title, text("eau-full s1 has no checkpoint to fork from"));
    for (const auto& [step, kind] :
         {std::pair(100, "step"), std::pair(200, "best"), std::pair(200, "last"), std::pair(300, "step")}) {
        storage::CheckpointRecord kept;
        kept.run = kRun;
        kept.step = step;
        kept.kind = kind;
        kept.folder = std::string(kRun) + "/checkpoints/" + std::to_string(step);
        kept.weightsSha256 = "sha of " + std::to_string(step);
        store_->add(kept);
    }
    verbs_.fork().trigger();
    const auto menu = [] {
        for (auto* widget : QApplication::topLevelWidgets())
            if (widget->objectName() == text("forkMenu")) return qobject_cast<QMenu*>(widget);
        return static_cast<QMenu*>(nullptr);
    };
    ASSERT_TRUE(waitUntil([&] { return menu() != nullptr; }));
    QStringList offered;
    for (const QAction* action : menu()->actions()) offered << action->text();
    EXPECT_EQ(offered, (QStringList{text("Fork eau-full s1 at"), text("step 300 · step"), text("step 200 · best, last"),
                                    text("step 100 · step")}));
    menu()->actions().at(2)->trigger();
    ASSERT_EQ(composed.size(), 1);
    const Json start = composed[0][0].value<Json>().at("train").at("start");
    storage::CheckpointRecord chosen;
    for (const auto& kept : storage::RunQuery::open(studio_.databases().currentFile().toStdString())->checkpoints(kRun))
        if (kept.step == 200) chosen = kept;
    EXPECT_EQ(start.at("checkpoint"), folder_.filePath(text("runs.heddle.d/")).toStdString() + chosen.folder);
    EXPECT_EQ(start.at("weights_sha256"), "sha of 200");
    EXPECT_EQ(start.at("neutral"), true);
    EXPECT_EQ(composed[0][1].toString(), text("eau-full from step 200"));
    EXPECT_TRUE(told.last()[0].value<MessageStrip::Message>().title.contains(text("step 200 of eau-full s1")));
}

TEST_F(Verbs, TheMenuOfAForkOpensBelowItsButton) {
    storage::CheckpointRecord kept;
    kept.run = kRun;
    kept.step = 100;
    kept.kind = "last";
    kept.folder = std::string(kRun) + "/checkpoints/100";
    store_->add(kept);
    QToolButton button;
    button.setDefaultAction(&verbs_.fork());
    button.setGeometry(100, 100, 120, 30);
    button.show();
    button.activateWindow();
    button.setFocus();
    ASSERT_TRUE(waitUntil([&] { return button.hasFocus(); }));
    QTest::keyClick(&button, Qt::Key_Space);
    const auto menu = [] {
        for (auto* widget : QApplication::topLevelWidgets())
            if (widget->objectName() == text("forkMenu") && widget->isVisible()) return widget;
        return static_cast<QWidget*>(nullptr);
    };
    ASSERT_TRUE(waitUntil([&] { return menu() != nullptr; }));
    EXPECT_EQ(menu()->pos(), button.mapToGlobal(button.rect().bottomLeft()));
    menu()->close();
}

TEST_F(Verbs, AnotherDatabaseHasNothingPending) {
    action(RunVerb::Pause).trigger();
    ASSERT_TRUE(studio_.verbs().of(refOf(kRun)));
    studio_.open(studio_.databases().currentFile());
    EXPECT_TRUE(waitUntil([&] { return !studio_.verbs().of(refOf(kRun)); }));
}
