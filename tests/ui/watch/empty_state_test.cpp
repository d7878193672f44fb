// SPDX-License-Identifier: GPL-3.0-or-later
// What a page says when there is no run.
#include "ui/widgets/empty_state.h"
#include "tests/ui/watch/watch_fixture.h"
#include "ui/pages/first_run.h"

#include <QLabel>
#include <QPushButton>

namespace heddle::ui::test {

using EmptyStateWords = WatchTest;

TEST_F(EmptyStateWords, ThreeSentencesSayWhatTheSampleIsHowLongItTakesAndWhatIsSeen) {
    const auto* card = open().findChild<EmptyState*>(text("firstRun"));
    ASSERT_TRUE(card && card->isVisible());
    const QLabel& label = *card->findChildren<QLabel*>().last();
    EXPECT_EQ(label.text().count(QLatin1Char('.')), 3) << label.text().toStdString();
    EXPECT_TRUE(label.text().startsWith(sampleWords()));
    EXPECT_TRUE(label.text().contains(text("about a minute")));
    EXPECT_TRUE(label.text().contains(text("Curves, attention and gates appear here")));
    studio_->databases().close(studio_->databases().currentNumber());
    ASSERT_TRUE(waitUntil([&] { return !studio_->databases().current(); }));
    EXPECT_FALSE(label.text().contains(sampleWords())) << "there is nothing to train it into";
}

TEST(EmptyState, ShowsOnlyWhatItIsGiven) {
    EmptyState state(nullptr);
    state.setWords({}, text("Tick runs."));
    state.resize(300, 200);
    state.show();
    const auto labels = state.findChildren<QLabel*>();
    EXPECT_FALSE(labels[0]->isVisible());
    const int alone = labels[1]->y();
    state.setWords(text("No curves"), text("Tick runs."));
    EXPECT_TRUE(waitUntil([&] { return labels[0]->isVisible() && labels[1]->y() > alone; }));
    const QPushButton* compose = state.addButton("compose", text("Compose a run"));
    EXPECT_TRUE(waitUntil([&] { return compose->y() > labels[1]->y(); }));
    const QPushButton* train = state.addButton("train", text("Train"));
    EXPECT_TRUE(waitUntil([&] { return train->x() > compose->x(); }));
}

}  // namespace heddle::ui::test
