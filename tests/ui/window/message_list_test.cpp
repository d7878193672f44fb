// SPDX-License-Identifier: GPL-3.0-or-later
// The messages of the window: which stand, in what order, and when they go.
#include "ui/widgets/message_list.h"
#include "tests/ui/support/offscreen.h"
#include "ui/widgets/small_parts.h"

#include <QtTest/qtestmouse.h>
#include <QAction>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

#include <gtest/gtest.h>

namespace heddle::ui::test {
namespace {

class Messages : public testing::Test {
protected:
    Messages() { list_.resize(800, 400); }

    void show(StripKind kind, const char* title, const char* key = "", const QList<QAction*>& actions = {}) {
        list_.showMessage({kind, text(title), {}, actions, text(key)});
    }
    /// The titles of the visible strips, from top to bottom.
    QStringList visible() {
        QCoreApplication::sendPostedEvents();  // they are laid out
        QList<MessageStrip*> strips;
        for (auto* strip : list_.findChildren<MessageStrip*>())
            if (strip->isVisible()) strips << strip;
        std::sort(strips.begin(), strips.end(), [](const auto* a, const auto* b) { return a->y() < b->y(); });
        QStringList titles;
        for (const auto* strip : strips) titles << strip->title();
        return titles;
    }
    void close(const char* title) {
        for (auto* strip : list_.findChildren<MessageStrip*>())
            if (strip->isVisible() && strip->title() == text(title))
                return QTest::mouseClick(strip->findChild<QToolButton*>(text("closeMessage")), Qt::LeftButton);
        FAIL() << title;
    }
    static QStringList words(std::initializer_list<const char*> all) {
        QStringList list;
        for (const char* one : all) list << text(one);
        return list;
    }

    MessageList list_;
};

TEST_F(Messages, StandBelowEachOtherAndHideNoError) {
    EXPECT_FALSE(list_.isVisible());
    show(StripKind::Bad, "The disk is full");
    show(StripKind::Info, "Exported");
    EXPECT_TRUE(list_.isVisible());
    EXPECT_EQ(visible(), words({"Exported", "The disk is full"}));
    close("Exported");
    EXPECT_EQ(visible(), words({"The disk is full"}));
    close("The disk is full");
    EXPECT_FALSE(list_.isVisible());
}

TEST_F(Messages, EqualOnesAreCounted) {
    show(StripKind::Bad, "Not read");
    show(StripKind::Warn, "Another");
    show(StripKind::Bad, "Not read");
    show(StripKind::Bad, "Not read");
    EXPECT_EQ(visible(), words({"Not read (3 times)", "Another"}));
    list_.showMessage({StripKind::Bad, text("Not read"), text("elsewhere")});
    EXPECT_EQ(list_.titles(), words({"Not read", "Not read (3 times)", "Another"}));
}

TEST_F(Messages, ThreeAreVisibleAndALineShowsTheOthers) {
    auto& more = *list_.findChild<QPushButton*>(text("moreMessages"));
    show(StripKind::Bad, "1");
    show(StripKind::Info, "2");
    show(StripKind::Warn, "3");
    EXPECT_FALSE(more.isVisible());
    show(StripKind::Info, "4");
    show(StripKind::Info, "5");
    EXPECT_EQ(visible(), words({"5", "3", "1"})) << "news is hidden before what must be answered";
    EXPECT_TRUE(more.isVisible());
    const QString counted = more.text();
    QTest::mouseClick(&more, Qt::LeftButton);
    EXPECT_EQ(visible(), words({"5", "4", "3", "2", "1"}));
    QTest::mouseClick(&more, Qt::LeftButton);
    EXPECT_EQ(more.text(), counted);
    close("5");
    close("4");
    EXPECT_EQ(visible(), words({"3", "2", "1"}));
    EXPECT_FALSE(more.isVisible());
}

TEST_F(Messages, AKeyReplacesAndWithdraws) {
    show(StripKind::Warn, "2 runs wait", "queue");
    show(StripKind::Warn, "Another");
    show(StripKind::Warn, "1 run waits", "queue");
    EXPECT_EQ(visible(), words({"1 run waits", "Another"}));
    QSignalSpy answered(&list_, &MessageList::answered);
    list_.withdraw(text("queue"));
    EXPECT_EQ(visible(), words({"Another"}));
    EXPECT_TRUE(answered.isEmpty()) << "its owner knows";
}

TEST_F(Messages, NewsGoesWhenItIsReadAndOthersStay) {
    QAction undo(text("Undo"));
    show(StripKind::Info, "Deleted", "", {&undo});
    show(StripKind::Ok, "Exported");
    show(StripKind::Bad, "Not read");
    list_.removeTransient();
    EXPECT_EQ(list_.titles().size(), 3) << "nobody has read them yet";
    list_.setReadingTime(std::chrono::milliseconds(-1));
    list_.removeTransient();
    EXPECT_EQ(list_.titles(), words({"Not read", "Deleted"}));
    show(StripKind::Ok, "Restored");
    show(StripKind::Ok, "Exported");
    EXPECT_EQ(list_.titles(), words({"Exported", "Not read", "Deleted"})) << "also when the next one comes";
}

TEST_F(Messages, AnActionAnswersAndGoesWithItsMessage) {
    QSignalSpy answered(&list_, &MessageList::answered);
    QAction undo(text("Undo"), &list_);
    QPointer<QAction> resume = makeAction(nullptr, {"resume", text("Resume")});
    QSignalSpy resumed(resume, &QAction::triggered);
    show(StripKind::Warn, "Interrupted", "offer", {resume});
    show(StripKind::Info, "Deleted", "deleted", {&undo});
    undo.trigger();  // by its key
    EXPECT_EQ(visible(), words({"Interrupted"}));
    QTest::mouseClick(&named<QPushButton>(list_, "resume"), Qt::LeftButton);
    EXPECT_EQ(resumed.size(), 1);
    EXPECT_TRUE(visible().isEmpty());
    ASSERT_EQ(answered.size(), 2);
    EXPECT_EQ(answered[1][0].toString(), text("offer"));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_FALSE(resume);
}

TEST_F(Messages, AnAsideLeavesTheMessage) {
    QSignalSpy answered(&list_, &MessageList::answered);
    QPointer<QAction> watch = makeAction(nullptr, {"watch", text("Watch")});
    list_.showMessage({StripKind::Info, text("Interrupted"), {}, {new QAction(text("Resume"))}, text("offer"), {watch}});
    QSignalSpy watched(watch, &QAction::triggered);
    QTest::mouseClick(&named<QPushButton>(list_, "watch"), Qt::LeftButton);
    EXPECT_EQ(watched.size(), 1);
    EXPECT_EQ(visible(), words({"Interrupted"}));
    EXPECT_TRUE(answered.isEmpty());
    list_.withdraw(text("offer"));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_FALSE(watch) << "the list owned it";
}

}  // namespace
}  // namespace heddle::ui::test
