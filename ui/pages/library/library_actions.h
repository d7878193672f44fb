// SPDX-License-Identifier: GPL-3.0-or-later
// The actions on the selected runs of the Library. The transition table says which verbs a run allows. Edits can be undone.
#pragma once

#include "ui/data/run_actions.h"
#include "ui/data/studio.h"
#include "ui/pages/library/run_export_dialog.h"
#include "ui/threads/task.h"

#include <QString>
#include <QUndoStack>

#include <string>

namespace heddle::ui {

class LibraryRuns;

/// What an export wrote.
struct WrittenRuns {
    QStringList places, notes;
    qsizetype runs = 0;
};

class LibraryActions : public QObject {
    Q_OBJECT

public:
    /// Adds its actions to the table and the buttons of `runs`. A child of `page`, whose keys work on the whole page.
    LibraryActions(Studio& studio, LibraryRuns& runs, QWidget& page);

    /// For the Edit menu and the Run menu.
    QList<QAction*> edits() const;
    QList<QAction*> onRuns() const;
    QAction& watch() const { return onRuns_->watch(); }
    QAction& note() const { return *note_; }
    QAction& exportRuns() const { return *export_; }

    /// Enables the actions that the selected runs allow, and names these runs in the actions' texts.
    void refresh();
    /// Clears the undo stack, whose steps edit another database.
    void clearUndo() { steps_.clear(); }
    void rename(const std::string& run, const QString& name);
    void tag(const std::string& run, const QStringList& tags);
    /// Writes the selected runs to `destination`; without a format below that folder (see exportRun). A message shows the
    /// export and can cancel it after any run.
    void exportTo(const QString& destination, const ExportChoice& choice = {});

private:
    void fillMenus();
    RunRef refOf(const std::string& run) const;
    void trash();
    void restore();
    void deletePermanently();
    void chooseExport();
    void takeExport(Result<WrittenRuns> written);
    /// Calls `done` when all of `forward` has been accepted.
    void edit(const QString& words, std::vector<Edit> forward, std::vector<Edit> back, std::function<void()> done = {});

    Studio& studio_;
    LibraryRuns& runs_;
    QWidget& page_;
    QUndoStack steps_;
    RunActions* onRuns_;
    QAction *rename_, *tag_, *note_, *trash_, *undo_, *redo_, *restore_, *deletePermanently_, *export_, *cancelExport_, *find_;
    QString exportPlace_;
    bool isWholeExport_ = false;  ///< the export writes one file or folder, completely or not at all
    qsizetype exportedRuns_ = 0;  ///< number of runs that the last export was to write
    Task<WrittenRuns> exporting_{this, [this](Result<WrittenRuns> written) { takeExport(std::move(written)); }};
};

/// Exports a run as text files into a new folder NAME-ID below `folder`: run.json (everything but the values), evaluations.tsv
/// and curves.tsv (name, path, attempt, step, value; C locale, shortest exact digits). Call it on a pool thread; it opens its
/// own connection. Returns the new folder. Throws StorageError or std::runtime_error.
QString exportRun(const QString& database, const std::string& run, const QString& folder);

}  // namespace heddle::ui
