// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_database.h"

#include "app/study/file_contents.h"
#include "ui/threads/priority.h"

#include <QFileInfo>
#include <QPointer>
#include <QTimer>

#include <algorithm>
#include <map>
#include <utility>

namespace heddle::ui {
namespace {

constexpr int kWatchedMs = 240, kIdleMs = 5000;

/// Nothing but the progress of the run has changed.
bool isProgress(const storage::RunRecord& before, storage::RunRecord now) {
    now.step = before.step;
    now.epoch = before.epoch;
    now.seconds = before.seconds;
    now.rev = before.rev;
    return now == before;
}

}  // namespace

/// The part on the reader thread: the connection, and the timer that polls for commits.
class DatabaseReader : public QObject {
public:
    explicit DatabaseReader(RunDatabase& database) : database_(database), timer_(this) {
        timer_.setInterval(kWatchedMs);
        connect(&timer_, &QTimer::timeout, this, [this] { poll(); });
    }

    void open() {
        try {
            query_ = storage::RunQuery::open(database_.file_.toStdString(),
                                             [this](const auto& damage) { reportDamage(damage.text); });
            readChanges();
        } catch (const std::exception& error) {
            return post([this, problem = problemOf(error)] { Q_EMIT database_.failed(problem); });
        }
        post([this] {
            markOpened();
            Q_EMIT database_.opened();
        });
        timer_.start();
    }

    void carryOut(const QPointer<QObject>& owner, const Job<storage::RunQuery>& job) {
        if (!query_) return;
        post([owner, continuation = job([this]() -> storage::RunQuery& { return *query_; })] {
            if (owner) continuation();
        });
    }

    void setInterval(int ms) { timer_.setInterval(ms); }

private:
    /// Called on the GUI thread, within post().
    void markOpened() {
        database_.isOpen_ = true;
        database_.notice_ = notice_;
    }

    void reportDamage(const std::string& text) {
        if (std::exchange(isDamageReported_, true)) return;
        const Problem problem{RunDatabase::tr("A record of the run database is damaged"), QString::fromStdString(text),
                              RunDatabase::tr("It is left out or shown as damaged; all other records are intact."),
                              RunDatabase::tr("Restore the file from a copy. Verify on the Library page lists all damage.")};
        post([this, problem] { Q_EMIT database_.damaged(problem); });
    }

    void poll() {
        try {
            readChanges();
            isFailing_ = false;
        } catch (const std::exception& error) {
            // The next poll tries again: a network folder may be available again, and a lock may end.
            if (!std::exchange(isFailing_, true))
                post([this, problem = problemOf(error)] { Q_EMIT database_.unreadable(problem); });
        }
    }

    void readChanges() {
        if (version_ < 0) notice_ = QString::fromStdString(query_->notice());
        const std::int64_t version = query_->dataVersion();
        if (version == version_) return;
        RunDatabase::Changes changes;
        // The revision is read first, so that a commit in between is read twice and not missed.
        const std::int64_t revision = query_->revision();
        for (auto& record : query_->runs(revision_)) {
            changes.runs.emplace_back(std::move(record), database_.number());
            setGroup(changes.runs.back(), *query_);
        }
        for (const auto& deleted : query_->deletedRuns(revision_)) changes.deleted.push_back(deleted.id);
        version_ = version;
        revision_ = revision;
        post([this, changes = std::make_shared<RunDatabase::Changes>(std::move(changes))] {
            markOpened();  // together with the runs, so that an open database always has its runs
            database_.apply(std::move(*changes));
        });
    }

    /// Calls `f` on the GUI thread unless the database is closed by then; this object may be deleted then.
    void post(std::function<void()> f) {
        RunDatabase* database = &database_;
        QMetaObject::invokeMethod(
            database,
            [database, f = std::move(f)] {
                if (!database->isClosed_) f();
            },
            Qt::QueuedConnection);
    }

    RunDatabase& database_;
    QTimer timer_;
    std::unique_ptr<storage::RunQuery> query_;
    QString notice_;  ///< written before the first post(), read after it
    std::int64_t version_ = -1, revision_ = 0;
    bool isDamageReported_ = false, isFailing_ = false;
};

RunDatabase::RunDatabase(int number, QString file, QObject* parent)
    : QObject(parent),
      number_(number),
      file_(std::move(file)),
      name_(QFileInfo(file_).fileName()),
      reader_(new DatabaseReader(*this)) {
    reader_->moveToThread(&thread_);
    connect(&thread_, &QThread::started, reader_, [] { lowerPriority(BackgroundWork::Reading); });
    connect(&thread_, &QThread::finished, reader_, &QObject::deleteLater);
    thread_.setObjectName(QStringLiteral("reader"));
    thread_.start();
}

RunDatabase::~RunDatabase() {
    thread_.quit();
    thread_.wait();
}

void RunDatabase::open() {
    QMetaObject::invokeMethod(reader_, [this] { reader_->open(); });
}

void RunDatabase::close() {
    isClosed_ = true;
    connect(&thread_, &QThread::finished, this, &QObject::deleteLater);
    thread_.quit();
}

const Run* RunDatabase::run(const std::string& id) const {
    const auto found = std::find_if(runs_.begin(), runs_.end(), [&](const auto& run) { return run.id == id; });
    return found == runs_.end() ? nullptr : &*found;
}

bool RunDatabase::setName(const QString& name, Naming naming) {
    name_ = name;
    const QString origin = naming == Naming::BesideOthers ? name : QString();
    if (origin == origin_) return false;
    origin_ = origin;
    for (Run& run : runs_) run.origin = origin_;
    return !runs_.empty();
}

void RunDatabase::setWatched(bool watched) {
    QMetaObject::invokeMethod(reader_, [this, watched] { reader_->setInterval(watched ? kWatchedMs : kIdleMs); });
}

RunReader RunDatabase::reader() { return {this}; }

void RunReader::post(QPointer<QObject> owner, Job<storage::RunQuery> job) const {
    if (!database || !database->isOpen()) return;
    DatabaseReader* reader = database->reader_;
    QMetaObject::invokeMethod(reader,
                              [reader, owner = std::move(owner), job = std::move(job)] { reader->carryOut(owner, job); });
}

void RunDatabase::apply(Changes changes) {
    if (changes.deleted.empty() && applyProgress(changes.runs)) {
        if (!changes.runs.empty()) Q_EMIT progressed();
    } else {
        applyRuns(std::move(changes));
        Q_EMIT runsChanged();
    }
    Q_EMIT changed();
}

/// Applies progress without sorting all runs again. Returns false and changes nothing if there are other changes.
bool RunDatabase::applyProgress(std::vector<Run>& changes) {
    std::vector<Run*> places;
    for (const auto& now : changes) {
        const auto known = std::find_if(runs_.begin(), runs_.end(), [&](const auto& run) { return run.id == now.id; });
        if (known == runs_.end() || !isProgress(*known, now)) return false;
        places.push_back(&*known);
    }
    for (std::size_t i = 0; i < changes.size(); ++i) {
        changes[i].origin = origin_;
        changes[i].groupKey = places[i]->groupKey;
        *places[i] = std::move(changes[i]);
    }
    return true;
}

void RunDatabase::applyRuns(Changes changes) {
    std::map<std::string, Run> byId;
    for (auto& run : runs_) byId.insert_or_assign(run.id, std::move(run));
    for (auto& run : changes.runs) {
        run.origin = origin_;
        byId.insert_or_assign(run.id, std::move(run));
    }
    for (const auto& id : changes.deleted) byId.erase(id);
    runs_.clear();
    for (auto& [id, run] : byId)
        if (run.trashed <= 0) runs_.push_back(std::move(run));
    std::sort(runs_.begin(), runs_.end(),
              [](const auto& a, const auto& b) { return a.created != b.created ? a.created > b.created : a.id < b.id; });
    joinPlanned();
}

/// Adds queued seeds to the groups of those that have started.
void RunDatabase::joinPlanned() {
    PlannedGroups groups;
    for (const Run& run : runs_)
        if (!run.runHash.empty()) groups.add(run.plannedKey, run.groupKey, run.created);
    for (Run& run : runs_)
        if (run.runHash.empty()) run.groupKey = groups.of(run.plannedKey);
}

void setGroup(Run& run, storage::RunQuery& query) {
    run.plannedKey = run.damaged ? "damaged " + run.id : plannedKey(run.spec);  // its settings are unknown
    if (run.damaged) {
        run.groupKey = run.plannedKey;
        return;
    }
    run.groupKey = groupKey(run.spec, run.runHash, [&] { return app::recordedDataHashes(query, run.id); });
}

GroupMember memberOf(const storage::RunRecord& run) {
    return {run.id, run.seed, run.created, run.state == "completed", run.intervened >= 0};
}

}  // namespace heddle::ui
