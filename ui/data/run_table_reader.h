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
    /// Every run of every database that can be read is in the table, as far as is known. changed() follows when it becomes so.
    bool isWhole() const { return hasRead_ && due_.empty(); }
    bool isIdle() const { return due_.empty() && reading_.isIdle(); }
    /// Reads only while active. When it becomes active it reads all databases on, also those that could not be read before.
    void setActive(bool active);

Q_SIGNALS:
    /// The table is another, or whole now.
    void changed();
    /// Other databases are read, from the beginning: the table is empty.
    void restarted();
    /// Reported once until the database can be read again.
    void failed(const heddle::ui::Problem& problem);

private:
    void restart();
    void readAll();
    void readNext();
    void take(Result<FactsReader::Answer> answer);

    Databases& databases_;
    Of of_;
    std::shared_ptr<FactsReader> reader_;
    std::shared_ptr<const RunTable> table_ = std::make_shared<RunTable>();
    std::set<int> due_;  ///< databases with something to read
    int asked_ = 0;      ///< the database that is read
    bool isActive_ = false;
    bool hasRead_ = false;  ///< all were read to their ends, or could not be, since it began anew or became active
    ToldOnce told_;
    Query<FactsReader::Answer> reading_;
};

}  // namespace heddle::ui
