// SPDX-License-Identifier: GPL-3.0-or-later
// What the menus, the tool bar, the queue and the plots of Watch do, one by one.
#include "tests/ui/watch/watch_fixture.h"
#include "ui/pages/watch/queue_delegate.h"
#include "ui/pages/watch/queue_model.h"
#include "ui/pages/watch/system_panel.h"
#include "ui/pages/watch/watch_bar.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/curve_legend.h"
#include "ui/panels/curve_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/plot/smoothing.h"
#include "ui/widgets/message_strip.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QCoreApplication>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QWheelEvent>

#include <cmath>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using namespace heddle::ui::watch;

namespace {

class WatchActions : public WatchTest {
protected:
    CurvePanel& card(const char* name) { return named<CurvePanel>(*page_, name); }
    CurvePlot& loss() { return card("loss").plot(); }
    QAction& view(const char* name) { return actionNamed(page_->viewActions(), name); }
    void focus(QWidget& widget) {
        page_->activateWindow();
        widget.setFocus();
        ASSERT_TRUE(waitUntil([&] { return widget.hasFocus(); }));
    }
    /// The labels of the curves of the loss.
    QStringList curves() { return loss().table().columns.mid(1); }
    void addOther() { add({.id = kOther, .name = "eau-base", .state = "completed", .hash = "h2", .created = 500}); }
};

}  // namespace

TEST_F(WatchActions, TheWheelZoomsAndTheActionShowsAllStepsAgain) {
    add({});
    open();
    loss().replotNow();
    const auto whole = loss().stepRange();
    auto* chart = loss().findChild<QWidget*>();
    const QPointF middle = chart->rect().center();
    QWheelEvent wheel(middle, chart->mapToGlobal(middle), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(chart, &wheel);
    loss().replotNow();
    ASSERT_TRUE(loss().isZoomed());
    EXPECT_GT(loss().stepRange().first, whole.first);
    EXPECT_LT(loss().stepRange().second, whole.second);
    view("resetZoom").trigger();
    loss().replotNow();
    EXPECT_FALSE(loss().isZoomed());
    EXPECT_EQ(loss().stepRange(), whole);
}

TEST_F(WatchActions, TheCursorOfOnePlotIsThatOfAllUnlessTheyAreNotLinked) {
    add({});
    open();
    CurvePlot& accuracy = card("accuracy").plot();
    const auto words = [](const CurvePlot& plot) { return plot.readOut().caption; };
    QTest::keyClick(&loss(), Qt::Key_Right, Qt::ShiftModifier);
    const QString linked = words(loss());
    ASSERT_TRUE(linked.startsWith(text("step "))) << linked.toStdString();
    EXPECT_EQ(words(accuracy), linked);
    view("linkCursors").trigger();
    for (int i = 0; i < 3; ++i) QTest::keyClick(&loss(), Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_NE(words(loss()), linked);
    EXPECT_EQ(words(accuracy), linked);
}

TEST_F(WatchActions, SnapshotsAreWalkedPlayedAndFollowed) {
    add({});
    auto& scrub = the<ScrubBar>(open());
    ASSERT_EQ(scrub.step(), 400);
    view("earlierSnapshot").trigger();
    EXPECT_EQ(scrub.step(), 300);
    view("firstSnapshot").trigger();
    EXPECT_EQ(scrub.step(), 1);
    view("laterSnapshot").trigger();
    EXPECT_EQ(scrub.step(), 100);
    view("followSnapshots").trigger();
    EXPECT_EQ(scrub.step(), 400);
    EXPECT_EQ(scrub.scrubber().follow(), Follow::On);
    view("playSnapshots").trigger();
    EXPECT_EQ(scrub.step(), 1) << "from the first";
    ASSERT_TRUE(waitUntil([&] { return scrub.step() == 100; }));
    view("playSnapshots").trigger();
    EXPECT_FALSE(waitUntil([&] { return scrub.step() != 100; }, std::chrono::milliseconds(900))) << "it stopped";
}

TEST_F(WatchActions, HeadsAreWalkedBack) {
    add({});
    auto& card = the<AttentionPanel>(open());
    view("nextHead").trigger();
    ASSERT_EQ(card.head(), 1);
    view("previousHead").trigger();
    EXPECT_EQ(card.head(), 0);
}

TEST_F(WatchActions, TheCurveOfTheListedRunIsHiddenElseThatOfTheRunShown) {
    addOther();
    add({});
    open();
    studio_->setComparedRuns(refsOf({kOther}));
    ASSERT_TRUE(settle());
    ASSERT_EQ(curves().size(), 4);
    auto& list = named<QListView>(*page_, "curves");
    focus(list);
    list.setCurrentIndex(list.model()->index(1, 0));
    view("hideCurve").trigger();
    ASSERT_TRUE(settle());
    EXPECT_EQ(curves().filter(text("eau-full")).size(), 2);
    EXPECT_EQ(curves().size(), 2) << "the listed run is hidden";
    focus(loss());
    view("hideCurve").trigger();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(curves().isEmpty()) << curves().join(QLatin1Char(' ')).toStdString();
}

TEST_F(WatchActions, FAndTheButtonOfACardShowItInFullSizeAndBack) {
    add({});
    open();
    focus(loss());
    QTest::keyClick(&loss(), Qt::Key_F);
    EXPECT_TRUE(loss().isVisible());
    EXPECT_FALSE(card("accuracy").isVisible());
    QTest::keyClick(&loss(), Qt::Key_F);
    EXPECT_TRUE(card("accuracy").isVisible());
    named<QToolButton>(card("accuracy"), "fullSize").click();
    EXPECT_FALSE(card("loss").isVisible());
    named<QToolButton>(card("accuracy"), "fullSize").click();
    EXPECT_TRUE(card("loss").isVisible());
}

TEST_F(WatchActions, ThePlotWithTheFocusIsCopiedExportedAndShownAsATable) {
    add({});
    open();
    focus(loss());
    QGuiApplication::clipboard()->clear();
    actionNamed(page_->editActions(), "copyPlot").trigger();
    const QMimeData* copied = QGuiApplication::clipboard()->mimeData();
    EXPECT_TRUE(copied->hasImage() && copied->hasFormat(text("image/svg+xml")));
    EXPECT_TRUE(copied->text().contains(text("eau-full"))) << copied->text().left(200).toStdString();
    view("tableOrChart").trigger();
    EXPECT_EQ(loss().mode(), PlotMode::Table);
    EXPECT_EQ(card("accuracy").plot().mode(), PlotMode::Chart);
    named<QToolButton>(card("loss"), "more").findChild<QMenu*>()->actions().front()->trigger();
    EXPECT_EQ(loss().mode(), PlotMode::Chart) << "the menu of the card does the same";

    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    focus(loss());
    actionNamed(page_->editActions(), "exportPlot").trigger();
    auto& dialog = the<QFileDialog>(card("loss"));
    QFile file(folder_.filePath(text("loss.csv")));
    Q_EMIT dialog.fileSelected(file.fileName());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("eau-full"));
    EXPECT_TRUE(said.empty());
    Q_EMIT dialog.fileSelected(text("/nowhere/loss.csv"));
    ASSERT_EQ(said.size(), 1) << "a failure is told";
    EXPECT_EQ(said[0][0].value<MessageStrip::Message>().kind, StripKind::Bad);
    dialog.reject();
}

TEST_F(WatchActions, TheThroughputIsThatOfTheRunShownAlone) {
    addOther();
    add({});
    open();
    studio_->setComparedRuns(refsOf({kOther}));
    the<QTabWidget>(*page_).setCurrentWidget(&card("throughput"));
    ASSERT_TRUE(settle());
    ASSERT_TRUE(waitUntil([&] { return !card("throughput").plot().table().rows.isEmpty(); }));
    const QStringList columns = card("throughput").plot().table().columns;
    ASSERT_EQ(columns.size(), 2) << columns.join(QLatin1Char(' ')).toStdString();
    EXPECT_TRUE(columns[1].contains(text("eau-full")));
}

TEST_F(WatchActions, TheUseOfTheMachineIsThatOfTheRunShown) {
    addOther();
    add({});
    append(kOther, "cpu_use", 8, 16, 3);
    append(Made().id, "cpu_use", 8, 16, 1.5);
    append(Made().id, "gpu_use", 8, 16, 0.5);
    open();
    studio_->setComparedRuns(refsOf({kOther}));
    auto& system = the<watch::SystemPanel>(*page_);
    the<QTabWidget>(*page_).setCurrentWidget(&system);
    ASSERT_TRUE(settle());
    ASSERT_TRUE(waitUntil([&] { return system.plot().table().rows.size() == 9; }));
    EXPECT_EQ(system.plot().table().columns.size(), 2) << "one run";
    auto& choice = named<QComboBox>(system, "systemSeries");
    choice.setCurrentIndex(choice.findText(text("GPU, %")));
    ASSERT_TRUE(waitUntil([&] { return system.plot().table().rows.size() == 9 && system.plot().isVisible(); }));
    EXPECT_NEAR(system.rows({studio_->currentRun(), "gpu_use", "", 100})->at(8).value, 50 * (1 + 1.0 / 16), 1e-3);
    choice.setCurrentIndex(choice.findText(text("GPU power, W")));
    EXPECT_TRUE(waitUntil([&] { return !system.plot().isVisible(); })) << "it was not recorded";
}

TEST_F(WatchActions, AllTabsOfTheDetailsAreVisible) {
    add({});
    open();
    page_->resize(1380, 800);
    ASSERT_TRUE(settle());
    const auto& bar = *the<QTabWidget>(*page_).tabBar();
    ASSERT_EQ(bar.count(), 4);
    for (int tab = 0; tab < bar.count(); ++tab)
        EXPECT_TRUE(bar.rect().contains(bar.tabRect(tab))) << bar.tabText(tab).toStdString();
}

TEST_F(WatchActions, TheSliderAndTheFieldOfTheSmoothingAreOne) {
    add({});
    open();
    auto& slider = named<QSlider>(*page_, "smoothing");
    auto& field = named<QSpinBox>(*page_, "smoothingSteps");
    slider.setValue(slider.maximum() / 2);
    EXPECT_EQ(field.value(), int(std::lround(std::sqrt(double(kMostSmoothing))))) << "half of a logarithmic scale";
    EXPECT_EQ(loss().smoothing(), field.value());
    field.setValue(0);
    EXPECT_EQ(slider.value(), 0);
    EXPECT_EQ(loss().smoothing(), 0);
    page_->activateWindow();
    view("focusSmoothing").trigger();
    EXPECT_TRUE(waitUntil([&] { return slider.hasFocus(); }));
}

TEST_F(WatchActions, ARowOfTheQueueShowsItsRunAndItsButtonComparesIt) {
    addOther();
    add({});
    open();
    auto& queue = named<QListView>(*page_, "queue");
    const QModelIndex other = queue.model()->index(2, 0);  // below the header of those that have ended
    ASSERT_EQ(other.data(QueueModel::RunRole).toString(), refOf(kOther).key());
    ASSERT_TRUE(view("followRuns").isChecked());
    QTest::mouseClick(queue.viewport(), Qt::LeftButton, {}, queue.visualRect(other).topLeft() + QPoint(40, 10));
    EXPECT_EQ(studio_->currentRun().id, kOther);
    EXPECT_FALSE(view("followRuns").isChecked()) << "a run that does not train was chosen";
    QTest::mouseClick(queue.viewport(), Qt::LeftButton, {}, queue.visualRect(queue.model()->index(0, 0)).center());
    EXPECT_EQ(studio_->currentRun().id, kRun);
    const QString verb = other.data(QueueModel::VerbRole).toString();
    ASSERT_FALSE(verb.isEmpty());
    QTest::mouseClick(queue.viewport(), Qt::LeftButton, {}, QueueDelegate::buttonRect(queue.visualRect(other), verb).center());
    EXPECT_EQ(studio_->comparedRuns(), refsOf({kOther}));
    EXPECT_TRUE(control_.calls().empty());
}

TEST_F(WatchActions, TheButtonOfAPausedRunInTheQueueResumesIt) {
    add({.state = "paused"});
    open();
    auto& queue = named<QListView>(*page_, "queue");
    const QModelIndex row = queue.model()->index(0, 0);
    const QString verb = row.data(QueueModel::VerbRole).toString();
    QTest::mouseClick(queue.viewport(), Qt::LeftButton, {}, QueueDelegate::buttonRect(queue.visualRect(row), verb).center());
    ASSERT_TRUE(waitUntil([&] { return !control_.calls().empty(); }));
    EXPECT_EQ(control_.calls().front(), "verb " + std::to_string(int(RunVerb::Resume)) + ' ' + kRun);
}

TEST_F(WatchActions, AStripThatWasClosedStaysClosedUntilTheStateIsAnother) {
    add({.state = "interrupted"});
    open();
    auto& strip = the<MessageStrip>(*page_);
    ASSERT_TRUE(strip.isVisible());
    named<QToolButton>(strip, "closeMessage").click();
    page_->setShown(false);
    page_->setShown(true);
    ASSERT_TRUE(settle());
    EXPECT_FALSE(strip.isVisible());
    store_->setState(kRun, "paused", "user");
    EXPECT_TRUE(waitUntil([&] { return strip.isVisible(); }));
}

TEST_F(WatchActions, ARunThatSendsNoRowsSaysForHowLong) {
    add({});
    const auto& legend = the<CurveLegend>(open());
    const auto isStale = [&] { return legend.accessibleText().contains(text("no new row for")); };
    EXPECT_FALSE(isStale());
    ASSERT_TRUE(waitUntil(isStale, std::chrono::seconds(20))) << "after five seconds";
    append(kRun, "step_seconds", 401, 402, 0.1);
    EXPECT_TRUE(waitUntil([&] { return !isStale(); }));
}
