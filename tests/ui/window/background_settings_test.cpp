// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/background_settings.h"

#include "tests/ui/support/offscreen.h"
#include "ui/threads/ask.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QFile>
#include <QTemporaryDir>

namespace heddle::ui::test {
namespace {

class BackgroundSettingsTest : public testing::Test {
protected:
    bool isInFile(const char* line) const {
        QFile file(file_);
        return file.open(QIODevice::ReadOnly) && file.readAll().contains(line);
    }
    const QTemporaryDir folder_;
    const QString file_ = folder_.filePath(text("studio.ini"));
};

}  // namespace

TEST_F(BackgroundSettingsTest, NoChangeIsWrittenByTheEventLoop) {
    BackgroundSettings settings(file_);
    for (const char* value : {"one", "two", "three"}) {
        settings.setValue(text("word"), text(value));
        QCoreApplication::sendPostedEvents();
        EXPECT_FALSE(isInFile(value));
        EXPECT_EQ(settings.value(text("word")), text(value));
        EXPECT_TRUE(waitUntil([&] { return isInFile(value); })) << value;
    }
}

TEST_F(BackgroundSettingsTest, TheLastChangesAreWrittenAtTheEnd) {
    {
        BackgroundSettings settings(file_);
        settings.setValue(text("word"), text("one"));
        settings.sync();
        EXPECT_TRUE(isInFile("one"));
        settings.setValue(text("word"), text("two"));
    }
    EXPECT_TRUE(isInFile("two"));
}

TEST(SessionFilesTest, AreWrittenInTheOrderOfTheCalls) {
    QObject owner;
    std::string written;
    for (int i = 0; i < 20; ++i)
        ask(
            &owner, SessionFiles(), [&written, i] { written += char('a' + i); }, [](const Result<Done>&) {});
    SessionFiles::finish();
    EXPECT_EQ(written, "abcdefghijklmnopqrst");
}

}  // namespace heddle::ui::test
