// SPDX-License-Identifier: GPL-3.0-or-later
// The rows that a curve is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace heddle::ui {

using Step = std::int64_t;

/// One stored row.
struct Row {
    Step step = 0;
    double value = 0;
};

/// Least, greatest and sum of a stretch of rows. Rows that are not finite are counted in `broken` and in no other number.
struct Bucket {
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double sum = 0;
    std::int64_t count = 0;
    std::int64_t broken = 0;

    bool empty() const { return count == 0; }
    double mean() const { return sum / double(count); }
    void add(double value);
    void add(const Bucket& other);
};

struct StepRange {
    Step first = 0, last = -1;  ///< both included; empty if last < first
    bool empty() const { return last < first; }
};

/// Rows of one series, ascending in step: sealed chunks of 4,096 with a ×16 pyramid of buckets, shared between copies, and an
/// open tail. Copying costs the tail and one pointer a chunk; a copy never changes when the original grows. Any thread may read
/// a series that no longer grows. A row takes 5.2 bytes where the rows of its chunk are evenly spaced, 13.2 elsewhere; beyond
/// 64 to 128 chunks the oldest move to the disk (fileMemory()), where each keeps all its rows and takes 0.2 bytes of memory a
/// row.
class Series {
public:
    static constexpr std::int64_t kChunk = 4096, kFan = 16;

    /// Appends a row. `step` must be above the last one (std::invalid_argument).
    void append(Step step, double value);

    std::int64_t size() const { return std::int64_t(chunks_.size()) * kChunk + std::int64_t(tail_.steps.size()); }
    StepRange range() const;
    /// out[i] = rows with edges[i] ≤ step < edges[i + 1]; out has one entry less than edges, which ascend.
    void buckets(std::span<const Step> edges, std::span<Bucket> out) const;
    /// The same for a picture: a column of 2 · kFan rows and more is made of whole buckets of the pyramid, so that its edges
    /// may be a quarter of it away. No row is lost or counted twice.
    void pictureBuckets(std::span<const Step> edges, std::span<Bucket> out) const;
    /// The rows of `steps` and their neighbours on both sides (so that a line can leave the picture), in order, at most
    /// `limit`.
    std::vector<Row> rows(StepRange steps, std::int64_t limit) const;
    std::int64_t count(StepRange steps) const;
    /// The stored row nearest to `step` (the earlier of two), or nothing when empty.
    std::optional<Row> nearest(double step) const;

    /// How far apart the rows are: the usual distance in the series, or the one before row `index` where that is larger (rows
    /// are thinned there). Of a single row its distance from step 0.
    Step spacing(std::int64_t index) const;
    /// The row of `step`, or the nearest one within the spacing. Nothing before the first row, behind the last one, or in a
    /// gap.
    std::optional<Row> recordedAt(Step step) const;
    /// The last row at or before `step`, unless the next one would have been due by then.
    std::optional<Row> lastBy(Step step) const;

    /// The memory of the rows, without those on the disk; what other series share is counted in full.
    std::size_t bytes() const;
    /// No other series, such as one that grew from this one, shares its chunks: they are freed with it.
    bool ownsRowsAlone() const;

    Row at(std::int64_t index) const;
    /// First row whose step is at least `step`; size() if there is none.
    std::int64_t lowerBound(Step step) const;
    /// Rows [begin, end) by index, from the coarsest buckets that fit.
    Bucket bucket(std::int64_t begin, std::int64_t end) const;

private:
    /// A bucket of kFan finite rows, small: a picture of many series reads all of them from far memory.
    struct Fan {
        float min, max;
        double sum;
    };
    struct Rows {
        std::span<const Step> steps;  ///< empty in a chunk whose rows are evenly spaced
        std::span<const float> values;
    };
    struct Chunk : Rows {
        std::span<const Fan> small;                 ///< of 16 rows; none where a row of the chunk is not finite
        std::shared_ptr<const std::byte[]> memory;  ///< of steps, values and small
        std::vector<Bucket> large;                  ///< of 256 rows
        Bucket whole;
        Step last = 0, apart = 0;  ///< apart: of any two neighbours; 0: they are not evenly spaced
        bool isOnDisk = false;

        /// The size of `memory`.
        std::size_t size() const { return steps.size_bytes() + small.size_bytes() + values.size_bytes(); }
        /// The same rows, copied to the start of `to`.
        void moveTo(std::shared_ptr<std::byte[]> to);
    };

    Rows rowsOf(std::int64_t chunk) const;
    std::int64_t lowerBoundIn(std::int64_t chunk, Step step) const;
    template <class Place>
    void bucketsAt(std::span<const Step> edges, std::span<Bucket> out, Place place) const;
    static void addFans(std::span<const Fan> fans, Bucket& out);
    void addWithin(std::int64_t chunk, std::int64_t begin, std::int64_t end, Bucket& out) const;
    void seal();
    void moveToDisk();

    std::vector<std::shared_ptr<const Chunk>> chunks_;
    std::size_t moved_ = 0;  ///< chunks, from the first on, that are on the disk or found no room there
    struct {
        std::vector<Step> steps;
        std::vector<float> values;
    } tail_;
};

/// A series for threads that read and a window that draws. A long series that the window's thread holds last is freed by
/// Pool::threads(): its memory belongs to the thread that read it, and freeing waits while that thread goes on reading.
std::shared_ptr<const Series> shared(Series series);

}  // namespace heddle::ui
