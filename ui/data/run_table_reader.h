// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the RunTable of a page up to date.
#pragma once

#include "ui/data/databases.h"
#include "ui/data/run_facts.h"
#include "ui/threads/query.h"

#include <set>

namespace heddle::ui {

class RunTableReader : public QObject {
    Q_OBJECT

public:
    /// Which databases are read: all that are open, or the current one.
    enum class Scope { Open, Current };
    RunTableReader(Databases& databases, Scope scope, QObject* parent);

    const std::shared_ptr<const RunTable>& table() const { return table_; }
    /// The table has every run of every readable database as of the last poll. changed() is emitted when this becomes true.
    bool isWhole() const { return hasRead_ && due_.empty(); }
    bool isIdle() const { return due_.empty() && reading_.isIdle(); }
    /// Reads only while active. When it becomes active, it tries to read all databases, also those that failed before.
    void setActive(bool active);

Q_SIGNALS:
    /// The table has changed or is now whole.
    void changed();
    /// Other databases are read; the table is empty.
    void restarted();
    /// Emitted once until the database can be read again.
    void failed(const heddle::ui::Problem& problem);

private:
    void restart();
    void readAll();
    void readNext();
    void take(Result<FactsReader::Answer> answer);

    Databases& databases_;
    Scope scope_;
    std::shared_ptr<FactsReader> reader_;
    std::shared_ptr<const RunTable> table_ = std::make_shared<RunTable>();
    std::set<int> due_;  ///< databases with something to read
    int current_ = 0;    ///< the database that is being read
    bool isActive_ = false;
    bool hasRead_ = false;  ///< since restart or activation all were read to their ends, or could not be read
    ReportedProblems reported_;
    Query<FactsReader::Answer> reading_;
};

}  // namespace heddle::ui
