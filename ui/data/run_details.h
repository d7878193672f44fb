// SPDX-License-Identifier: GPL-3.0-or-later
// The details of the runs that the page draws, kept fresh.
#pragma once

#include "ui/data/query.h"
#include "ui/data/run_detail.h"

#include <set>

namespace heddle::ui {

class RunDetails : public QObject {
    Q_OBJECT

public:
    RunDetails(Databases& databases, QObject* parent);

    /// Sets the runs whose details are kept; others are forgotten.
    void setRuns(const std::vector<RunRef>& runs);
    /// Reads again the runs that may have changed: the active ones, and those whose row has changed.
    void refresh();
    /// Milliseconds that the last reading of one run took: it grows with the number of its snapshots.
    double readingMs() const { return readingMs_; }
    /// Null until it is read.
    std::shared_ptr<const RunDetail> of(const RunRef& run) const;

Q_SIGNALS:
    void changed();
    /// The details of a run could not be read.
    void failed(const heddle::ui::Problem& problem);

private:
    Query::Request nextRequest();
    void tell(const Problem& problem);
    bool isDue(const RunRef& run) const;

    Databases& databases_;
    std::map<RunRef, std::shared_ptr<const RunDetail>> details_;
    std::set<RunRef> due_;
    Query* query_;
    RunRef asked_;  ///< the run that is read
    ToldOnce told_;
    double readingMs_ = 0;
};

}  // namespace heddle::ui
