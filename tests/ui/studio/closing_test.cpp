// SPDX-License-Identifier: GPL-3.0-or-later
// The window is closed while a run trains, and its last records cannot be written.
#include "app/session/process/process_signals.h"
#include "tests/ui/studio/studio_fixture.h"

#include <QScopeGuard>
#include <QSignalSpy>

#include <sys/resource.h>

#include <filesystem>

using namespace heddle;
using namespace heddle::studio;
using namespace heddle::studio::test;

TEST_F(StudioFixture, OnAFullDiskTheWindowStaysUntilTheUserClosesItAnyway) {
    app::ignoreFileSizeSignal();
    startOn(file_);
    const std::string run = composeAndStart("1");
    ASSERT_TRUE(reaches(run, "running"));
    ASSERT_TRUE(waitUntil([&] { return record(run)->step > 5; }));
    QSignalSpy closed(program_.get(), &StudioProgram::closed);
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    {
        const auto space = qScopeGuard([&] { setrlimit(RLIMIT_FSIZE, &before); });
        rlimit full = before;
        full.rlim_cur = std::filesystem::file_size(file_ + "-wal");
        setrlimit(RLIMIT_FSIZE, &full);
        window().close();
        answer("stopAndClose");
        ASSERT_TRUE(waitUntil([&] { return button(window().messages(), "closeAnyway") != nullptr; }, std::chrono::seconds(30)))
            << shownMessages();
    }
    EXPECT_EQ(closed.size(), 0);
    EXPECT_TRUE(window().isVisible());
    pressInStrip("closeAnyway");
    ASSERT_TRUE(waitUntil([&] { return closed.size() == 1; }));
    EXPECT_FALSE(window().isVisible());
}
