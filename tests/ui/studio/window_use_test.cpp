// SPDX-License-Identifier: GPL-3.0-or-later
// How the window is used: where the focus goes, what the palette finds, where docks and menu entries are.
#include "tests/ui/studio/window_fixture.h"
#include "ui/widgets/message_list.h"

#include <QtTest/qtestmouse.h>
#include <QDropEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

#include <algorithm>

using namespace heddle;
using namespace heddle::ui;
using namespace heddle::ui::test;

TEST_F(Window, TheFocusReturnsToThePageAfterMessagesAndDialogs) {
    auto* field = qobject_cast<QLineEdit*>(pages_[0]->centralWidget());
    QAction resume(text("Resume"), window_.get());
    resume.setObjectName(text("resume"));
    const auto tell = [&] {
        studio_->report(MessageStrip::Message{StripKind::Warn, text("Interrupted"), {}, {&resume}});
        for (auto* button : window_->messages().findChildren<QPushButton*>(resume.objectName()))
            if (button->isVisible()) return button->setFocus(Qt::TabFocusReason);
        FAIL();
    };
    field->setFocus();
    named<QToolButton>(*window_, "library").setFocus();  // the message comes while the focus is elsewhere
    tell();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    ASSERT_TRUE(window_->messages().titles().isEmpty());
    EXPECT_TRUE(field->hasFocus());
    tell();
    window_->showPage(PageId::Watch);  // where the focus came from is hidden now
    resume.trigger();
    ASSERT_TRUE(window_->messages().titles().isEmpty());
    EXPECT_TRUE(pages_[1]->isAncestorOf(QApplication::focusWidget()));
    window_->showPage(PageId::Compose);
    field->setFocus();
    keys(Qt::Key_Comma, Qt::ControlModifier);
    auto* dialog = window_->findChild<SettingsDialog*>();
    ASSERT_TRUE(dialog && dialog->isVisible());
    dialog->activateWindow();
    ASSERT_TRUE(waitUntil([&] { return dialog->isActiveWindow(); }));
    dialog->reject();
    window_->activateWindow();
    EXPECT_TRUE(waitUntil([&] { return field->hasFocus(); }));
}

TEST_F(Window, APageThatIsShownAgainHasTheFocusWhereItWas) {
    QWidget* const side = pages_[0]->findChild<QDockWidget*>(text("side"))->widget();
    side->setFocus();
    window_->showPage(PageId::Watch);
    EXPECT_TRUE(pages_[1]->isAncestorOf(QApplication::focusWidget()));
    window_->showPage(PageId::Compose);
    EXPECT_TRUE(side->hasFocus()) << "not the first field of the page";
}

TEST_F(Window, TheViewMenuIsShortAndPanelsAndThePageHaveMenusOfTheirOwn) {
    const auto* view = window_->menuBar()->findChild<QMenu*>(text("viewMenu"));
    ASSERT_NE(view, nullptr);
    int flat = 0, menus = 0;
    for (const QAction* action : view->actions()) {
        flat += !action->isSeparator() && !action->menu() && action->isVisible();
        menus += action->menu() && action->isVisible();
    }
    EXPECT_LE(flat, 8);
    EXPECT_EQ(menus, 3) << "panels, appearance and places; the page has nothing to view";
    const auto count = view->actions().size();
    const auto children = view->findChildren<QMenu*>().size();
    for (Page* page : window_->pages()) window_->showPage(page->id());
    EXPECT_EQ(view->actions().size(), count);
    EXPECT_EQ(view->findChildren<QMenu*>().size(), children) << "no menu is left behind";
}

TEST_F(Window, MenuRolesAreSet) {
    std::map<QAction::MenuRole, int> roles;
    for (const QAction* action : window_->findChildren<QAction*>()) ++roles[action->menuRole()];
    for (const auto role : {QAction::AboutRole, QAction::QuitRole, QAction::PreferencesRole}) EXPECT_EQ(roles[role], 1) << role;
}

TEST_F(Window, AllFilesThatAreDroppedAreOpened) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(text("/a.heddle")), QUrl::fromLocalFile(text("/notes.txt")),
                  QUrl::fromLocalFile(text("/b.heddle")), QUrl::fromLocalFile(text("/c.heddle"))});
    QDragEnterEvent enter({9, 9}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window_.get(), &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent drop({9, 9}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QSignalSpy said(studio_.get(), &Studio::messageRequested);
    QCoreApplication::sendEvent(window_.get(), &drop);
    const bool isNamed = std::any_of(said.begin(), said.end(), [](const QList<QVariant>& message) {
        return message[0].value<MessageStrip::Message>().text.contains(text("/notes.txt"));
    });
    EXPECT_TRUE(isNamed) << "what is not a database is not dropped silently";
    QStringList files;
    for (const RunDatabase* database : studio_->databases().all()) files << database->file();
    EXPECT_EQ(files, (QStringList{text("/a.heddle"), text("/b.heddle"), text("/c.heddle")}));
}

TEST_F(Window, DroppedFilesOfOtherProgramsAreToBeImported) {
    QSignalSpy asked(studio_.get(), &Studio::importRequested);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(text("/results.csv")), QUrl::fromLocalFile(text("/board"))});
    QDragEnterEvent enter({9, 9}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window_.get(), &enter);
    ASSERT_TRUE(enter.isAccepted());
    QDropEvent drop({9, 9}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window_.get(), &drop);
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked.first().first().toStringList(), (QStringList{text("/results.csv"), text("/board")}));
    EXPECT_TRUE(studio_->databases().all().empty());
}
