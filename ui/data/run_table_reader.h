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
    enum class Of { Open, Current };
    RunTableReader(Databases& databases, Of of, QObject* parent);

    const std::shared_ptr<const RunTable>& table() const { return table_; }
    /// Every run is in the table, as far as is known.
    bool isWhole() const { return hasRead_ && due_.empty() && std::int64_t(table_->runs.size()) >= table_->total; }
    bool isIdle() const { return due_.empty() && reading_.isIdle(); }
    /// Reads only while active; what changes in between is read when it is active again.
    void setActive(bool active);

Q_SIGNALS:
    void changed();
    /// Other databases are read, from the beginning: the table is empty.
    void restarted();
    /// Reported once until the database can be read again.
    void failed(const heddle::ui::Problem& problem);

private:
    void restart();
    void readNext();
    void take(Result<FactsReader::Answer> answer);

    Databases& databases_;
    Of of_;
    std::shared_ptr<FactsReader> reader_;
    std::shared_ptr<const RunTable> table_ = std::make_shared<RunTable>();
    std::set<int> due_;  ///< databases with something to read
    int asked_ = 0;      ///< the database that is read
    bool isActive_ = false;
    bool hasRead_ = false;  ///< since it began anew, or there is nothing to read
    ToldOnce told_;
    Query<FactsReader::Answer> reading_;
};

}  // namespace heddle::ui
