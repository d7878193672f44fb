// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done to the run shown: the verbs of the tool bar, and the strip of a run that ended badly.
#include "tests/ui/watch/watch_fixture.h"
#include "ui/pages/watch/queue_delegate.h"
#include "ui/pages/watch/queue_model.h"
#include "ui/panels/curve_panel.h"
#include "ui/panels/log_view.h"
#include "ui/widgets/message_strip.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QToolButton>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

/// The button of a verb in the page's tool bar.
QToolButton& verb(QWidget& page, RunVerb verb) {
    return named<QToolButton>(page, verb == RunVerb::Pause    ? "pause"
                                    : verb == RunVerb::Resume ? "resume"
                                    : verb == RunVerb::Stop   ? "stop"
                                                              : "checkpoint");
}

QAction& correct(WatchPage& page) { return named<QAction>(page, "cloneAndCorrect"); }

}  // namespace

TEST_F(WatchTest, VerbsFollowTheState) {
    add({});
    WatchPage& page = open();
    EXPECT_TRUE(verb(page, RunVerb::Pause).isEnabled());
    EXPECT_FALSE(verb(page, RunVerb::Resume).isEnabled());
    verb(page, RunVerb::Pause).click();
    EXPECT_TRUE(waitUntil([&] { return control_.calls().size() == 1; }));
    store_->setState(kRun, "paused", "user");
    EXPECT_TRUE(waitUntil([&] { return !verb(page, RunVerb::Pause).isEnabled() && verb(page, RunVerb::Resume).isEnabled(); }));
    EXPECT_TRUE(waitUntil([&] { return the<MessageStrip>(page).isVisible(); }));
    EXPECT_TRUE(the<MessageStrip>(page).title().contains(text("Paused by user")));
    auto& plot = the<CurvePanel>(page).plot();
    page.activateWindow();
    plot.setFocus();
    QTest::keyClick(&plot, Qt::Key_Space);
    EXPECT_TRUE(waitUntil([&] { return control_.calls().size() == 2; }));
    EXPECT_EQ(control_.calls().back(), "verb " + std::to_string(int(RunVerb::Resume)) + ' ' + kRun);
}

TEST_F(WatchTest, AClickMeantForAVerbThatIsOverHitsNoOther) {
    add({});
    WatchPage& page = open();
    QToolButton& pause = verb(page, RunVerb::Pause);
    ASSERT_TRUE(waitUntil([&] { return pause.isVisible() && pause.isEnabled(); }));
    std::vector<QRect> before, after;
    const auto places = [&](std::vector<QRect>& into) {
        for (const RunVerb each : {RunVerb::Pause, RunVerb::Resume, RunVerb::Stop, RunVerb::Checkpoint})
            into.push_back(verb(page, each).geometry());
    };
    places(before);
    const QPoint place = pause.mapTo(page.window(), pause.rect().center());
    QSignalSpy composed(studio_.get(), &Studio::composeRequested);
    store_->setState(kRun, "completed", "");
    ASSERT_TRUE(waitUntil([&] { return !pause.isEnabled(); }));
    EXPECT_TRUE(settle());
    places(after);
    EXPECT_EQ(after, before);
    QTest::mouseClick(page.window()->childAt(place), Qt::LeftButton);
    EXPECT_EQ(composed.size(), 0) << "Clone does not stand there now";
    EXPECT_TRUE(control_.calls().empty());
}

TEST_F(WatchTest, APendingVerbMovesNoOther) {
    add({});
    WatchPage& page = open();
    QToolButton &pause = verb(page, RunVerb::Pause), &stop = verb(page, RunVerb::Stop);
    const QRect place = stop.geometry();
    pause.click();
    ASSERT_TRUE(waitUntil([&] { return pause.text() == text("Pausing…"); }));
    EXPECT_FALSE(pause.isEnabled());
    QCoreApplication::processEvents();
    EXPECT_EQ(stop.geometry(), place);
}

TEST_F(WatchTest, AnInterruptedRunIsOfferedForResume) {
    add({.state = "interrupted"});
    WatchPage& page = open();
    auto& strip = the<MessageStrip>(page);
    ASSERT_TRUE(strip.isVisible());
    EXPECT_TRUE(strip.title().contains(text("Interrupted")));
    strip.findChild<QPushButton*>()->click();
    EXPECT_TRUE(waitUntil([&] { return control_.calls().size() == 1; }));
    EXPECT_EQ(control_.calls().front(), "resume " + kRun);
}

TEST_F(WatchTest, AFailedRunSaysItInOneSentenceAndOpensAtTheFault) {
    add({.state = "failed"});
    store_->add(storage::EventRecord{kRun, 1, 400, 0, 1, "failure", "the labels are smoothed too much",
                                     R"({"where":"step 399","next":"lower train.label_smoothing or train.lr"})"});
    WatchPage& page = open();
    QSignalSpy asked(studio_.get(), &Studio::composeRequested), said(studio_.get(), &Studio::messageRequested);
    auto& strip = the<MessageStrip>(page);
    ASSERT_TRUE(waitUntil([&] { return strip.isVisible(); }));
    EXPECT_EQ(strip.title(), text("This run failed at step 400: the labels are smoothed too much."));
    correct(page).trigger();
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked.first().at(3).value<std::string>(), "train.label_smoothing");
    ASSERT_EQ(said.size(), 1);
    const auto message = said.first().at(0).value<MessageStrip::Message>();
    EXPECT_EQ(message.title, strip.title());
    EXPECT_EQ(message.text, text("Lower train.label_smoothing or train.lr."));
}

TEST_F(WatchTest, TheStripOfAFailureCopiesItsDetailsAndOpensTheLog) {
    add({.state = "failed"});
    store_->add(storage::EventRecord{kRun, 1, 400, 0, 1, "failure", "the loss is NaN", R"({"next":"lower train.lr"})"});
    WatchPage& page = open();
    const auto trigger = [&](const char* name) { page.findChild<QAction*>(text(name))->trigger(); };
    trigger("copyDetails");
    const QString copied = QGuiApplication::clipboard()->text();
    EXPECT_TRUE(copied.startsWith(the<MessageStrip>(page).title())) << copied.toStdString();
    EXPECT_TRUE(copied.contains(text("Lower train.lr.")));
    EXPECT_TRUE(copied.contains(text("running: started"))) << "the log is with it";
    the<QTabWidget>(page).setCurrentIndex(1);
    ASSERT_FALSE(the<LogView>(page).isVisible());
    trigger("openLog");
    EXPECT_TRUE(the<LogView>(page).isVisible());
}

TEST_F(WatchTest, AFaultInTheVariantIsFoundByItsPath) {
    add({.state = "failed"});
    store_->add(storage::EventRecord{kRun, 1, 400, 0, 1, "failure", "there is no such preset",
                                     R"({"where":"variant.preset","next":"choose another one"})"});
    WatchPage& page = open();
    QSignalSpy asked(studio_.get(), &Studio::composeRequested);
    EXPECT_EQ(the<MessageStrip>(page).title(),
              text("This run failed at step 400, in variant.preset: there is no such preset."));
    correct(page).trigger();
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked.first().at(3).value<std::string>(), "variant.preset");
}

TEST(QueueDelegate, AVerbThatChangesUnderTheMouseIsNotCarriedOut) {
    QListView view;
    QStandardItemModel model(1, 1);
    watch::QueueDelegate delegate;
    view.setModel(&model);
    view.setItemDelegate(&delegate);
    const QModelIndex row = model.index(0, 0);
    model.setData(row, text("1/aaaaaaaaaaaa"), watch::QueueModel::RunRole);
    model.setData(row, text("Resume"), watch::QueueModel::VerbRole);
    view.resize(300, 100);
    view.show();
    const auto place = [&] {
        return watch::QueueDelegate::buttonRect(view.visualRect(row), row.data(watch::QueueModel::VerbRole).toString())
            .center();
    };
    QSignalSpy clicked(&delegate, &watch::QueueDelegate::verbClicked);
    QTest::mousePress(view.viewport(), Qt::LeftButton, {}, place());
    model.setData(row, text("Compare"), watch::QueueModel::VerbRole);
    QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, place());
    EXPECT_EQ(clicked.size(), 0);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, place());
    EXPECT_EQ(clicked.size(), 1);
}
