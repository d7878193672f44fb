// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the details of the runs that a page shows and keeps them up to date.
#pragma once

#include "ui/data/databases.h"
#include "ui/data/run_detail.h"
#include "ui/threads/query.h"

#include <QTimer>

#include <set>

namespace heddle::ui {

class RunDetails : public QObject {
    Q_OBJECT

public:
    RunDetails(Databases& databases, QObject* parent);

    /// Sets the runs whose details are kept; those of others are removed.
    void setRuns(const std::vector<RunRef>& runs);
    /// Reads the runs that may have changed: the active ones, and those whose row has changed.
    void refresh();
    /// The same for frequent changes: reads at most every two seconds and for at most a fiftieth of the time. The last change
    /// is always read, somewhat later. Details that were never read are read at once.
    void refreshThrottled();
    /// Null until it was read.
    std::shared_ptr<const RunDetail> of(const RunRef& run) const;

Q_SIGNALS:
    void changed();
    /// The details of a run could not be read.
    void failed(const heddle::ui::Problem& problem);

private:
    struct Reading {
        std::shared_ptr<const RunDetail> detail;
        double ms = 0;
    };
    void readNext();
    void take(Result<Reading> reading);
    bool isDue(const RunRef& run) const;

    Databases& databases_;
    std::map<RunRef, std::shared_ptr<const RunDetail>> details_;
    std::set<RunRef> due_;
    Query<Reading> query_;
    RunRef reading_;  ///< the run that is being read
    ReportedProblems reported_;
    QTimer pause_;          ///< since the last refresh
    bool isStale_ = false;  ///< there were changes since then
    double readingMs_ = 0;  ///< of the last reading of one run; it grows with the number of snapshots
};

}  // namespace heddle::ui
