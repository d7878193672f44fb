// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of the curves: it always says what the dashes mean, and colours tell groups of settings apart.
#include "tests/ui/watch/watch_fixture.h"
#include "ui/panels/curve_legend.h"
#include "ui/plot/marker.h"

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using namespace heddle::ui::watch;

namespace {

/// Whether anything but the ground is painted in a part of the legend.
bool isPainted(CurveLegend& legend, const QRect& part) {
    const QImage image = legend.grab(part.adjusted(0, 2, 0, -2)).toImage();
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y) != Theme::color(Token::Panel)) return true;
    return false;
}

TEST_F(WatchTest, TheLegendSaysWhatTheDashesMeanHoweverManyRunsAreDrawn) {
    add({});
    std::vector<std::string> others;
    for (int i = 0; i < 12; ++i) {
        others.push_back((i < 10 ? "b0000000000" : "b000000000") + std::to_string(i));
        add({.id = others.back(),
             .name = "a long name of a run, number " + std::to_string(i),
             .state = "completed",
             .hash = "h" + std::to_string(10 + i),
             .created = 500.0 + i,
             .snapshots = false});
    }
    WatchPage& page = open();
    auto& legend = the<CurveLegend>(page);
    const auto says = [&] {
        const QRect rule = legend.ruleRect();
        return !rule.isEmpty() && legend.rect().contains(rule) && isPainted(legend, rule);
    };
    EXPECT_TRUE(says());
    studio_->setComparedRuns(refsOf(others));
    ASSERT_TRUE(settle());
    EXPECT_TRUE(says());
    page.resize(960, 600);
    QCoreApplication::processEvents();
    EXPECT_TRUE(says()) << "in a small window too";
    EXPECT_TRUE(legend.accessibleText().contains(text("dashed lines valid")));
}

TEST_F(WatchTest, RunsOfOneVariantWithOtherSettingsHaveColoursOfTheirOwn) {
    add({});
    add({.id = kOther, .state = "completed", .created = 500});
    auto record = *query()->run(kOther);
    record.runHash = "another learning rate";
    store_->updateRun(record);
    WatchPage& page = open();
    studio_->setComparedRuns(refsOf({kOther}));
    ASSERT_TRUE(settle());
    const auto colour = [&](const std::string& run) {
        return Theme::runAt(studio_->colours().orderOf(*studio_->databases().run(refOf(run)))).color;
    };
    EXPECT_NE(colour(kRun), colour(kOther));
    EXPECT_EQ(page.findChildren<CurveLegend*>().size(), 1);
}

}  // namespace
