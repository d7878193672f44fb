// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/connection.h"

#include <compare>
#include <map>
#include <string>
#include <vector>

namespace heddle::storage {

/// Writes series. Each open series keeps the values of its unfinished chunk in memory. A commit writes only a small tail row,
/// which is merged into the unfinished chunk's row every kTailValues values, so that a live run of 20 series writes a few pages
/// per commit instead of all chunks. For readers a tail row is an ordinary chunk.
class SeriesWriter {
public:
    explicit SeriesWriter(Connection& connection) : connection_(connection) {}

    enum class Series { New, Known };
    /// `run` is the row number of the run; returns whether the series is new. Throws StorageError Invalid when steps do not
    /// increase, Corrupt when the series' row is damaged.
    Series append(std::int64_t run, const SeriesAppend& series, std::int64_t rev);
    /// Writes buffered values; call before COMMIT.
    void flush(std::int64_t rev);
    /// Drops the buffers; call after a rollback or a deletion, when they no longer match the database.
    void forget();

private:
    static constexpr std::int64_t kTailValues = 256;
    static constexpr std::size_t kOpenSeries = 1000;  // 16 KiB each

    struct Key {
        std::int64_t run, attempt;
        std::string name, path;
        auto operator<=>(const Key&) const = default;
    };
    /// The unfinished chunk: values[0 … stored) are in row `chunk`, the rest in row `tail` (0: no such row yet).
    struct Open {
        std::int64_t series = 0, points = 0, seriesFirst = 0, seriesLast = 0, chunks = 0;
        bool deterministic = true, changed = false, isNew = false;
        std::int64_t first = 0, stride = 1, stored = 0, chunk = 0, tail = 0;
        std::vector<float> values;

        std::int64_t size() const { return static_cast<std::int64_t>(values.size()); }
        void startChunk(std::int64_t step, std::int64_t newStride);
        bool adopt(std::int64_t step, std::int64_t newStride, std::int64_t count);
    };

    Open& find(std::int64_t run, const SeriesAppend& series, std::int64_t rev);
    void load(Open& open);
    void writeChunk(Open& open, std::int64_t rev);
    void removeRow(Open& open, std::int64_t& row);
    std::int64_t writeRow(Open& open, std::int64_t row, std::int64_t from, std::int64_t rev);

    Connection& connection_;
    std::map<Key, Open> open_;
    std::vector<Open*> changed_;
};

}  // namespace heddle::storage
