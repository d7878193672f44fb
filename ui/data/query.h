// SPDX-License-Identifier: GPL-3.0-or-later
// Reads from a database, one request at a time, and once more if something changed meanwhile. Survives a damaged record, which
// the asker is told, and a database that is closed.
#pragma once

#include "ui/data/databases.h"
#include "ui/data/refresh.h"

#include <QHash>

#include <functional>
#include <utility>

namespace heddle::ui {

/// Reports a problem of a read once, not at every poll. After a read that succeeds it is reported again.
class ToldOnce {
public:
    /// Whether the problem of this subject, a run or a database, was not reported yet.
    bool isNew(const QString& subject, const Problem& problem) {
        return std::exchange(told_[subject], problem.what) != problem.what;
    }
    void succeeded(const QString& subject) { told_.remove(subject); }

private:
    QHash<QString, QString> told_;
};

class Query : public QObject {
    Q_OBJECT

public:
    using Apply = std::function<void()>;
    /// Runs on the reader thread and returns what is then called on the GUI thread.
    using Read = std::function<Apply(storage::RunQuery&)>;
    /// What is read from which database.
    struct Request {
        int database = 0;
        Read read = {};
    };

    /// All are called on the GUI thread. `next` returns the request that is due; an empty Read: none is. `failed` is told why a
    /// request has no result; what is shown must not stay as if it were that result.
    Query(Databases& databases, std::function<Request()> next, std::function<void(const Problem&)> failed, QObject* parent);

    /// Reads now; while a read is under way, once more after it.
    void request() { refresh_.request(); }
    /// Drops the answer and the failure of the read under way: what it was about is not shown any more.
    void drop();
    bool isIdle() const { return reading_ == 0; }

private:
    void start();

    Databases& databases_;
    std::function<Request()> next_;
    std::function<void(const Problem&)> failed_;
    Refresh refresh_;
    int reading_ = 0;     ///< the database that is read; 0: none
    int generation_ = 0;  ///< counts dropped reads: their results are not taken
};

}  // namespace heddle::ui
