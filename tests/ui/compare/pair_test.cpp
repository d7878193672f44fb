// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded attention and gates of two runs side by side, at steps that both have.
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/bare_studio.h"
#include "tests/ui/support/offscreen.h"
#include "ui/pages/compare/compare_page.h"
#include "ui/pages/compare/pair_panel.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/table/run_table_view.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/segments.h"

#include <gmock/gmock.h>
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>

namespace heddle::ui::test {
namespace {

using testing::Contains;
using testing::ElementsAre;

class PairTest : public ::testing::Test {
protected:
    /// Seeds 1 and 2 of "base", 2 and 3 of "wide". Their maps have the steps 1 and 30 in common, their gates 1, 20 and 30.
    void SetUp() override {
        for (const std::uint64_t seed : {1U, 2U, 3U})
            for (const bool isWide : {false, true}) {
                if (seed == (isWide ? 1U : 3U)) continue;
                const std::string id = (isWide ? "b" : "a") + std::to_string(seed) + "0000000000";
                database_.add({id, isWide ? "wide" : "base", isWide ? "v2" : "v1", "completed", seed, 2.0, isWide ? 128 : 64});
                record(id, isWide ? std::set<Step>{1, 20, 30} : std::set<Step>{1, 10, 30},
                       isWide ? std::set<Step>{1, 20, 30} : std::set<Step>{1, 10, 20, 30});
            }
        open(2);
    }
    /// Shows the page and opens the database, which has so many groups.
    void open(int groups) {
        database_.close();
        page_.resize(1400, 900);
        page_.show();
        page_.setShown(true);
        bare_.studio.open(QString::fromStdString(database_.file()));
        auto& table = *page_.findChild<RunTableView*>();
        ASSERT_TRUE(waitUntil([&] { return table.model().rowCount() == groups && page_.isSettled(); }));
    }
    void record(const std::string& run, const std::set<Step>& maps, const std::set<Step>& gates) {
        for (const Step step : maps)
            for (const char* path : {"encoder.layers.0.self", "decoder.layers.0.cross"}) {
                storage::MapRecord map{run, 1, step, "weight", path, 0, 2, 2, 3, {}, {"<sos>", "ein"}, {"a", "man", "<eos>"}};
                map.values.assign(12, 0.25F);
                database_.store().add(map);
            }
        for (const Step step : gates) {
            storage::HistogramRecord gate;
            gate.run = run;
            gate.step = step;
            gate.name = "gate";
            gate.path = "encoder.layers.0.self.residual";
            gate.bins.assign(64, 10);
            database_.store().add(gate);
        }
    }
    PairPanel& pair() { return *page_.findChild<PairPanel*>(); }
    void show() { named<Segments>(page_, "views").button(5).click(); }
    /// The steps of the two maps, once both are read.
    std::vector<Step> mapSteps() {
        const auto at = [&](std::size_t side) { return pair().attention(side).shown(); };
        if (!at(0) || !at(1)) return {};
        return {Step(at(0)->step), Step(at(1)->step)};
    }

    Database database_;
    BareStudio bare_;
    ComparePage page_{bare_.studio};
};

TEST_F(PairTest, RunsOfOneSeedStandSideBySideAtOneStep) {
    show();
    ASSERT_TRUE(waitUntil([&] { return mapSteps() == std::vector<Step>{30, 30}; }));
    EXPECT_EQ(pair().run(0).id, "a20000000000") << "A: the baseline, by the seed that both have";
    EXPECT_EQ(pair().run(1).id, "b20000000000");
    EXPECT_EQ(named<QComboBox>(page_, "sideSeeds").currentText(), text("seed 2"));
    EXPECT_EQ(named<QComboBox>(page_, "sideSeeds").count(), 1);
    EXPECT_THAT(pair().scrub().scrubber().snapshots(), ElementsAre(1, 20, 30)) << "not 10, which A alone has";
    ASSERT_TRUE(waitUntil([&] { return pair().gates(0).held() == 4 && pair().gates(1).held() == 3; }));

    pair().scrub().scrubber().goTo(20);
    EXPECT_TRUE(waitUntil([&] { return mapSteps() == std::vector<Step>{1, 1}; })) << "step 10 of A and 20 of B are no pair";
    EXPECT_TRUE(waitUntil([&] { return pair().gates(1).held() == 2; }));
}

TEST_F(PairTest, StopsPlayingWhereAnotherViewIsShown) {
    show();
    ASSERT_TRUE(waitUntil([&] { return pair().scrub().step() == 30; }));
    pair().scrub().togglePlay();  // from the first of three
    named<Segments>(page_, "views").button(0).click();
    const int step = pair().scrub().step();
    QTest::qWait(700);
    EXPECT_EQ(pair().scrub().step(), step) << "nobody sees it";
    EXPECT_LT(step, 30);
}

TEST_F(PairTest, HasTheKeysOfWatch) {
    EXPECT_TRUE(page_.viewActions().contains(&named<QAction>(page_, "pairLater")));
    named<QAction>(page_, "pairLater").trigger();  // the view was never shown
    show();
    ASSERT_TRUE(waitUntil([&] { return mapSteps() == std::vector<Step>{30, 30}; }));
    MapView& map = pair().attention(0).map();
    map.setFocus();
    QTest::keyClick(&map, Qt::Key_BracketRight);
    EXPECT_EQ(pair().attention(0).head(), 1);
    EXPECT_EQ(pair().attention(1).head(), 1);
    QTest::keyClick(&map, Qt::Key_Home);
    EXPECT_EQ(pair().scrub().step(), 1);
    RidgePlot& ridges = pair().gates(1).ridges();
    ridges.setFocus();
    QTest::keyClick(&ridges, Qt::Key_Right);
    EXPECT_EQ(pair().scrub().step(), 20);
    EXPECT_NE(pair().attention(0).accessibleName(), pair().attention(1).accessibleName());
}

TEST_F(PairTest, WhatIsChosenAtOneSideIsShownAtTheOther) {
    show();
    ASSERT_TRUE(waitUntil([&] { return mapSteps() == std::vector<Step>{30, 30}; }));
    ASSERT_EQ(pair().attention(0).path(), text("decoder.layers.0.cross"));
    pair().attention(0).nextHead(1);
    EXPECT_EQ(pair().attention(1).head(), 1);
    auto* sites = pair().attention(1).findChild<QComboBox*>();
    ASSERT_EQ(sites->count(), 2);
    const int other = 1 - sites->currentIndex();
    sites->setCurrentIndex(other);
    Q_EMIT sites->activated(other);
    EXPECT_EQ(pair().attention(0).path(), text("encoder.layers.0.self"));
    EXPECT_TRUE(waitUntil([&] {
        const auto* map = pair().attention(0).shown();
        return map && map->path == "encoder.layers.0.self";
    }));
}

TEST_F(PairTest, OtherGroupsCanBeChosen) {
    show();
    auto& a = named<QComboBox>(page_, "sideA");
    auto& b = named<QComboBox>(page_, "sideB");
    EXPECT_EQ(a.currentText(), text("A: base"));
    EXPECT_EQ(b.currentText(), text("B: wide"));
    a.setCurrentIndex(a.findText(text("A: wide")));
    Q_EMIT a.activated(a.currentIndex());
    EXPECT_EQ(pair().run(0).id, "b20000000000");
    EXPECT_EQ(pair().run(1).id, "a20000000000") << "a group is not put beside itself unless the user asks for it";
}

TEST(CommonSteps, AreThoseThatBothRunsRecorded) {
    RunDetail a, b;
    a.maps[{"weight", "one"}][0] = {1, 2, 4};
    a.maps[{"weight", "two"}][1] = {8};
    b.maps[{"weight", "one"}][0] = {2, 8, 16};
    a.histograms[{"gate", "one"}] = {10, 20};
    b.histograms[{"gate", "one"}] = {20, 30};
    const CommonSteps common = commonSteps(a, b);
    EXPECT_THAT(common.maps, ElementsAre(2)) << "8 is of different sites";
    EXPECT_THAT(common.gates, ElementsAre(20));
    b.maps[{"weight", "one"}][1] = {1, 4};
    b.histograms[{"gate", "two"}] = {10};
    EXPECT_THAT(commonSteps(a, b).maps, ElementsAre(2)) << "1 and 4 are of different sentences";
    EXPECT_THAT(commonSteps(a, b).gates, ElementsAre(20));
}

TEST(CommonSteps, EndEachSiteThatIsDrawn) {
    RunDetail a, b;
    a.maps[{"weight", "one"}][0] = {1, 2, 4};
    b.maps[{"weight", "one"}][0] = {2, 3, 16};
    a.maps[{"weight", "two"}][0] = b.maps[{"weight", "two"}][0] = {4};
    a.histograms[{"gate", "one"}] = {10, 20, 25};
    b.histograms[{"gate", "one"}] = {20, 22, 30};
    const auto mapsOf = [](const RunDetail& detail, const char* site) { return detail.maps.at({"weight", site}).at(0); };
    EXPECT_THAT(mapsOf(*pairedDetail(a, b, 30), "one"), ElementsAre(1, 2)) << "not 4, which B lacks";
    EXPECT_THAT(mapsOf(*pairedDetail(b, a, 30), "one"), ElementsAre(2));
    EXPECT_THAT(mapsOf(*pairedDetail(a, b, 30), "two"), ElementsAre(4)) << "though 2 is the last of the other site";
    EXPECT_THAT(pairedDetail(a, b, 30)->histograms.at({"gate", "one"}), ElementsAre(10, 20));
    EXPECT_THAT(pairedDetail(b, a, 30)->histograms.at({"gate", "one"}), ElementsAre(20));
    EXPECT_TRUE(pairedDetail(a, b, 19)->histograms.empty()) << "no step in common up to here";
    EXPECT_EQ(pairedDetail(a, b, 3)->maps.size(), 1U);
}

class PairStateTest : public PairTest {
protected:
    void SetUp() override {}
    void add(const char* id, const char* group) { database_.add({id, group, group, "completed", 1, 2.0, 64}); }
    /// The words of what stands in the place of the panels; empty: they are shown.
    QStringList reason(const char* name) {
        auto& reason = named<EmptyState>(page_, name);
        QStringList words;
        if (reason.isVisible())
            for (const auto* label : reason.findChildren<QLabel*>()) words << label->text();
        return words;
    }
    QStringList pairWords() {
        QStringList words;
        for (const auto* label : pair().findChildren<QLabel*>())
            if (label->isVisible()) words << label->text();
        return words;
    }
};

TEST_F(PairStateTest, GatesWithoutACommonStepAreNotDrawn) {
    add("a10000000000", "base");
    add("b10000000000", "wide");
    record("a10000000000", {1, 30}, {10});
    record("b10000000000", {1, 30}, {20});
    open(2);
    show();
    ASSERT_TRUE(waitUntil([&] { return mapSteps() == std::vector<Step>{30, 30}; }));
    EXPECT_THAT(reason("gatesReason"), Contains(text("No gates side by side")));
    EXPECT_THAT(reason("gatesReason"),
                Contains(text("No step in common: the runs recorded them at other steps, or of other sites.")));
    EXPECT_TRUE(reason("mapsReason").isEmpty());
    EXPECT_FALSE(pair().gates(0).isVisible());
    EXPECT_THAT(pair().scrub().scrubber().snapshots(), ElementsAre(1, 30));
}

TEST_F(PairStateTest, SaysWhichSideHasRecordedNothing) {
    add("a10000000000", "base");
    add("b10000000000", "wide");
    record("a10000000000", {1}, {});
    open(2);
    show();
    ASSERT_TRUE(waitUntil([&] { return !reason("mapsReason").isEmpty(); }));
    EXPECT_THAT(reason("mapsReason"), Contains(text("B has recorded none.")));
    EXPECT_THAT(reason("gatesReason"), Contains(text("Neither run has recorded any.")));
    EXPECT_FALSE(pair().scrub().isVisible());
}

TEST_F(PairStateTest, OneGroupIsNotPutBesideItself) {
    add("a10000000000", "base");
    record("a10000000000", {1}, {1});
    open(1);
    show();
    EXPECT_TRUE(pair().run(0).empty() && pair().run(1).empty());
    EXPECT_THAT(pairWords(), Contains(text("Nothing to put side by side")));
}

TEST_F(PairStateTest, SaysWhyARunCannotBeRead) {
    add("a10000000000", "base");
    add("b10000000000", "wide");
    record("a10000000000", {1}, {1});
    record("b10000000000", {1}, {1});
    open(2);
    {
        const auto store = storage::RunStore::open(database_.file(), {"ui test", 0});
        const std::string tooLong(std::size_t{17} << 20, 'x');
        store->add(storage::EvaluationRecord{"b10000000000", 1, 400, 4, tooLong, "loss", "ce:nats", 1, 2604, 0.5});
    }
    QSignalSpy said(&bare_.studio, &Studio::messageRequested);
    show();
    ASSERT_TRUE(waitUntil([&] { return !said.isEmpty() && page_.isSettled(); }));
    EXPECT_FALSE(pairWords().contains(text("The runs are being read…")));
    EXPECT_THAT(pairWords(), Contains(said[0][0].value<MessageStrip::Message>().title));
}

TEST_F(PairTest, DoesNotStoreChoicesOfWatch) {
    show();
    ASSERT_TRUE(waitUntil([&] { return mapSteps() == std::vector<Step>{30, 30}; }));
    pair().attention(0).nextHead(1);
    QSettings& settings = bare_.settings;
    settings.setValue(text("watch/attention_path"), text("encoder.layers.3.self\nweight"));
    settings.setValue(text("watch/attention_head"), 3);
    settings.setValue(text("watch/gate_kind"), text("gate/residual"));
    settings.setValue(text("watch/gate_path"), text("encoder.layers.2"));
    page_.saveSession(settings);
    EXPECT_EQ(settings.value(text("watch/attention_path")).toString(), text("encoder.layers.3.self\nweight"));
    EXPECT_EQ(settings.value(text("watch/attention_head")).toInt(), 3);
    EXPECT_EQ(settings.value(text("watch/gate_kind")).toString(), text("gate/residual"));
    EXPECT_EQ(settings.value(text("watch/gate_path")).toString(), text("encoder.layers.2"));
    page_.restoreSession(settings);
    EXPECT_EQ(pair().attention(0).head(), 1) << "nor takes them";
}

/// A picture to look at: HEDDLE_SHOTS=DIR … --gtest_also_run_disabled_tests --gtest_filter=*Shots
TEST_F(PairTest, DISABLED_Shots) {
    show();
    QTest::qWait(500);
    page_.grab().save(qEnvironmentVariable("HEDDLE_SHOTS", text(".")) + text("/pair.png"));
}

}  // namespace
}  // namespace heddle::ui::test
