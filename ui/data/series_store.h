// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps each recorded series that a page draws as one growing Series. New rows are read in slices, so that many rows do not
// occupy the reader thread for long. A resumed attempt replaces the steps that it repeats.
#pragma once

#include "ui/data/databases.h"
#include "ui/plot/series.h"
#include "ui/threads/query.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::ui {

struct SeriesId {
    /// Rows: all recorded rows. Means: means of about 2,000 intervals of steps; their cost does not depend on the length of the
    /// run. Evaluations: a metric, such as "valid.loss".
    enum class Source { Rows, Means, Evaluations };
    RunRef run;
    std::string name, path;
    double factor = 1;  ///< stored values are multiplied by it
    Source source = Source::Rows;
    auto operator<=>(const SeriesId&) const = default;
};

/// Up to where one series is read.
struct SeriesState {
    std::shared_ptr<const Series> rows = std::make_shared<Series>();
    std::shared_ptr<const Series> settled = rows;  ///< the rows that the newest attempt cannot replace
    std::int64_t attempt = 0, boundary = 0;        ///< the newest attempt and the step that it began at
    std::int64_t tailAttempt = 0;                  ///< the attempt that wrote the last row
    int generation = 0;                            ///< counts replacements of rows; rows that are added do not count
    std::int64_t revision = 0;                     ///< of the database up to which evaluations are read
    bool complete = false;                         ///< all rows that were stored at the last read are read
};

/// Rows that are read at a time.
inline constexpr std::int64_t kSeriesSlice = 100'000;

/// Reads at most about one slice, from the end of `known`. On the reader thread.
SeriesState readOn(storage::RunQuery& query, const SeriesId& id, SeriesState known,
                   const std::vector<storage::AttemptRecord>& attempts);

/// Mean of the recorded seconds of the 200 steps up to `step`; not every step must be recorded. Nothing where fewer than two
/// are finite. Throws StorageError.
std::optional<double> secondsPerStep(storage::RunQuery& query, const std::string& run, std::int64_t step);

class SeriesStore : public QObject {
    Q_OBJECT

public:
    explicit SeriesStore(Databases& databases, QObject* parent);

    /// Sets the series that are kept; others are removed.
    void setWanted(const std::vector<SeriesId>& wanted);
    /// Reads new rows until there are no more.
    void refresh();
    /// Nothing is being read.
    bool isIdle() const { return due_.empty() && current_ == 0; }
    /// Never null.
    std::shared_ptr<const Series> rows(const SeriesId& id) const;
    /// Changes when rows were replaced.
    int generation(const SeriesId& id) const;

Q_SIGNALS:
    /// Rows of some series were added or replaced.
    void changed();
    /// Everything that was due is read, or could not be.
    void settled();
    /// Rows could not be read; those that were read before stay.
    void failed(const heddle::ui::Problem& problem);

private:
    using States = std::vector<std::pair<SeriesId, SeriesState>>;
    void readNext();
    void take(Result<States> news);

    Databases& databases_;
    std::map<SeriesId, SeriesState> states_;
    std::set<SeriesId> due_;  ///< of states_
    Query<States> query_;
    int current_ = 0;  ///< the database that is being read; 0: none
    ReportedProblems reported_;
};

}  // namespace heddle::ui
