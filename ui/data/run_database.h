// SPDX-License-Identifier: GPL-3.0-or-later
// A run database, read by polling on its own thread, so that the GUI thread never waits for a disk. Runs in training, finished
// runs and runs of other processes are read in the same way (design section 1).
#pragma once

#include "engine/analysis/run_group.h"
#include "storage/run_query.h"
#include "ui/data/run_ref.h"
#include "ui/text/problem.h"
#include "ui/threads/ask.h"

#include <QObject>
#include <QThread>

#include <memory>
#include <vector>

namespace heddle::ui {

class DatabaseReader;

/// The row of a run, and the database that it is in.
struct Run : storage::RunRecord {
    Run() = default;
    Run(storage::RunRecord record, int database)
        : storage::RunRecord(std::move(record)), ref(database, storage::RunRecord::id) {}

    RunRef ref;
    QString origin;                    ///< name of the database, while several are open; else empty
    std::string groupKey, plannedKey;  ///< engine/analysis/run_group.h; setGroup()
};

/// Sets the keys of the group of a run that was read (engine/analysis/run_group.h). On the reader thread.
void setGroup(Run& run, storage::RunQuery& query);
/// The properties that decide whether the run counts in its group.
GroupMember memberOf(const storage::RunRecord& run);

class RunDatabase;

/// See RunDatabase::reader().
struct RunReader {
    using Resource = storage::RunQuery;
    QPointer<RunDatabase> database;  ///< null: no open database; requests are never answered
    void post(QPointer<QObject> owner, Job<storage::RunQuery> job) const;
};

class RunDatabase : public QObject {
    Q_OBJECT

public:
    /// Does not open the file yet. `number` names the database in this window.
    RunDatabase(int number, QString file, QObject* parent = nullptr);
    ~RunDatabase() override;  ///< waits for the reading under way; see close()

    /// Opens an existing file; opened() or failed() follows.
    void open();
    /// Cancels pending reads and deletes the object when its thread has ended; does not wait.
    void close();

    int number() const { return number_; }
    const QString& file() const { return file_; }
    /// The file's name, with its folder if another open database has the same name.
    const QString& name() const { return name_; }
    bool isOpen() const { return isOpen_; }
    /// "read-only copy: …", or empty.
    const QString& notice() const { return notice_; }

    /// The runs that are not deleted, newest first; as of the last poll.
    const std::vector<Run>& runs() const { return runs_; }
    /// One of runs(); null for others.
    const Run* run(const std::string& id) const;

    /// Sets the name of the database, which is part of its runs' labels while several are open. Returns whether labels changed.
    enum class Naming { Alone, BesideOthers };
    bool setName(const QString& name, Naming naming);
    /// Polls four times a second while watched (a window is visible), once in five seconds otherwise.
    void setWatched(bool watched);

    /// The place of ask() (ui/threads/ask.h) where this database is read: one thread, in the order of the calls. Work there
    /// must be short: all views share the thread. Nothing is answered after the database was closed.
    RunReader reader();

Q_SIGNALS:
    void opened();
    /// The file cannot be opened.
    void failed(const heddle::ui::Problem& problem);
    /// An open file could not be polled; polling goes on. Emitted once until a poll succeeds.
    void unreadable(const heddle::ui::Problem& problem);
    /// A record is damaged (checksum mismatch); emitted once, for the first such record.
    void damaged(const heddle::ui::Problem& problem);
    /// A program has committed a change: shown data must be read again.
    void changed();
    /// Runs were added or removed, or have changed in more than step, epoch and seconds.
    void runsChanged();
    /// Step, epoch or seconds of runs have grown: at most four times a second while one trains.
    void progressed();

private:
    friend class DatabaseReader;
    friend struct RunReader;
    struct Changes {
        std::vector<Run> runs;
        std::vector<std::string> deleted;
    };
    void apply(Changes changes);
    bool applyProgress(std::vector<Run>& changes);
    void applyRuns(Changes changes);
    void joinPlanned();

    const int number_;
    const QString file_;
    QString name_, origin_, notice_;
    bool isOpen_ = false, isClosed_ = false;
    QThread thread_;
    DatabaseReader* reader_;  ///< on thread_
    std::vector<Run> runs_;
};

}  // namespace heddle::ui
