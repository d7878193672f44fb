// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/feed.h"

#include "engine/run/run_state.h"
#include "ui/threads/priority.h"
#include "ui/threads/time_slices.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>

#include <algorithm>
#include <memory>
#include <utility>

namespace heddle::ui {
namespace {

constexpr int kWatchedMs = 250, kIdleMs = 5000;
/// What only went on is told less often than it is looked for: every waking of the window is taken from the training.
constexpr int kProgressMs = 950;

/// The run went on, and nothing else of it is another.
bool isProgress(const storage::RunRecord& before, storage::RunRecord now) {
    now.step = before.step;
    now.epoch = before.epoch;
    now.seconds = before.seconds;
    now.rev = before.rev;
    return now == before;
}

}  // namespace

/// The reader thread's half: the connection, and the timer that looks whether anybody committed.
class FeedReader : public QObject {
public:
    explicit FeedReader(Feed& feed) : feed_(feed), timer_(this) {
        timer_.setInterval(kWatchedMs);
        connect(&timer_, &QTimer::timeout, this, [this] { poll(); });
    }

    void open(const QString& file, int generation) {
        generation_ = generation;
        query_.reset();
        timer_.stop();
        version_ = -1;
        revision_ = 0;
        told_.clear();
        isDamageTold_ = false;
        try {
            query_ = storage::RunQuery::open(file.toStdString(), [this](const auto& damage) { tellDamage(damage.text); });
        } catch (const std::exception& error) {
            return post([this, problem = problemOf(error)] { Q_EMIT feed_.failed(problem); });
        }
        named_ = [this, file, notice = QString::fromStdString(query_->notice())] {
            feed_.file_ = file;
            feed_.notice_ = notice;
        };
        poll();
        postInTurn([this, named = named_] {
            named();
            Q_EMIT feed_.opened();
        });
        timer_.start();
    }

    void read(int generation, const QPointer<QObject>& context, const Feed::Reading& reading) {
        if (generation != generation_ || !query_) return;
        try {
            post([context, done = reading(*query_)] {
                if (context) done();
            });
        } catch (const std::exception& error) {
            post([this, problem = problemOf(error)] { Q_EMIT feed_.failed(problem); });
        }
    }

    void setInterval(int ms) { timer_.setInterval(ms); }

private:
    void tellDamage(const std::string& text) {
        if (std::exchange(isDamageTold_, true)) return;
        const Problem problem{Feed::tr("A record of the run database is damaged"), QString::fromStdString(text),
                              Feed::tr("It is left out or shown as damaged; every other record is as it was written."),
                              Feed::tr("Restore a copy of the file. Verify in Library lists all that is damaged.")};
        post([this, problem] { Q_EMIT feed_.damaged(problem); });
    }

    void poll() {
        try {
            const std::int64_t version = query_->dataVersion();
            if (version == version_) return;
            Feed::News news;
            // Asked first: what is committed in between is read twice, not never.
            const std::int64_t revision = query_->revision();
            news.runs = query_->runs(revision_);
            for (const auto& deleted : query_->deletedRuns(revision_)) news.gone.push_back(deleted.id);
            if (isProgress(news) && sinceTold_.isValid() && sinceTold_.elapsed() < kProgressMs) return;
            version_ = version;
            revision_ = revision;
            remember(news);
            postInTurn([this, news = std::make_shared<Feed::News>(std::move(news)), named = named_] {
                named();  // with its runs: nobody sees an open database without them
                feed_.take(std::move(*news));
            });
        } catch (const std::exception& error) {
            timer_.stop();
            post([this, problem = problemOf(error)] { Q_EMIT feed_.failed(problem); });
        }
    }

    /// Against what was told last.
    bool isProgress(const Feed::News& news) const {
        return news.gone.empty() && std::all_of(news.runs.begin(), news.runs.end(), [this](const auto& run) {
                   const auto before = told_.find(run.id);
                   return before != told_.end() && ui::isProgress(before->second, run);
               });
    }

    void remember(const Feed::News& news) {
        for (const auto& run : news.runs)
            if (isInWork(run.state))
                told_.insert_or_assign(run.id, run);
            else
                told_.erase(run.id);
        sinceTold_.start();
    }

    /// Runs `f` on the GUI thread if the database is still the same one then.
    void post(std::function<void()> f) {
        QMetaObject::invokeMethod(
            &feed_,
            [this, generation = generation_, f = std::move(f)] {
                if (generation == feed_.generation_) f();
            },
            Qt::QueuedConnection);
    }

    /// The same in a turn of its own, in the order of these calls: every page works on such news.
    void postInTurn(std::function<void()> f) {
        post([this, generation = generation_, f = std::move(f)] {
            runInSlice(&feed_, [this, generation, f] {
                if (generation == feed_.generation_) f();
            });
        });
    }

    Feed& feed_;
    QTimer timer_;
    std::unique_ptr<storage::RunQuery> query_;
    std::function<void()> named_;  ///< tells the GUI's half which database is open
    int generation_ = 0;
    std::int64_t version_ = -1, revision_ = 0;
    bool isDamageTold_ = false;
    std::map<std::string, storage::RunRecord> told_;  ///< those in work
    QElapsedTimer sinceTold_;
};

Feed::Feed(QObject* parent) : QObject(parent), reader_(new FeedReader(*this)) {
    reader_->moveToThread(&thread_);
    connect(&thread_, &QThread::started, reader_, lowerPriority);
    connect(&thread_, &QThread::finished, reader_, &QObject::deleteLater);
    thread_.setObjectName(QStringLiteral("feed"));
    thread_.start();
}

Feed::~Feed() {
    thread_.quit();
    thread_.wait();
}

void Feed::open(const QString& file) {
    ++generation_;
    file_.clear();
    notice_.clear();
    runs_.clear();
    trashed_.clear();
    Q_EMIT runsChanged();
    QMetaObject::invokeMethod(reader_, [this, file, generation = generation_] { reader_->open(file, generation); });
}

const storage::RunRecord* Feed::run(const std::string& id) const {
    const auto found = std::find_if(runs_.begin(), runs_.end(), [&](const auto& run) { return run.id == id; });
    return found == runs_.end() ? nullptr : &*found;
}

void Feed::setWatched(bool watched) {
    QMetaObject::invokeMethod(reader_, [this, watched] { reader_->setInterval(watched ? kWatchedMs : kIdleMs); });
}

void Feed::start(QObject* context, Reading reading) {
    QMetaObject::invokeMethod(reader_, [this, generation = generation_, context = QPointer(context),
                                        reading = std::move(reading)] { reader_->read(generation, context, reading); });
}

void Feed::take(News news) {
    if (news.gone.empty() && takeProgress(news.runs)) {
        if (!news.runs.empty()) Q_EMIT progressed();
    } else {
        takeRuns(std::move(news));
        Q_EMIT runsChanged();
    }
    Q_EMIT changed();
}

/// What a training commits four times a second costs as much as the runs in training, not as all runs. False: there is more to
/// the news, and nothing was taken.
bool Feed::takeProgress(std::vector<storage::RunRecord>& news) {
    std::vector<storage::RunRecord*> places;
    for (const auto& now : news) {
        const auto known = std::find_if(runs_.begin(), runs_.end(), [&](const auto& run) { return run.id == now.id; });
        if (known == runs_.end() || !isProgress(*known, now)) return false;
        places.push_back(&*known);
    }
    for (std::size_t i = 0; i < news.size(); ++i) *places[i] = std::move(news[i]);
    return true;
}

void Feed::takeRuns(News news) {
    std::map<std::string, storage::RunRecord> byId;
    for (auto* runs : {&runs_, &trashed_})
        for (auto& run : *runs) byId.insert_or_assign(run.id, std::move(run));
    for (auto& run : news.runs) byId.insert_or_assign(run.id, std::move(run));
    for (const auto& id : news.gone) byId.erase(id);
    runs_.clear();
    trashed_.clear();
    for (auto& [id, run] : byId) (run.trashed > 0 ? trashed_ : runs_).push_back(std::move(run));
    std::sort(runs_.begin(), runs_.end(),
              [](const auto& a, const auto& b) { return a.created != b.created ? a.created > b.created : a.id < b.id; });
    std::sort(trashed_.begin(), trashed_.end(),
              [](const auto& a, const auto& b) { return a.trashed != b.trashed ? a.trashed > b.trashed : a.id < b.id; });
}

void Refresh::request() {
    if (busy_) {
        again_ = true;
        return;
    }
    busy_ = true;
    ask_();
}

void Refresh::done() {
    busy_ = false;
    if (std::exchange(again_, false)) request();
}

}  // namespace heddle::ui
