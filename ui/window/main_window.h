// SPDX-License-Identifier: GPL-3.0-or-later
// The one window: menu bar with the search box, rail, messages, pages, status bar. It knows pages by their base class and
// the database by the studio. Its owner opens databases and decides whether it may close.
#pragma once

#include "ui/pages/page.h"
#include "ui/threads/soon.h"
#include "ui/widgets/settings_dialog.h"

#include <QMainWindow>

class QFileDialog;
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
    /// Takes the pages over; they appear in the rail in this order.
    MainWindow(Studio& studio, const QList<Page*>& pages, QWidget* parent = nullptr);

    const QList<Page*>& pages() const { return pages_; }
    Page* shownPage() const;
    void showPage(PageId id);
    StatusLine& statusLine() const { return *status_; }
    MessageList& messages() const { return *messages_; }

    /// Geometry, page, layouts; the run looked at is restored when its database is open.
    void saveSession() const;
    void restoreSession();
    /// The next close() closes: closeRequested() has been answered.
    void closeNow();

    QMenu* createPopupMenu() override { return nullptr; }  // docks are in View

Q_SIGNALS:
    void openRequested(const QString& file);
    void openBesideRequested(const QString& file);
    void createRequested(const QString& file);
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
    void shown(Page* page);
    void stepPage(int by);
    void stepDock(int by);
    void focusPage();
    void updateTitle();
    void watch();
    // main_window_menus.cpp
    QAction* make(QMenu* menu, const QString& words, const QKeySequence& keys, std::function<void()> run,
                  QKeySequence::StandardKey standard = QKeySequence::UnknownKey);
    void buildMenus();
    void buildFileMenu();
    void buildViewMenu();
    void buildAppearance(QMenu& menu);
    void fillPageMenus();
    void fillRecent();
    QFileDialog& makeFileDialog(const QString& title, void (MainWindow::*chosen)(const QString&));
    void askForFile(const QString& title, void (MainWindow::*chosen)(const QString&));
    void createFile();
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
    QObject* verbs_ = nullptr;  ///< holds the actions that the palette offered last
    QList<QAction*> entries_;   ///< of the rail, in the order of the pages
    QAction* find_;
    QMenu *file_, *edit_, *run_, *recent_, *ofPage_, *panels_;
    QList<QAction*> fileActions_;  ///< of the page that is shown
    QAction* endOfFileActions_;
    Soon saveSoon_{this, [this] { saveSession(); }, std::chrono::seconds(3)};
    std::string lastRun_;  ///< of the last session, until a database is open
    bool mayClose_ = false;
};

}  // namespace heddle::ui
