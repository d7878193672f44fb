// SPDX-License-Identifier: GPL-3.0-or-later
// What the desktop is told. Through a fake: no test speaks to a desktop.
#include "ui/window/notifier.h"
#include "storage/run_store.h"
#include "tests/ui/support/offscreen.h"
#include "ui/widgets/settings_dialog.h"

#include <QComboBox>
#include <QSettings>
#include <QTemporaryDir>
#include <QWidget>

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

constexpr const char *kOld = "000000000001", *kDone = "000000000002", *kLost = "000000000003", *kStopped = "000000000004";

class NotifierTest : public testing::Test {
protected:
    NotifierTest()
        : settings_(folder_.filePath(text("settings.ini")), QSettings::IniFormat),
          store_(storage::RunStore::open(file(), {"test", 0})),
          studio_(nullptr, settings_),
          notifier_(
              studio_,
              [this](const QString& title, const QString& where) {
                  titles_ << title;
                  EXPECT_EQ(where, text("runs.heddle"));
              },
              [this] { return seen_; }) {
        const std::pair<const char*, const char*> runs[] = {
            {kOld, "old"}, {kDone, "done"}, {kLost, "lost"}, {kStopped, "stopped"}};
        for (const auto& [id, name] : runs) {
            storage::RunRecord run;
            run.id = id;
            run.name = name;
            run.state = run.id == kOld ? "completed" : "running";
            run.step = 1200;
            run.seed = 3;
            store_->addRun(run);
        }
        studio_.open(QString::fromStdString(file()));
    }
    std::string file() const { return folder_.filePath(text("runs.heddle")).toStdString(); }
    bool shows(const std::string& run, const std::string& state) {
        return waitUntil(
            [&] { return studio_.databases().runWithId(run) && studio_.databases().runWithId(run)->state == state; });
    }
    void end() {
        ASSERT_TRUE(shows(kDone, "running"));
        store_->setState(kDone, "completed", "");
        store_->setState(kLost, "interrupted", "");
        store_->setState(kStopped, "stopped", "user");
        ASSERT_TRUE(shows(kStopped, "stopped") && shows(kLost, "interrupted") && shows(kDone, "completed"));
    }

    QTemporaryDir folder_;
    QSettings settings_;
    std::unique_ptr<storage::RunStore> store_;
    Studio studio_;
    QStringList titles_;
    bool seen_ = false;
    Notifier notifier_;
};

}  // namespace

TEST_F(NotifierTest, ARunThatEndsIsToldOnceWhileNobodyLooks) {
    end();
    EXPECT_THAT(titles_, testing::UnorderedElementsAre(text("done s3 completed at step 1,200"),
                                                       text("lost s3 was interrupted at step 1,200")));
    store_->setState(kDone, "queued", "resume");
    ASSERT_TRUE(shows(kDone, "queued"));
    store_->setState(kDone, "failed", "");
    ASSERT_TRUE(shows(kDone, "failed"));
    EXPECT_EQ(titles_.value(2), text("done s3 failed at step 1,200")) << "another attempt is news again";
    EXPECT_EQ(titles_.size(), 3);
}

TEST_F(NotifierTest, WhoLooksIsNotTold) {
    seen_ = true;
    end();
    EXPECT_THAT(titles_, IsEmpty());
}

TEST(Notifier, AWindowWithTheKeyboardIsLookedAt) {
    QWidget window;
    window.show();
    window.activateWindow();
    EXPECT_TRUE(waitUntil([] { return isApplicationActive(); }));
}

TEST_F(NotifierTest, TheSettingSwitchesItOff) {
    SettingsDialog dialog(settings_, nullptr);
    auto& box = named<QComboBox>(dialog, "notifications");
    EXPECT_EQ(box.currentIndex(), 0) << "on by default";
    box.setCurrentIndex(1);
    EXPECT_FALSE(storedNotifications(settings_));
    end();
    EXPECT_THAT(titles_, IsEmpty());
}

TEST_F(NotifierTest, AnotherDatabaseIsNoNews) {
    ASSERT_TRUE(shows(kDone, "running"));
    const std::string other = folder_.filePath(text("other.heddle")).toStdString();
    storage::RunRecord run;
    run.id = kDone;
    run.name = "done";
    run.state = "completed";
    storage::RunStore::open(other, {"test", 0})->addRun(run);
    studio_.open(QString::fromStdString(other));
    ASSERT_TRUE(shows(kDone, "completed"));
    EXPECT_THAT(titles_, IsEmpty());
}
