// SPDX-License-Identifier: GPL-3.0-or-later
// The run databases that the window has open, and their runs together.
#pragma once

#include "ui/data/run_database.h"

#include <vector>

namespace heddle::ui {

class Databases : public QObject {
    Q_OBJECT

public:
    explicit Databases(QObject* parent = nullptr);

    /// Starts to open an existing file, unless it is open; opened() or failed() follows. Returns the number of the database.
    int open(const QString& file);
    /// If the current database is closed, the one that was opened first becomes current.
    void close(int number);
    void closeAll();

    /// Databases that are open or being opened, in that order.
    const std::vector<RunDatabase*>& all() const { return all_; }
    /// Null for a database that is not open.
    RunDatabase* find(int number) const;

    /// The database that Library shows and in which new runs are recorded; null while none is open or it is being opened.
    RunDatabase* current() const;
    int currentNumber() const { return current() ? current_ : 0; }
    QString currentFile() const { return current() ? current()->file() : QString(); }
    /// Takes effect when that database is open.
    void setCurrent(int number);

    /// The runs of all, newest first; the pointers are valid until runsChanged().
    const std::vector<const Run*>& runs() const { return runs_; }
    /// Null for a run that is in no open database or in the trash.
    const Run* run(const RunRef& ref) const;
    /// The run with this id in the current database, else in the first that has one; null if none has.
    const Run* runWithId(const std::string& id) const;
    /// The file of a run's database; empty if that is not open.
    QString fileOf(const RunRef& ref) const;

    /// RunDatabase::reader() of the database with this number. If that is not open, requests are never answered.
    RunReader reader(int number) const { return {find(number)}; }
    /// See RunDatabase::setWatched().
    void setWatched(bool watched);

Q_SIGNALS:
    void opened(int number);
    /// A database was closed; its runs are no longer listed, and reads under way are never answered.
    void closed(int number);
    /// Another database is current, or none.
    void currentChanged();
    void failed(const heddle::ui::Problem& problem);
    /// The signals of the databases; see RunDatabase.
    void unreadable(const heddle::ui::Problem& problem);
    void damaged(const heddle::ui::Problem& problem);
    void changed(int number);
    void runsChanged();
    void progressed();

private:
    void fail(RunDatabase& database, const Problem& problem);
    void drop(RunDatabase& database);
    bool nameAll();
    void gatherRuns();
    void notifyCurrent();

    std::vector<RunDatabase*> all_;
    std::vector<const Run*> runs_;
    int last_ = 0;      ///< number of the database opened last
    int current_ = 0;   ///< possibly still being opened
    int notified_ = 0;  ///< current() as of the last currentChanged()
    bool watched_ = true;
};

}  // namespace heddle::ui
