// SPDX-License-Identifier: GPL-3.0-or-later
// The main window: menu bar, rail, messages, pages and status bar. It uses pages through their base class. Its owner opens
// databases and decides whether it may close.
#pragma once

#include "ui/pages/page.h"
#include "ui/threads/coalescing_timer.h"
#include "ui/widgets/settings_dialog.h"

#include <QMainWindow>

class QStackedWidget;

namespace heddle::ui {

class CommandPalette;
struct Command;
class HelpWindow;
class MessageList;
class Rail;
class StatusLine;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// Takes ownership of the pages; they are in the rail in this order.
    MainWindow(Studio& studio, const QList<Page*>& pages, QWidget* parent = nullptr);

    const QList<Page*>& pages() const { return pages_; }
    Page* shownPage() const;
    void showPage(PageId id);
    StatusLine& statusLine() const { return *status_; }
    MessageList& messages() const { return *messages_; }

    /// Puts geometry, shown page and layouts into the settings, and restores them. The shown run is restored when its database
    /// is open.
    void saveSession() const;
    void restoreSession();
    /// Closes the window without closeRequested().
    void closeNow();

    QMenu* createPopupMenu() override { return nullptr; }  // docks are in View

Q_SIGNALS:
    void closeRequested();
    void hostChanged();

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    // main_window.cpp
    void buildRail();
    void setShownPage(Page* page);
    void stepPage(int by);
    void stepDock(int by);
    void focusPage();
    void updateTitle();
    void updateWatched();
    // main_window_menus.cpp
    QAction* make(QMenu* menu, const char* name, const QString& text, const QKeySequence& keys,
                  const std::function<void()>& run, QKeySequence::StandardKey standard = QKeySequence::UnknownKey);
    void buildMenus();
    void buildFileMenu();
    void buildViewMenu();
    void buildAppearance(QMenu& menu);
    void fillPageMenus();
    void fillRecent();
    void openSettings();
    QList<Command> verbsInTraining();
    void openPalette();
    HelpWindow& help();
    void openHelp();
    void openShortcuts();
    void openAbout();

    Studio& studio_;
    QList<Page*> pages_;
    Rail* rail_;
    QStackedWidget* stack_;
    MessageList* messages_;
    StatusLine* status_;
    CommandPalette* palette_;
    HelpWindow* help_ = nullptr;
    QObject* verbs_ = nullptr;  ///< owns the actions that the palette offered last
    QList<QAction*> entries_;   ///< of the rail, in the order of the pages
    QAction* find_;
    QMenu *file_, *edit_, *run_, *recent_, *pageMenu_, *panels_;
    QList<QAction*> fileActions_;  ///< of the page that is shown
    QAction* endOfFileActions_;
    CoalescingTimer saveSoon_{this, [this] { saveSession(); }, Delay::kStored};
    std::string lastRun_;  ///< of the last session, until a database is open
    bool mayClose_ = false;
};

}  // namespace heddle::ui
