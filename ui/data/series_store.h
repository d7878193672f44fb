// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps each recorded series that the page draws as one growing Series. New rows are read in slices, so that a million of them
// never hold the reader thread for long; a resumed attempt replaces the steps that it runs again.
#pragma once

#include "ui/data/databases.h"
#include "ui/plot/series.h"
#include "ui/threads/query.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace heddle::ui {

struct SeriesId {
    /// Rows: as recorded, one by one. Means: of about 2,000 stretches of steps, which cost the same however long the run is.
    /// Evaluations: the metric "valid.loss".
    enum class Source { Rows, Means, Evaluations };
    RunRef run;
    std::string name, path;
    double factor = 1;  ///< stored values are multiplied by it
    Source source = Source::Rows;
    auto operator<=>(const SeriesId&) const = default;
};

/// How far one series is read.
struct SeriesState {
    std::shared_ptr<const Series> rows = std::make_shared<Series>();
    std::shared_ptr<const Series> settled = rows;  ///< the part that the newest attempt cannot replace
    std::int64_t attempt = 0, boundary = 0;        ///< the newest attempt and the step that it began at
    std::int64_t tailAttempt = 0;                  ///< the attempt that wrote the last row
    int generation = 0;                            ///< counts how often rows were replaced, not only added
    std::int64_t revision = 0;                     ///< of the database, up to which evaluations are read
    bool complete = false;                         ///< no more rows were stored when it was read
};

/// Rows that are read at a time.
inline constexpr std::int64_t kSeriesSlice = 100'000;

/// Reads about one slice at the most, from where `known` ends. On the reader thread.
SeriesState readOn(storage::RunQuery& query, const SeriesId& id, SeriesState known,
                   const std::vector<storage::AttemptRecord>& attempts);

class SeriesStore : public QObject {
    Q_OBJECT

public:
    explicit SeriesStore(Databases& databases, QObject* parent);

    /// Sets the series that are kept; others are forgotten.
    void setWanted(const std::vector<SeriesId>& wanted);
    /// Reads new rows until there are no more.
    void refresh();
    /// Nothing is being read.
    bool isIdle() const { return due_.empty() && asked_ == 0; }
    /// Never null.
    std::shared_ptr<const Series> rows(const SeriesId& id) const;
    /// Differs from call to call if rows were replaced in between.
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
    int asked_ = 0;  ///< the database that is read; 0: none
    ToldOnce told_;
};

}  // namespace heddle::ui
