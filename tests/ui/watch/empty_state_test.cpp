// SPDX-License-Identifier: GPL-3.0-or-later
// What a page says when there is no run.
#include "ui/widgets/empty_state.h"
#include "tests/ui/watch/watch_fixture.h"

#include <QLabel>

namespace heddle::ui::test {

TEST(EmptyStateWords, ThreeSentencesSayWhatTheSampleIsHowLongItTakesAndWhatIsSeen) {
    EmptyState state(nullptr);
    state.setReason(EmptyState::Reason::NoRuns);
    const QString words = state.findChildren<QLabel*>().last()->text();
    EXPECT_EQ(words.count(QLatin1Char('.')), 3) << words.toStdString();
    EXPECT_TRUE(words.startsWith(EmptyState::sampleWords()));
    EXPECT_TRUE(words.contains(text("about a minute")));
    EXPECT_TRUE(words.contains(text("Curves, attention and gates appear here")));
    state.setReason(EmptyState::Reason::NoDatabase);
    EXPECT_FALSE(state.findChildren<QLabel*>().last()->text().contains(EmptyState::sampleWords()))
        << "there is nothing to train it into";
}

}  // namespace heddle::ui::test
