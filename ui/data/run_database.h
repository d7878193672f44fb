// SPDX-License-Identifier: GPL-3.0-or-later
// A run database as the window sees it. The database is the bus (design section 1): a live run, a finished one and one that
// another process trains are read the same way, by polling, on a thread of its own; the GUI thread never waits for a disk.
#pragma once

#include "engine/analysis/run_group.h"
#include "storage/run_query.h"
#include "ui/data/run_ref.h"
#include "ui/text/problem.h"
#include "ui/threads/ask.h"

#include <QObject>
#include <QThread>

#include <functional>
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

class RunDatabase;

/// See RunDatabase::reader().
struct RunReader {
    using There = storage::RunQuery;
    QPointer<RunDatabase> database;  ///< null: of no open database, where nothing is answered
    void post(QPointer<QObject> owner, Job<storage::RunQuery> job) const;
};

class RunDatabase : public QObject {
    Q_OBJECT

public:
    /// Does not open the file yet. `number` names the database in this window.
    RunDatabase(int number, QString file, QObject* parent = nullptr);
    ~RunDatabase() override;  ///< waits for the reading under way; see close()

    /// Opens the file, creating nothing; answers with opened() or failed().
    void open();
    /// Drops pending reads and deletes the object when its thread has ended; does not wait.
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
    /// The runs in the trash, last trashed first.
    const std::vector<Run>& trashedRuns() const { return trashed_; }
    /// One of runs(); null for others.
    const Run* run(const std::string& id) const;

    /// Names the database; its runs carry the name if it is open beside others. Returns whether labels of runs changed.
    enum class Naming { Alone, BesideOthers };
    bool setName(const QString& name, Naming naming);
    /// Polls four times a second while watched (a window is visible), once in five seconds otherwise.
    void setWatched(bool watched);

    /// The place of ask() (ui/threads/ask.h) where this database is read: one thread, in the order of the calls. Work there
    /// must be short: every other view shares the thread. Nothing is answered once the database is closed.
    RunReader reader();

Q_SIGNALS:
    void opened();
    /// The file cannot be opened.
    void failed(const heddle::ui::Problem& problem);
    /// An open file could not be polled; polling goes on. Emitted once until a poll succeeds.
    void unreadable(const heddle::ui::Problem& problem);
    /// A record that was read is not what was written; emitted once, for the first such record.
    void damaged(const heddle::ui::Problem& problem);
    /// A program committed something: what is shown must be read again.
    void changed();
    /// Rows of runs() or trashedRuns() were added, removed, or changed in more than step, epoch and seconds.
    void runsChanged();
    /// Step, epoch or seconds of runs have grown: at most four times a second while one trains.
    void progressed();

private:
    friend class DatabaseReader;
    friend struct RunReader;
    struct News {
        std::vector<Run> runs;
        std::vector<std::string> gone;
    };
    void take(News news);
    bool takeProgress(std::vector<Run>& news);
    void takeRuns(News news);
    void joinPlanned();

    const int number_;
    const QString file_;
    QString name_, origin_, notice_;
    bool isOpen_ = false, isClosed_ = false;
    QThread thread_;
    DatabaseReader* reader_;  ///< lives on thread_
    std::vector<Run> runs_, trashed_;
};

}  // namespace heddle::ui
