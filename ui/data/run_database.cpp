// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/run_database.h"

#include "ui/data/run_group.h"
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

/// The reader thread's half: the connection, and the timer that looks whether anybody committed.
class DatabaseReader : public QObject {
public:
    explicit DatabaseReader(RunDatabase& database) : database_(database), timer_(this) {
        timer_.setInterval(kWatchedMs);
        connect(&timer_, &QTimer::timeout, this, [this] { poll(); });
    }

    void open() {
        try {
            query_ =
                storage::RunQuery::open(database_.file_.toStdString(), [this](const auto& damage) { tellDamage(damage.text); });
            readNews();
        } catch (const std::exception& error) {
            return post([this, problem = problemOf(error)] { Q_EMIT database_.failed(problem); });
        }
        post([this] {
            notifyOpened();
            Q_EMIT database_.opened();
        });
        timer_.start();
    }

    void carryOut(const QPointer<QObject>& owner, const Job<storage::RunQuery>& job) {
        if (!query_) return;
        post([owner, then = job([this]() -> storage::RunQuery& { return *query_; })] {
            if (owner) then.call();
        });
    }

    void setInterval(int ms) { timer_.setInterval(ms); }

private:
    /// Called on the GUI thread, within post().
    void notifyOpened() {
        database_.isOpen_ = true;
        database_.notice_ = notice_;
    }

    void tellDamage(const std::string& text) {
        if (std::exchange(isDamageTold_, true)) return;
        const Problem problem{RunDatabase::tr("A record of the run database is damaged"), QString::fromStdString(text),
                              RunDatabase::tr("It is left out or shown as damaged; every other record is as it was written."),
                              RunDatabase::tr("Restore a copy of the file. Verify in Library lists all that is damaged.")};
        post([this, problem] { Q_EMIT database_.damaged(problem); });
    }

    void poll() {
        try {
            readNews();
            isFailing_ = false;
        } catch (const std::exception& error) {
            // The next tick tries again: a network folder may come back, and a lock ends.
            if (!std::exchange(isFailing_, true))
                post([this, problem = problemOf(error)] { Q_EMIT database_.unreadable(problem); });
        }
    }

    void readNews() {
        if (version_ < 0) notice_ = QString::fromStdString(query_->notice());
        const std::int64_t version = query_->dataVersion();
        if (version == version_) return;
        RunDatabase::News news;
        // The revision is read first: a commit in between is then read twice, not missed.
        const std::int64_t revision = query_->revision();
        for (auto& record : query_->runs(revision_)) {
            news.runs.emplace_back(std::move(record), database_.number());
            setGroup(news.runs.back(), *query_);
        }
        for (const auto& deleted : query_->deletedRuns(revision_)) news.gone.push_back(deleted.id);
        version_ = version;
        revision_ = revision;
        post([this, news = std::make_shared<RunDatabase::News>(std::move(news))] {
            notifyOpened();  // together with its runs: nobody sees an open database without them
            database_.take(std::move(*news));
        });
    }

    /// Runs `f` on the GUI thread unless the database is closed by then, when this object may be gone already.
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
    QString notice_;  ///< written before the first post() and read after it
    std::int64_t version_ = -1, revision_ = 0;
    bool isDamageTold_ = false, isFailing_ = false;
};

RunDatabase::RunDatabase(int number, QString file, QObject* parent)
    : QObject(parent),
      number_(number),
      file_(std::move(file)),
      name_(QFileInfo(file_).fileName()),
      reader_(new DatabaseReader(*this)) {
    reader_->moveToThread(&thread_);
    connect(&thread_, &QThread::started, reader_, lowerPriority);
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
    for (auto* runs : {&runs_, &trashed_})
        for (Run& run : *runs) run.origin = origin_;
    return !runs_.empty() || !trashed_.empty();
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

void RunDatabase::take(News news) {
    if (news.gone.empty() && takeProgress(news.runs)) {
        if (!news.runs.empty()) Q_EMIT progressed();
    } else {
        takeRuns(std::move(news));
        Q_EMIT runsChanged();
    }
    Q_EMIT changed();
}

/// Takes the progress of runs in training without sorting all runs again. Returns false, and takes nothing, if the news are
/// more than progress.
bool RunDatabase::takeProgress(std::vector<Run>& news) {
    std::vector<Run*> places;
    for (const auto& now : news) {
        const auto known = std::find_if(runs_.begin(), runs_.end(), [&](const auto& run) { return run.id == now.id; });
        if (known == runs_.end() || !isProgress(*known, now)) return false;
        places.push_back(&*known);
    }
    for (std::size_t i = 0; i < news.size(); ++i) {
        news[i].origin = origin_;
        news[i].groupKey = places[i]->groupKey;
        *places[i] = std::move(news[i]);
    }
    return true;
}

void RunDatabase::takeRuns(News news) {
    std::map<std::string, Run> byId;
    for (auto* runs : {&runs_, &trashed_})
        for (auto& run : *runs) byId.insert_or_assign(run.id, std::move(run));
    for (auto& run : news.runs) {
        run.origin = origin_;
        byId.insert_or_assign(run.id, std::move(run));
    }
    for (const auto& id : news.gone) byId.erase(id);
    runs_.clear();
    trashed_.clear();
    for (auto& [id, run] : byId) (run.trashed > 0 ? trashed_ : runs_).push_back(std::move(run));
    std::sort(runs_.begin(), runs_.end(),
              [](const auto& a, const auto& b) { return a.created != b.created ? a.created > b.created : a.id < b.id; });
    std::sort(trashed_.begin(), trashed_.end(),
              [](const auto& a, const auto& b) { return a.trashed != b.trashed ? a.trashed > b.trashed : a.id < b.id; });
    joinPlanned();
}

/// Seeds that wait for their turn stand with those that have begun.
void RunDatabase::joinPlanned() {
    PlannedGroups groups;
    for (const Run& run : runs_)
        if (!run.runHash.empty()) groups.add(run.plannedKey, run.groupKey, run.created);
    for (Run& run : runs_)
        if (run.runHash.empty()) run.groupKey = groups.of(run.plannedKey);
}

}  // namespace heddle::ui
