// SPDX-License-Identifier: Apache-2.0
// Reads a project's database of Trackio (https://huggingface.co/docs/trackio/storage_schema): tables metrics and configs, whose
// values are JSON objects as text or blob. Storage reads rows and does not look into them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::storage {

struct TrackioRow {
    std::int64_t id = 0;    ///< of the row in its table
    std::string run, name;  ///< the run's id (its name in databases without ids) and name
    std::int64_t step = 0;  ///< of metrics
    double time = 0;        ///< Unix time; NaN where it cannot be read
    std::string values;     ///< JSON
};

enum class TrackioTable { Configs, Metrics };

/// Passes the rows of configs (of metrics) in their order; a database without configs has none. All are of one state of the
/// database. Throws StorageError NotFound, NotADatabase, Corrupt (a value that is too long or of a wrong type).
void readTrackio(const std::string& file, const std::function<void(TrackioTable, const TrackioRow&)>& take);

}  // namespace heddle::storage
