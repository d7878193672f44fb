// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps each recorded series that the page draws as one growing Series. New rows are read in slices, so that a million of them
// never hold the reader thread for long; a resumed attempt replaces the steps that it runs again.
#pragma once

#include "ui/data/query.h"
#include "ui/plot/series.h"

#include <map>
#include <string>
#include <vector>

namespace heddle::ui {

struct SeriesId {
    RunRef run;
    std::string name, path;
    double factor = 1;  ///< stored values are multiplied by it
    auto operator<=>(const SeriesId&) const = default;
};

/// How far one series is read.
struct SeriesState {
    std::shared_ptr<const Series> rows = std::make_shared<Series>();
    std::shared_ptr<const Series> settled = rows;  ///< the part that the newest attempt cannot replace
    std::int64_t attempt = 0, boundary = 0;        ///< the newest attempt and the step that it began at
    std::int64_t tailAttempt = 0;                  ///< the attempt that wrote the last row
    int generation = 0;                            ///< counts how often rows were replaced, not only added
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
    /// Never null.
    std::shared_ptr<const Series> rows(const SeriesId& id) const;
    /// Differs from call to call if rows were replaced in between.
    int generation(const SeriesId& id) const;

Q_SIGNALS:
    /// Rows of some series were added or replaced.
    void changed();
    /// Rows could not be read; those that were read before stay.
    void failed(const heddle::ui::Problem& problem);

private:
    Query::Request nextRequest();
    void tell(const Problem& problem);

    std::map<SeriesId, SeriesState> states_;
    std::map<SeriesId, bool> due_;
    Query* query_;
    int asked_ = 0;  ///< the database that is read
    ToldOnce told_;
};

}  // namespace heddle::ui
