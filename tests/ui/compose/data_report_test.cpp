// SPDX-License-Identifier: GPL-3.0-or-later
// The data tab reads the draft's files while it is visible, again when they change, and stops when it is closed.
#include "ui/pages/compose/panels/data_report.h"
#include "engine/base/error.h"
#include "tests/ui/compose/compose_fixture.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>

#include <condition_variable>
#include <mutex>

namespace heddle::ui::test {
namespace {

Json reading(const std::string& train) { return {{"preset", "eau-base"}, {"data", {{"train", {{"source", train}}}}}}; }

}  // namespace

class DataReportTest : public ComposeTest {
protected:
    void open() {
        draft().replace(reading("reviews.tsv"), {});
        report_ = std::make_unique<DataReport>(draft(), studio_, nullptr);
        report_->show();
    }
    QString report() const { return report_->findChild<QPlainTextEdit*>()->toPlainText(); }
    QString words() const { return report_->findChild<QLabel*>()->text(); }

    std::unique_ptr<DataReport> report_;
};

TEST_F(DataReportTest, DescribesTheFilesOfTheDraft) {
    studio_.services().dataInspector = [](const std::vector<std::string>& files, const auto&) {
        if (files.front() == "absent") throw Error(ErrorCode::InvalidInput, "there is no such file", "absent", "name another");
        return "2 lines in " + files.front();
    };
    open();
    EXPECT_TRUE(waitUntil([&] { return report() == QLatin1String("2 lines in reviews.tsv"); }));
    EXPECT_FALSE(report_->findChild<QLabel*>()->isVisible());

    draft().replace(reading("absent"), {});
    EXPECT_TRUE(waitUntil([&] { return words().contains(QLatin1String("there is no such file")); }));
    EXPECT_TRUE(words().contains(QLatin1String("name another")));
    EXPECT_TRUE(report().isEmpty());

    draft().replace(Json{{"preset", "eau-base"}}, {});
    EXPECT_FALSE(words().isEmpty()) << "what to do";
    EXPECT_TRUE(report().isEmpty());
}

TEST_F(DataReportTest, StopsReadingWhenItIsDeleted) {
    std::mutex mutex;
    std::condition_variable changed;
    bool began = false, stopped = false;
    studio_.services().dataInspector = [&](const auto&, const std::function<bool()>& stop) -> std::string {
        std::unique_lock lock(mutex);
        began = true;
        changed.notify_all();
        while (!stop()) changed.wait_for(lock, std::chrono::milliseconds(1));
        stopped = true;
        changed.notify_all();
        return "";
    };
    open();
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(30), [&] { return began; }));
    report_.reset();
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(30), [&] { return stopped; }));
}

TEST_F(ComposeTest, OwnFilesCanBeChosenAfterTheSample) {
    show();
    ASSERT_TRUE(settle());
    auto* choice = page().findChild<QComboBox*>(text("dataChoice"));
    ASSERT_NE(choice, nullptr);
    const auto choose = [&](int index) {
        choice->setCurrentIndex(index);
        Q_EMIT choice->activated(index);
    };
    choose(0);
    ASSERT_TRUE(draft().document().contains(Json::json_pointer("/data/train/source")));
    const Json sample = draft().document();
    choose(1);
    EXPECT_EQ(choice->currentIndex(), 1);
    EXPECT_FALSE(draft().document().contains(Json::json_pointer("/data/train/source")));
    auto* source = page().findChild<QLineEdit*>(text("data.train.source"));
    ASSERT_NE(source, nullptr);
    EXPECT_FALSE(source->parentWidget()->isHidden()) << "the fields of the files";
    draft().history().undo();
    EXPECT_EQ(draft().document(), sample);
    EXPECT_EQ(choice->currentIndex(), 0);
}

}  // namespace heddle::ui::test
