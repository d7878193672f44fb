// SPDX-License-Identifier: GPL-3.0-or-later
// The run database as the window sees it. The database is the bus (design section 1): a live run, a finished one and one that
// another process trains are read the same way, by polling, on a thread of its own; the GUI thread never waits for a disk.
#pragma once

#include "storage/run_query.h"
#include "ui/text/problem.h"

#include <QObject>
#include <QThread>

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace heddle::ui {

class FeedReader;

class Feed : public QObject {
    Q_OBJECT

public:
    explicit Feed(QObject* parent = nullptr);
    ~Feed() override;

    /// Opens another database, creating nothing; answers with opened() or failed().
    void open(const QString& file);
    /// The database that is open, or an empty string.
    QString file() const { return file_; }
    /// "read-only copy: …", or empty.
    QString notice() const { return notice_; }

    /// The runs that are not deleted, newest first; as of the last poll.
    const std::vector<storage::RunRecord>& runs() const { return runs_; }
    /// Those that were put aside and may come back, last trashed first.
    const std::vector<storage::RunRecord>& trashedRuns() const { return trashed_; }
    /// One of runs(); null for others.
    const storage::RunRecord* run(const std::string& id) const;

    /// Polls four times a second while watched (a window is visible), once in five seconds otherwise.
    void setWatched(bool watched);

    /// Calls `read` on the reader thread and then `done` with what it returned on the GUI thread, in the order of the calls;
    /// `done` is dropped if `context` is gone or another database has been opened. An exception becomes failed(). Keep `read`
    /// short: it shares the thread with every other view.
    template <class Read, class Done>
    void read(QObject* context, Read read, Done done) {
        start(context, [read = std::move(read), done = std::move(done)](storage::RunQuery& query) mutable {
            auto result = std::make_shared<decltype(read(query))>(read(query));
            return std::function<void()>([result, done = std::move(done)]() mutable { done(std::move(*result)); });
        });
    }

Q_SIGNALS:
    void opened();
    void failed(const heddle::ui::Problem& problem);
    /// A record that somebody asked for is not what was written; told once a database, for the first one that is met.
    void damaged(const heddle::ui::Problem& problem);
    /// Somebody committed something: time to ask again for what is shown.
    void changed();
    /// Rows of runs() or trashedRuns() are others now: added, gone, or changed in more than what progressed() tells.
    void runsChanged();
    /// Runs of runs() are further than they were (step, epoch, seconds): about once a second while one trains.
    void progressed();

private:
    friend class FeedReader;
    using Reading = std::function<std::function<void()>(storage::RunQuery&)>;
    struct News {
        std::vector<storage::RunRecord> runs;
        std::vector<std::string> gone;
    };
    void start(QObject* context, Reading reading);
    void take(News news);
    bool takeProgress(std::vector<storage::RunRecord>& news);
    void takeRuns(News news);

    QThread thread_;
    FeedReader* reader_;  ///< lives on thread_
    QString file_, notice_;
    int generation_ = 0;  ///< counts databases opened
    std::vector<storage::RunRecord> runs_, trashed_;
};

/// One question at a time: asked again while one is on its way, it is asked once more when the answer is there.
class Refresh {
public:
    /// `ask` starts the question; done() must be called when its answer is there.
    explicit Refresh(std::function<void()> ask) : ask_(std::move(ask)) {}
    void request();
    void done();

private:
    std::function<void()> ask_;
    bool busy_ = false, again_ = false;
};

}  // namespace heddle::ui
