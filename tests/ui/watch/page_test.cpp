// SPDX-License-Identifier: GPL-3.0-or-later
// The page as a user sees it.
#include "tests/ui/watch/watch_fixture.h"
#include "ui/pages/watch/curve_list.h"
#include "ui/pages/watch/watch_bar.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/curve_legend.h"
#include "ui/panels/curve_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/sample_view.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sparsity_panel.h"
#include "ui/widgets/message_strip.h"

#include <QtTest/qtestkeyboard.h>
#include <QtTest/qtestmouse.h>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QSplitter>
#include <QStackedWidget>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using namespace heddle::ui::watch;

namespace {

CurvePanel& lossCard(WatchPage& page) { return named<CurvePanel>(page, "loss"); }
QListView& curvesList(QWidget& page) { return named<QListView>(page, "curves"); }

/// What the list of curves says of one of them.
QString listedValue(QWidget& page, int row) {
    return curvesList(page).model()->index(row, 0).data(CurveList::ValueRole).toString();
}

int curveCount(WatchPage& page) { return int(lossCard(page).plot().table().columns.size()) - 1; }

}  // namespace

TEST_F(WatchTest, EmptyDatabaseOffersTheNextStep) {
    WatchPage& page = open();
    QSignalSpy asked(studio_.get(), &Studio::pageRequested);
    auto& compose = named<QPushButton>(page, "compose");
    ASSERT_TRUE(compose.isVisible());
    EXPECT_FALSE(the<WatchBar>(page).isEnabled()) << "disabled, not hidden";
    compose.click();
    ASSERT_EQ(asked.size(), 1);
}

TEST_F(WatchTest, EmptyDatabaseTrainsTheSample) {
    named<QPushButton>(open(), "trainSample").click();
    EXPECT_TRUE(waitUntil([&] { return control_.calls().size() == 2; }));
    EXPECT_EQ(control_.calls(), (std::vector<std::string>{"submit eau-base", "submit eau-full"}));
}

TEST_F(WatchTest, ShowsTheRunInTraining) {
    add({.id = kOther, .name = "eau-base", .state = "completed", .hash = "h2", .created = 2000});
    add({});
    WatchPage& page = open();
    EXPECT_EQ(studio_->currentRun().id, kRun) << "the one in training, not the newest";
    EXPECT_EQ(curveCount(page), 2) << "train and valid";
    EXPECT_TRUE(the<CurveLegend>(page).accessibleText().contains(text("eau-full s4, Running")));
    studio_->setComparedRuns(refsOf({kOther}));
    ASSERT_TRUE(settle());
    EXPECT_EQ(curveCount(page), 4);
    EXPECT_TRUE(the<CurveLegend>(page).accessibleText().contains(text("eau-base s4, Completed")));
}

TEST_F(WatchTest, TheStepAxisEndsWhereTheDataEnd) {
    add({});
    WatchPage& page = open();
    ASSERT_TRUE(waitUntil([&] { return lossCard(page).plot().stepRange().second == 500; }))
        << "400 steps of 1,000, room for more";
    QAction* plan = &actionNamed(page.viewActions(), "wholePlan");
    plan->trigger();
    ASSERT_TRUE(waitUntil([&] { return lossCard(page).plot().stepRange().second == 1000; }));
    plan->trigger();
    store_->setState(kRun, "stopped", "user");
    ASSERT_TRUE(waitUntil([&] { return lossCard(page).plot().stepRange().second == 400; })) << "nothing more will come";
}

TEST_F(WatchTest, ARunThatStartsIsShownUnlessAnotherWasChosen) {
    add({.id = "aaaaaaaaaaaa", .state = "completed"});
    WatchPage& page = open();
    add({.id = "bbbbbbbbbbbb", .state = "running", .hash = "h2", .created = 2000});
    EXPECT_TRUE(waitUntil([&] { return studio_->currentRun().id == "bbbbbbbbbbbb"; }));
    auto* box = &named<QComboBox>(page, "runShown");
    EXPECT_EQ(box->itemText(box->findData(refOf("aaaaaaaaaaaa").key())), text("eau-full s4 · aaaa · Completed"))
        << "two runs have the label";
    Q_EMIT box->activated(box->findData(refOf("aaaaaaaaaaaa").key()));
    EXPECT_EQ(studio_->currentRun().id, "aaaaaaaaaaaa");
    add({.id = "cccccccccccc", .state = "running", .hash = "h3", .created = 3000});
    ASSERT_TRUE(waitUntil([&] { return studio_->databases().runs().size() == 3; }));
    settle();
    EXPECT_EQ(studio_->currentRun().id, "aaaaaaaaaaaa") << "it was chosen by hand";
}

TEST_F(WatchTest, NewRowsArriveByThemselves) {
    add({});
    WatchPage& page = open();
    auto& plot = lossCard(page).plot();
    append(kRun, "loss", 401, 444, 4);
    EXPECT_TRUE(waitUntil([&] { return page.isSettled() && plot.table().rows.last().first() == text("444"); }));
    page.setShown(false);
    const auto version = studio_->databases().runs().size();
    append(kRun, "loss", 445, 450, 4);
    QSignalSpy polled(&studio_->databases(), &Databases::changed);
    EXPECT_TRUE(waitUntil([&] { return !polled.empty(); }));
    EXPECT_TRUE(settle());
    EXPECT_EQ(plot.table().rows.last().first(), text("444")) << "a page that is not shown asks nothing";
    EXPECT_EQ(studio_->databases().runs().size(), version);
}

TEST_F(WatchTest, ScrubberMovesEverySnapshotCard) {
    add({});
    WatchPage& page = open();
    auto& scrub = the<ScrubBar>(page);
    EXPECT_EQ(scrub.step(), 400);
    EXPECT_TRUE(the<SampleView>(page).toPlainText().contains(text("Schritt 400")));
    QTest::keyClick(&scrub.scrubber(), Qt::Key_Left);
    EXPECT_EQ(scrub.step(), 300);
    EXPECT_EQ(scrub.scrubber().follow(), Follow::Off);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(the<SampleView>(page).toPlainText().contains(text("Schritt 300")));
    EXPECT_EQ(the<GatesPanel>(page).sites().data().rowValues.first(), text("0.80"));
    EXPECT_EQ(the<GatesPanel>(page).ridges().table().rows.last().first(), text("300"));
    EXPECT_FALSE(the<SparsityPanel>(page).bars().data().bars.isEmpty());
    EXPECT_EQ(the<AttentionPanel>(page).map().data().columnLabels.value(1), text("man"));
    scrub.follow();
    EXPECT_EQ(scrub.step(), 400);
}

TEST_F(WatchTest, ValuesStandOnlyWhereTheRunsHaveThem) {
    add({.id = kOther, .name = "eau-base", .state = "completed", .hash = "h2", .steps = 160, .created = 500});
    add({});
    WatchPage& page = open();
    studio_->setComparedRuns(refsOf({kOther}));
    ASSERT_TRUE(settle());
    auto& plot = lossCard(page).plot();
    plot.setCursor(150);
    EXPECT_EQ(plot.readOut().caption, text("step 150, epoch 2\nvalid difference 0.000 from eau-base s4"));
    plot.setCursor(399);
    EXPECT_EQ(plot.readOut().caption, text("step 399, epoch 4\nvalid difference – from eau-base s4")) << "it ended at step 160";
    for (const QStringList& row : plot.readOut().rows)
        EXPECT_EQ(row[1] == text("–"), row[0].startsWith(text("eau-base"))) << row.join(QLatin1Char(' ')).toStdString();
    EXPECT_EQ(plot.readOut().rows.size(), 4);

    EXPECT_EQ(listedValue(page, 0), text("4.600"));
    EXPECT_EQ(listedValue(page, 1), text("–")) << "the scrubber stands at 400";
    const auto& bars = the<SparsityPanel>(page).bars();
    EXPECT_EQ(bars.data().referenceName, text("eau-base s4: –"));
    for (const Bar& bar : bars.data().bars) EXPECT_FALSE(bar.reference) << bar.label.toStdString();
    QTest::keyClick(&the<ScrubBar>(page).scrubber(), Qt::Key_Home);
    the<ScrubBar>(page).goNext();
    ASSERT_TRUE(settle());
    ASSERT_EQ(the<ScrubBar>(page).step(), 100);
    EXPECT_EQ(listedValue(page, 1), text("4.900"));
    EXPECT_EQ(bars.data().referenceName, text("eau-base s4"));
}

TEST_F(WatchTest, AttentionWalksHeadsAndPaths) {
    add({});
    WatchPage& page = open();
    auto& card = the<AttentionPanel>(page);
    EXPECT_EQ(card.path(), text("decoder.layers.0.cross")) << "cross attention says most";
    EXPECT_EQ(card.head(), 0);
    const float before = card.map().data().at(0, 0);
    lossCard(page).plot().setFocus();
    actionNamed(page.viewActions(), "nextHead").trigger();
    EXPECT_EQ(card.head(), 1);
    EXPECT_NE(card.map().data().at(0, 0), before);
    card.nextHead(1);
    EXPECT_EQ(card.head(), 1) << "there are two";
}

TEST_F(WatchTest, StopComparingIsAboutTheListedCurve) {
    add({.id = kOther, .name = "eau-base", .state = "completed", .hash = "h2", .created = 500});
    add({});
    WatchPage& page = open();
    QAction* stop = &actionNamed(page.viewActions(), "stopComparing");
    EXPECT_FALSE(stop->isEnabled()) << "nothing is compared";
    studio_->setComparedRuns(refsOf({kOther}));
    ASSERT_TRUE(settle());
    curvesList(page).setCurrentIndex(curvesList(page).model()->index(1, 0));
    EXPECT_EQ(stop->text(), text("Stop comparing eau-base s4"));
    stop->trigger();
    EXPECT_TRUE(studio_->comparedRuns().empty());
}

TEST_F(WatchTest, CloneOpensTheSpecInCompose) {
    add({});
    WatchPage& page = open();
    QSignalSpy asked(studio_.get(), &Studio::composeRequested);
    actionNamed(page.runActions(), "clone").trigger();
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked.first().at(1).toString(), text("eau-full copy"));
    EXPECT_EQ(asked.first().at(0).value<Json>()["train"]["label_smoothing"], 0.1);
}

TEST_F(WatchTest, HidingTakesACurveAwayAndBringsItBack) {
    add({.id = kOther, .name = "eau-base", .state = "completed", .hash = "h2", .created = 500});
    add({});
    WatchPage& page = open();
    studio_->setComparedRuns(refsOf({kOther}));
    ASSERT_TRUE(settle());
    actionNamed(page.viewActions(), "hideOtherCurves").trigger();
    ASSERT_TRUE(settle());
    EXPECT_EQ(curveCount(page), 2);
    actionNamed(page.viewActions(), "hideOtherCurves").trigger();
    ASSERT_TRUE(settle());
    EXPECT_EQ(curveCount(page), 4) << "rows that were dropped are read again";
}

/// The seconds of steps and the tokens per second are read by two parts of the page.
TEST_F(WatchTest, TokensAndTimeCanBeAxesOnceThePaceIsRead) {
    add({});
    auto& bar = the<WatchBar>(open());
    for (const XAxis axis : {XAxis::Tokens, XAxis::Time}) {
        bar.setAxis(axis);
        EXPECT_TRUE(waitUntil([&] { return bar.axis() == axis; }));
    }
}

TEST_F(WatchTest, AxesAndSmoothingApplyToBothCurves) {
    add({});
    WatchPage& page = open();
    auto& bar = the<WatchBar>(page);
    actionNamed(page.viewActions(), "nextAxis").trigger();
    EXPECT_EQ(bar.axis(), XAxis::Epoch);
    bar.setSmoothing(123);
    for (CurvePanel* card : page.findChildren<CurvePanel*>()) EXPECT_EQ(card->plot().smoothing(), 123);
    bar.logAction()->trigger();
    EXPECT_EQ(lossCard(page).plot().valueScale(), AxisScale::Log);
    page.saveSession(*settings_);
    WatchPage again(*studio_);
    again.restoreSession(*settings_);
    EXPECT_EQ(the<WatchBar>(again).smoothing(), 123);
    EXPECT_TRUE(the<WatchBar>(again).logAction()->isChecked());
}

TEST_F(WatchTest, SmoothingFollowsTheStepsThatThereAreAndNotThePlan) {
    add({});  // 400 of 1,000 steps
    EXPECT_EQ(the<WatchBar>(open()).smoothing(), defaultSmoothing(400));
}

TEST(WatchBar, SmoothingSuitsTheLengthOfTheRun) {
    EXPECT_EQ(defaultSmoothing(399), 0);
    EXPECT_EQ(defaultSmoothing(400), 2);
    EXPECT_EQ(defaultSmoothing(27'240), 100);
    EXPECT_EQ(defaultSmoothing(100'000'000), 5000);
}

TEST_F(WatchTest, TheSplittersBelongToTheArrangement) {
    add({});
    WatchPage& page = open();
    auto* between = qobject_cast<QSplitter*>(the<GatesPanel>(page).parentWidget());
    ASSERT_NE(between, nullptr);
    const auto before = between->sizes();
    const QByteArray kept = page.arrangement();
    between->setSizes({200, 200, 600});
    ASSERT_NE(between->sizes(), before);
    page.arrange(kept);
    EXPECT_EQ(between->sizes(), before);
    page.arrange("no arrangement");
    EXPECT_EQ(between->sizes(), before);
}

TEST_F(WatchTest, FullSizeShowsOneCardAlone) {
    add({});
    WatchPage& page = open();
    auto& gates = the<GatesPanel>(page);
    Q_EMIT gates.expandRequested();
    EXPECT_TRUE(gates.isVisible());
    EXPECT_FALSE(the<AttentionPanel>(page).isVisible());
    EXPECT_FALSE(the<CurveLegend>(page).isVisible());
    actionNamed(page.viewActions(), "leaveFullSize").trigger();
    EXPECT_TRUE(the<AttentionPanel>(page).isVisible());
    EXPECT_TRUE(the<CurveLegend>(page).isVisible());
}

TEST_F(WatchTest, ExportWritesTheFormatThatTheNameAsksFor) {
    add({});
    WatchPage& page = open();
    auto& bars = the<SparsityPanel>(page).bars();
    const auto contents = [&](const char* name) {
        const QString file = folder_.filePath(text(name));
        writePlot(bars, file);
        QFile in(file);
        EXPECT_TRUE(in.open(QIODevice::ReadOnly));
        return in.readAll();
    };
    EXPECT_TRUE(contents("x.png").startsWith("\x89PNG") && contents("x.pdf").startsWith("%PDF"));
    EXPECT_TRUE(contents("x.svg").contains("<svg"));
    EXPECT_TRUE(contents("x.tsv").contains("encoder.residual\t15.0"));
    EXPECT_THROW(writePlot(bars, text("/nowhere/x.png")), std::runtime_error);
}

TEST_F(WatchTest, NoTwoActionsOfAViewShareAKeyAndAllHaveNames) {
    add({});
    WatchPage& page = open();
    for (QWidget* widget : page.findChildren<QWidget*>()) {
        QStringList keys;
        for (QAction* action : widget->actions())
            for (const QKeySequence& key : action->shortcuts()) keys << key.toString();
        EXPECT_EQ(keys.removeDuplicates(), 0) << widget->metaObject()->className();
        const bool own = !widget->objectName().startsWith(text("qt_"));
        if (own && widget->isVisible() && (widget->focusPolicy() & Qt::TabFocus) && !widget->focusProxy()) {
            const auto* button = qobject_cast<QAbstractButton*>(widget);
            EXPECT_FALSE(widget->accessibleName().isEmpty() && (!button || button->text().isEmpty()))
                << widget->metaObject()->className() << ' ' << widget->parentWidget()->metaObject()->className();
        }
    }
}

/// Pictures to look at: HEDDLE_SHOTS=folder HEDDLE_DB=file ui_watch_test --gtest_also_run_disabled_tests --gtest_filter=*Shots
TEST_F(WatchTest, DISABLED_Shots) {
    const QString folder = qEnvironmentVariable("HEDDLE_SHOTS");
    if (qEnvironmentVariableIsSet("HEDDLE_DB")) file_ = qgetenv("HEDDLE_DB").toStdString();
    for (const auto& [name, look] : {std::pair("light", Appearance::Light), std::pair("dark", Appearance::Dark)}) {
        Theme::instance().setAppearance(look);
        page_.reset();  // without exec() the palette does not reach widgets that are there already
        WatchPage& page = open();
        std::vector<RunRef> others;
        for (const auto* run : studio_->databases().runs())
            if (run->ref != studio_->currentRun()) others.push_back(run->ref);
        studio_->setComparedRuns(others);
        ASSERT_TRUE(settle());
        lossCard(page).plot().setCursor(900);
        ASSERT_TRUE(settle());
        EXPECT_TRUE(page.grab().save(folder + QStringLiteral("/watch-%1.png").arg(text(name))));
    }
}
