// SPDX-License-Identifier: GPL-3.0-or-later
// The databases and the runs of the current one: their facts, sizes on disk, and actions on them.
#pragma once

#include "ui/data/query.h"
#include "ui/data/run_actions.h"
#include "ui/pages/library/database_list.h"
#include "ui/pages/library/run_list.h"
#include "ui/pages/library/verify.h"
#include "ui/pages/page.h"

#include <QTimer>
#include <QUndoStack>

class QDockWidget;
class QListView;

namespace heddle::ui {

class RunPanel;

/// Existing: the file must exist. Create: it is made unless it exists. Beside: it must exist, and other databases stay open.
enum class OpenMode { Existing, Create, Beside };

class LibraryPage : public Page {
    Q_OBJECT

public:
    explicit LibraryPage(Studio& studio);
    ~LibraryPage() override;

    QString title() const override { return tr("Library"); }
    Icon icon() const override { return Icon::Library; }
    QList<QAction*> editActions() const override;
    QList<QAction*> fileActions() const override;
    QList<QAction*> runActions() const override;
    void setShown(bool shown) override;
    bool isSettled() const override;
    void saveSession(QSettings& settings) const override;
    void restoreSession(QSettings& settings) override;

    /// Writes the selected runs below `folder` (see exportRun); a message reports success or failure.
    void exportTo(const QString& folder);

Q_SIGNALS:
    /// The window opens databases.
    void openRequested(const QString& file, heddle::ui::OpenMode mode);

private:
    void buildDocks();
    void buildActions();
    QAction* addStep(QAction* action, Icon icon, const QKeySequence& key);
    void connectStudio();
    void connectPanels();

    // What is shown.
    void refreshAll();
    void takeRuns();
    void refreshDatabases();
    void showDatabases(QList<DatabaseEntry> open, const QList<DatabaseFacts>& ofOpen, const QList<DatabaseFacts>& recent);
    void refreshReport();
    Query::Request runRequest();
    void readVerified();
    void setEmptyText();

    // Databases.
    void chooseFile(OpenMode mode);
    void openChosen();
    void openChosenBeside();
    void closeChosen();
    DatabaseEntry::Kind chosenKind() const;
    QString chosenFile() const;
    /// The open database of the chosen entry; null for other entries.
    RunDatabase* chosenDatabase() const;
    void removeChosen();
    void locateChosen();
    void replaceWith(const QString& missing, const QString& found);
    void startVerify();
    void endVerify();

    // Runs.
    void updateActions();
    void nameTargets();
    void showPending();
    std::vector<Run> chosenRuns() const;
    RunRef refOf(const std::string& run) const;
    void deleteRuns();
    void renameRun(const std::string& run, const QString& name);
    void tagRun(const std::string& run, const QStringList& tags);
    /// Calls `done` when all of `forward` has been accepted.
    void edit(const QString& words, std::vector<Edit> forward, std::vector<Edit> back, std::function<void()> done = {});
    void restoreRuns(const std::vector<std::string>& runs);
    void deleteForGood();
    void chooseExportFolder();

    RunPanel* runs_;
    DatabaseListModel* databases_;
    QListView* databaseView_;
    DetailsPanel* details_;
    QDockWidget* detailsDock_;
    QAction *open_, *create_, *removeFromList_, *openChosen_, *openBeside_, *close_, *locate_, *verify_, *rename_, *tag_,
        *note_, *delete_, *undo_, *redo_, *restore_, *deleteForGood_, *watch_, *compare_, *clone_, *export_, *find_;
    RunActions* onRuns_;

    /// By run: the commit at which its scores were read, and the scores.
    using Scores = std::map<std::string, std::pair<std::int64_t, RunScores>>;
    static Scores readScores(const std::string& file, const Scores& known);
    Scores scores_;
    QTimer slowTimer_;  ///< sizes on disk of runs in training
    Refresh report_, databasesRefresh_;
    Query* run_;
    QUndoStack edits_;
    std::shared_ptr<VerifyJob> job_;
    QTimer progressTimer_;
    bool shown_ = false, stale_ = true, grown_ = false, entered_ = false;
    int exports_ = 0;  ///< under way
};

}  // namespace heddle::ui
