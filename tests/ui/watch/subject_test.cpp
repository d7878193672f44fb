// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing of one run stands under the name of another while that one is being read.
#include "tests/ui/watch/watch_fixture.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/gates_panel.h"
#include "ui/panels/log_view.h"
#include "ui/panels/sample_view.h"
#include "ui/panels/scrub_bar.h"
#include "ui/panels/sparsity_panel.h"
#include "ui/plot/scrubber.h"

#include <QLabel>
#include <QPushButton>

#include <algorithm>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

/// What the page shows of the snapshots of its run.
struct Shown {
    explicit Shown(WatchPage& page)
        : map(the<AttentionPanel>(page).map().isVisible()),
          gates(the<GatesPanel>(page).ridges().isVisible()),
          sparsity(the<SparsityPanel>(page).bars().isVisible()),
          samples(!the<SampleView>(page).toPlainText().isEmpty()),
          snapshots(!the<ScrubBar>(page).scrubber().snapshots().empty()),
          log(the<LogView>(page).model()->rowCount() > 0) {}
    bool map, gates, sparsity, samples, snapshots, log;
    bool all() const { return map && gates && sparsity && samples && snapshots && log; }
    bool any() const { return map || gates || sparsity || samples || snapshots || log; }
};

TEST_F(WatchTest, NothingOfTheFormerRunStaysUnderTheNewName) {
    add({.id = kOther, .name = "eau-base", .state = "completed", .hash = "h2", .created = 500});
    add({});
    WatchPage& page = open();
    ASSERT_TRUE(waitUntil([&] { return Shown(page).all(); }));
    studio_->setCurrentRun(refOf(kOther));
    EXPECT_FALSE(Shown(page).any()) << "until the other run is read";
    EXPECT_TRUE(waitUntil([&] { return Shown(page).all(); }));
}

TEST_F(WatchTest, APanelWhoseRunGoesWhileItIsReadShowsNothingOfIt) {
    add({.snapshots = false});
    add({.id = kOther, .name = "eau-base", .state = "completed", .hash = "h2", .created = 500});
    WatchPage& page = open();
    SparsityPanel panel(studio_->databases(), &page);
    GatesPanel gates(studio_->databases(), {}, &page);
    AttentionPanel attention(studio_->databases(), {}, &page);
    const auto read = query();
    for (const std::string& run : {kRun, kOther}) {
        Subject subject;
        subject.run = refOf(run);
        subject.detail = readDetail(*read, subject.run);
        subject.step = 400;
        for (Panel* each : std::initializer_list<Panel*>{&panel, &gates, &attention}) {
            each->setSubject(subject);
            each->setSubject({});
        }
        EXPECT_TRUE(settle());
        EXPECT_FALSE(panel.bars().isVisibleTo(&panel)) << run;
        EXPECT_FALSE(gates.ridges().isVisibleTo(&gates)) << run;
        EXPECT_FALSE(attention.map().isVisibleTo(&attention)) << run;
    }
}

TEST_F(WatchTest, SharesOfOneThresholdAreNotShownUnderAnother) {
    add({});  // with shares near 1e-3 alone
    WatchPage& page = open();
    SparsityPanel panel(studio_->databases(), &page);
    Subject subject;
    subject.run = refOf(kRun);
    subject.detail = readDetail(*query(), subject.run);
    subject.step = 400;
    panel.setSubject(subject);  // they are being read
    named<QPushButton>(panel, "threshold3").click();
    const auto labels = panel.findChildren<QLabel*>();
    ASSERT_TRUE(waitUntil([&] {
        return std::any_of(labels.begin(), labels.end(),
                           [](const QLabel* label) { return label->text() == text("No weight statistics up to this step"); });
    }));
    EXPECT_EQ(panel.bars().data().title, QString()) << "no bars were shown in between";
}

}  // namespace
