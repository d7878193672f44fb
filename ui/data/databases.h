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

    /// Starts to open a file and creates nothing; opened() or failed() tells how that ended. A file that is open already is not
    /// opened again. Returns the number of the database.
    int open(const QString& file);
    /// The current database may be closed too: the one opened first of the others becomes current.
    void close(int number);
    void closeAll();

    /// Open or on their way, in the order of opening.
    const std::vector<RunDatabase*>& all() const { return all_; }
    /// Null for a database that is not open.
    RunDatabase* find(int number) const;

    /// The one that Library shows and new runs go to; null: none, or it is on its way.
    RunDatabase* current() const;
    int currentNumber() const { return current() ? current_ : 0; }
    QString currentFile() const { return current() ? current()->file() : QString(); }
    /// Takes effect when that database is open.
    void setCurrent(int number);

    /// The runs of all, newest first; the pointers hold till runsChanged().
    const std::vector<const Run*>& runs() const { return runs_; }
    /// Null for others.
    const Run* run(const RunRef& ref) const;
    /// The run with this id: of the current database, else of the first that has one; null: none has.
    const Run* withId(const std::string& id) const;
    /// The file that a run is in; empty when it is not open.
    QString fileOf(const RunRef& ref) const;

    /// RunDatabase::read() of the database with this number; nothing happens where that is not open.
    template <class Read, class Done>
    void read(int number, QObject* context, Read read, Done done) {
        if (RunDatabase* database = find(number)) database->read(context, std::move(read), std::move(done));
    }
    /// See RunDatabase::setWatched().
    void setWatched(bool watched);

Q_SIGNALS:
    void opened(int number);
    /// It is gone, with its runs; what was asked of it is never answered.
    void closed(int number);
    /// Another database is current, or none.
    void currentChanged();
    void failed(const heddle::ui::Problem& problem);
    /// The signals of the databases; see RunDatabase.
    void damaged(const heddle::ui::Problem& problem);
    void changed(int number);
    void runsChanged();
    void progressed();

private:
    void fail(RunDatabase& database, const Problem& problem);
    void drop(RunDatabase& database);
    bool nameAll();
    void gatherRuns();
    void tellCurrent();

    std::vector<RunDatabase*> all_;
    std::vector<const Run*> runs_;
    int last_ = 0;     ///< number of the database opened last
    int current_ = 0;  ///< perhaps on its way
    int told_ = 0;     ///< current() as of the last currentChanged()
    bool watched_ = true;
};

}  // namespace heddle::ui
