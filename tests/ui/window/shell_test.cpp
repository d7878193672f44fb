// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/bench/stall_detector.h"
#include "tests/ui/support/offscreen.h"
#include "ui/widgets/message_strip.h"
#include "ui/window/command_palette.h"
#include "ui/window/status_item.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QtTest/qtestsystem.h>
#include <QAbstractItemModelTester>
#include <QAction>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenuBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QThread>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <gmock/gmock.h>

#include <memory>
#include <vector>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

int score(const char* pattern, const char* title) {
    const auto found = matchLetters(text(pattern), text(title));
    return found ? found->score : -1'000'000;
}

}  // namespace

TEST(CommandScore, PrefersBeginningsAndRuns) {
    EXPECT_GT(score("mut", "Mute head"), score("mut", "Unmute all"));
    EXPECT_GT(score("mut", "Unmute all"), score("mut", "Measure update time"));
    EXPECT_GT(score("mh", "Mute head"), score("mh", "Smooth"));
    EXPECT_GT(score("mute", "Mute"), score("mute", "Mute all heads of this layer"));
    EXPECT_GT(score("rl", "Reset layout"), score("rl", "Earlier snapshot"));
    EXPECT_EQ(score("xyz", "Mute head"), -1'000'000);
    EXPECT_EQ(score("mm", "Mute"), -1'000'000) << "a letter counts once";
    EXPECT_EQ(score("", "anything"), 0);
}

TEST(CommandScore, PlacesAreThoseOfTheLetters) {
    const auto found = matchLetters(text("MU h"), text("Unmute head"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->places, (QList<int>{2, 3, 7}));
}

class Palette : public testing::Test {
protected:
    Palette() {
        QMenu* run = window_.menuBar()->addMenu(text("&Run"));
        pause_ = run->addAction(text("&Pause run"), QKeySequence(text("Ctrl+P")));
        run->addAction(text("Stop run"))->setEnabled(false);
        run->addSeparator();
        QMenu* more = run->addMenu(text("More"));
        more->addAction(text("Mute head…"));
        again_ = new QAction(text("Reset layout"), &window_);
        window_.addAction(again_);
        window_.resize(900, 600);
        window_.show();
    }
    QMainWindow window_;
    QAction *pause_, *again_;
};

TEST_F(Palette, ListsEveryUsableActionOnceWithItsMenu) {
    QStringList titles, contexts;
    for (const Command& command : commandsOf(window_)) {
        titles << command.title;
        contexts << command.context;
    }
    titles.removeAll(text("Run"));
    EXPECT_EQ(titles.count(text("Pause run")), 1);
    EXPECT_EQ(titles.count(text("Reset layout")), 1);
    EXPECT_FALSE(titles.contains(text("Stop run"))) << "disabled";
    EXPECT_TRUE(contexts.contains(text("Run, More")));
}

TEST_F(Palette, ModelKeepsItsPromises) {
    CommandList list;
    const QAbstractItemModelTester tester(&list, QAbstractItemModelTester::FailureReportingMode::Fatal);
    list.setCommands(commandsOf(window_));
    list.setPattern(text("mute"));
    ASSERT_GE(list.rowCount(), 1);
    EXPECT_EQ(list.command(0).title, text("Mute head…"));
    list.setPattern(text("#mute"));
    EXPECT_EQ(list.rowCount(), 0) << "no runs are called so";
    list.setPattern({});
    EXPECT_EQ(list.rowCount(), list.total());
}

TEST_F(Palette, WhatBeginsAsTypedComesFirstAndActionsBeforeBlocks) {
    CommandList list;
    list.setCommands({{text("Pause"), {}, {}, {}, CommandKind::Block, {}},
                      {text("Grouped values, projected"), {}, {}, {}, CommandKind::Block, {}},
                      {text("Unpause it"), {}, {}, {}, CommandKind::Action, {}},
                      {text("Pause the run with a very long name that goes on, seed 1"), {}, {}, {}, CommandKind::Action, {}}});
    const auto first = [&](const char* typed) {
        list.setPattern(text(typed));
        QStringList titles;
        for (int row = 0; row < list.rowCount(); ++row) titles << list.command(row).title.left(9);
        return titles;
    };
    EXPECT_EQ(first("pause"), (QStringList{text("Pause the"), text("Pause"), text("Unpause i"), text("Grouped v")}));
    EXPECT_EQ(first("pause the").first(), text("Pause the"));
    EXPECT_EQ(first("@pause").first(), text("Pause"));
}

TEST_F(Palette, BeginningsOfWordsComeBeforeLettersInsideThemAndVerbsBeforeBlocks) {
    CommandList list;
    list.setCommands({{text("Smh-gate"), {}, {}, {}, CommandKind::Block, {}},
                      {text("Smh"), {}, {}, {}, CommandKind::Block, {}},
                      {text("mh baseline"), {}, {}, {}, CommandKind::Run, {}},
                      {text("Cosmic hue"), {}, {}, {}, CommandKind::Action, {}},
                      {text("Mute the head"), {}, {}, {}, CommandKind::Action, {}}});
    list.setPattern(text("mh"));
    QStringList titles;
    for (int row = 0; row < list.rowCount(); ++row) titles << list.command(row).title;
    EXPECT_EQ(titles,
              (QStringList{text("mh baseline"), text("Mute the head"), text("Cosmic hue"), text("Smh"), text("Smh-gate")}));
}

TEST_F(Palette, TypingAndEnterRuns) {
    CommandPalette palette(&window_);
    palette.offer({{text("eau-full s4"), text("running"), {}, {}, CommandKind::Run, {}}});
    ASSERT_TRUE(palette.isVisible());
    auto* box = palette.findChild<QLineEdit*>();
    QSignalSpy paused(pause_, &QAction::triggered);
    QTest::keyClicks(box, text("paus"));
    EXPECT_EQ(palette.list().command(0).title, text("Pause run"));
    QTest::keyClick(box, Qt::Key_Return);
    EXPECT_EQ(paused.size(), 1);
    EXPECT_FALSE(palette.isVisible());
    palette.offer({{text("eau-full s4"), text("running"), {}, {}, CommandKind::Run, {}}});
    QTest::keyClicks(box, text("#e"));
    EXPECT_EQ(palette.list().rowCount(), 1);
    QTest::keyClick(box, Qt::Key_Down);
    QTest::keyClick(box, Qt::Key_Escape);
    EXPECT_FALSE(palette.isVisible());
}

TEST(MessageStrip, ShowsTheNextStepAndCloses) {
    MessageStrip strip;
    QAction fork(text("Fork at 4,086…"));
    QSignalSpy forked(&fork, &QAction::triggered), closed(&strip, &MessageStrip::closed);
    strip.showMessage({StripKind::Bad, text("Diverged at step 4,312"), text("First in decoder."), {&fork}});
    EXPECT_TRUE(strip.isVisible());
    EXPECT_EQ(strip.accessibleName(), text("Diverged at step 4,312"));
    auto* button = strip.findChild<QPushButton*>();
    ASSERT_NE(button, nullptr);
    QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_EQ(forked.size(), 1);
    fork.setEnabled(false);
    EXPECT_FALSE(button->isEnabled());
    strip.showMessage({StripKind::Ok, text("Verified"), {}, {}});
    EXPECT_EQ(strip.findChildren<QPushButton*>().size(), 0);
    QTest::mouseClick(strip.findChild<QToolButton*>(), Qt::LeftButton);
    EXPECT_EQ(closed.size(), 1);
    EXPECT_FALSE(strip.isVisible());
}

TEST(MessageStrip, GivesTheFocusBack) {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* field = new QLineEdit(&window);
    auto* strip = new MessageStrip(&window);
    column->addWidget(strip);
    column->addWidget(field);
    window.show();
    window.activateWindow();
    ASSERT_TRUE(waitUntil([&] { return window.isActiveWindow(); }));
    field->setFocus();
    QAction next(text("Open log"));
    strip->showMessage({StripKind::Bad, text("Failed"), {}, {&next}});
    QTest::mouseClick(strip->findChild<QPushButton*>(), Qt::LeftButton);
    EXPECT_TRUE(field->hasFocus()) << "a click leaves it";
    strip->findChild<QPushButton*>()->setFocus(Qt::TabFocusReason);
    ASSERT_FALSE(field->hasFocus());
    strip->hide();
    EXPECT_TRUE(field->hasFocus());
}

TEST(StatusItem, DoesNotShrinkByADigit) {
    StatusItem item("trainingStatus", nullptr);
    item.setWords(text("run"), text("step 11,350"), text("64.1 steps/s"));
    const int width = item.sizeHint().width();
    item.setWords(text("run"), text("step 9"), text("6 steps/s"));
    EXPECT_EQ(item.sizeHint().width(), width);
    EXPECT_EQ(item.accessibleName(), text("run step 9 6 steps/s"));
    item.setWords(text("another"), text("step 9"));
    EXPECT_LT(item.sizeHint().width(), width) << "another run starts anew";
}

TEST(StallDetector, PercentilesAreWithinFivePercent) {
    StallDetector detector;
    for (int i = 1; i <= 1000; ++i)
        detector.add(std::chrono::microseconds(i * 20), std::chrono::microseconds(i * 10));  // 0.02 … 20 ms
    const StallReport report = detector.report();
    EXPECT_EQ(report.turns, 1000);
    EXPECT_NEAR(report.p50, 10, 0.5);
    EXPECT_NEAR(report.p95, 19, 1.0);
    EXPECT_DOUBLE_EQ(report.max, 20);
    EXPECT_EQ(report.over16, 200);
    EXPECT_EQ(report.over50, 0);
    detector.reset();
    EXPECT_EQ(detector.report().turns, 0);
    EXPECT_EQ(detector.report().p95, 0);
}

TEST(StallDetector, SeesASleepingEvent) {
    StallDetector detector;
    int stalls = 0;
    detector.stalled = [&](double, double) { ++stalls; };
    QTimer::singleShot(10, &detector, [] { QThread::msleep(70); });
    bool done = false;
    QTimer::singleShot(120, &detector, [&] { done = true; });
    QEventLoop loop;
    QTimer::singleShot(200, &loop, &QEventLoop::quit);
    loop.exec();
    EXPECT_TRUE(done);
    EXPECT_GE(stalls, 1);
    EXPECT_GE(detector.report().max, 70);
    EXPECT_GE(detector.report().over16, 1);
    EXPECT_GE(detector.report().ownMax, 70) << "it slept by itself: nobody kept it from running";
    EXPECT_LT(detector.report().p50, 16);
}

TEST(StallDetector, TellsWorkFromWaitingForAProcessor) {
    StallDetector detector;
    std::vector<double> own;
    detector.stalled = [&](double, double ms) { own.push_back(ms); };
    detector.add(std::chrono::milliseconds(40), std::chrono::milliseconds(3));
    detector.add(std::chrono::milliseconds(30), std::chrono::milliseconds(20));
    EXPECT_EQ(own, (std::vector<double>{3, 20}));
    EXPECT_EQ(detector.report().over16, 2);
    EXPECT_EQ(detector.report().ownOver16, 1);
    EXPECT_EQ(detector.report().ownMax, 20);
}
