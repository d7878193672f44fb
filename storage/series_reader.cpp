// SPDX-License-Identifier: Apache-2.0
#include "storage/series_reader.h"

#include "storage/record_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace heddle::storage {

namespace {

using Range = SeriesReader::Range;

Range intersect(Range a, Range b) { return {std::max(a.from, b.from), std::min(a.to, b.to)}; }

/// Indices [begin, end) of a chunk's values whose steps are in `range`.
struct Indices {
    std::int64_t begin, end;
};
Indices indicesIn(const ChunkRow& row, Range range) {
    Range inside = intersect({row.firstStep, row.lastStep()}, range);
    if (inside.empty()) return {0, 0};
    return {(inside.from - row.firstStep + row.stride - 1) / row.stride, (inside.to - row.firstStep) / row.stride + 1};
}

/// From the chunk that contains `from`, or the next one, to the last one that starts at or before `to`.
constexpr const char* kChunksInRange =
    " FROM chunk WHERE series = ?1 AND first_step <= ?3 AND first_step >= ifnull((SELECT max(first_step) FROM chunk"
    " WHERE series = ?1 AND first_step <= ?2), ?2) ORDER BY first_step";
const std::string kWithData = std::string("SELECT id, first_step, stride, n, data_checksum, data") + kChunksInRange;
const std::string kWithLevels = std::string("SELECT id, first_step, stride, n, levels_checksum, levels") + kChunksInRange;

ChunkRow rowOf(const Query& rows, std::int64_t series) {
    return {rows.integer(0), series, rows.integer(1), rows.integer(2), rows.integer(3)};
}

}  // namespace

/// Buckets of equal width in steps, accumulated in double.
class SeriesReader::Buckets {
public:
    Buckets(Range range, std::int64_t count) : range_(range) {
        std::int64_t steps = range.to - range.from + 1;
        width_ = (steps + count - 1) / count;
        tallies_.resize(static_cast<std::size_t>((steps + width_ - 1) / width_));
        current_ = tallies_.data();
    }
    std::int64_t width() const { return width_; }

    void add(Range steps, const Summary& summary, std::int64_t n) {
        std::int64_t at = steps.from - range_.from;
        if (at < start_ || at >= start_ + width_) {
            start_ = at / width_ * width_;
            current_ = &tallies_[static_cast<std::size_t>(at / width_)];
        }
        Tally& tally = *current_;
        if (tally.n == 0) tally.bucket = {steps.from, steps.to, summary.minimum, summary.maximum, 0, 0};
        Bucket& bucket = tally.bucket;
        bucket.firstStep = std::min(bucket.firstStep, steps.from);
        bucket.lastStep = std::max(bucket.lastStep, steps.to);
        if (!(bucket.minimum <= summary.minimum) && !std::isnan(summary.minimum)) bucket.minimum = summary.minimum;
        if (!(bucket.maximum >= summary.maximum) && !std::isnan(summary.maximum)) bucket.maximum = summary.maximum;
        if (summary.finite > 0) tally.sum += static_cast<double>(summary.mean) * summary.finite;
        tally.finite += summary.finite;
        tally.n += n;
    }
    std::vector<Bucket> result() const {
        std::vector<Bucket> buckets;
        for (const Tally& tally : tallies_) {
            if (tally.n == 0) continue;
            Bucket& bucket = buckets.emplace_back(tally.bucket);
            bucket.n = tally.n;
            bucket.mean =
                tally.finite > 0 ? tally.sum / static_cast<double>(tally.finite) : std::numeric_limits<double>::quiet_NaN();
        }
        return buckets;
    }

private:
    struct Tally {
        Bucket bucket{};
        double sum = 0;
        std::int64_t finite = 0, n = 0;
    };
    Range range_;
    std::int64_t width_ = 1;
    std::vector<Tally> tallies_;
    // The bucket of the previous value. Steps come in order, and a division per value would dominate the cost.
    std::int64_t start_ = 0;
    Tally* current_ = nullptr;
};

SeriesReader::SeriesReader(Connection& connection, DamageList& damages, const std::vector<SeriesRow>& rows, Curve curve)
    : connection_(connection), damages_(damages), curve_(std::move(curve)) {
    for (const SeriesRow& row : rows) {
        if (!row.isWhole) {
            damages_.add(curve_.run,
                         fmt::format("the row of a series is damaged ({}): its values are not shown", nameOf(row.attempt)));
            continue;
        }
        Range steps = intersect({row.firstStep, row.lastStep}, {-kLargestStep, 2 * kLargestStep});
        parts_.push_back({row.number, row.attempt, row.chunks, steps});
        checkChunks(parts_.back());
    }
}

/// Reports chunks that the index has lost or lists under wrong steps; they would be unnoticed gaps.
void SeriesReader::checkChunks(const Part& part) {
    Query row = connection_.query(
        "SELECT count(DISTINCT i.first_step), ifnull(sum(c.series <> i.series OR c.first_step <> i.first_step), 0)"
        " FROM chunk AS i CROSS JOIN chunk AS c ON c.id = i.id WHERE i.series = ?");
    if (!row.with(part.series).next() || (row.integer(0) == part.chunks && row.integer(1) == 0)) return;
    damages_.add(curve_.run, fmt::format("{} chunks of {} are recorded, {} can be found: gaps", part.chunks,
                                         nameOf(part.attempt), row.integer(0) - row.integer(1)));
}

std::string SeriesReader::nameOf(std::int64_t attempt) const {
    return fmt::format("run {}, {}{}{}, attempt {}", curve_.run, curve_.name, curve_.path.empty() ? "" : " of ", curve_.path,
                       attempt);
}

std::vector<SeriesReader::Point> SeriesReader::points(Range range) {
    std::vector<Point> newest;
    for (const Part& part : parts_) {
        std::vector<Point> older = pointsOf(part, range), merged;
        merged.reserve(newest.size() + older.size());
        // For equal steps, std::set_union takes the first range's element.
        std::set_union(newest.begin(), newest.end(), older.begin(), older.end(), std::back_inserter(merged),
                       [](const Point& a, const Point& b) { return a.step < b.step; });
        newest = std::move(merged);
    }
    return newest;
}

std::vector<SeriesReader::Point> SeriesReader::pointsOfAttempt(std::int64_t attempt, Range range) {
    for (const Part& part : parts_)
        if (part.attempt == attempt) return pointsOf(part, range);
    return {};
}

std::vector<SeriesReader::Point> SeriesReader::pointsOf(const Part& part, Range range) {
    std::vector<Point> points;
    range = intersect(range, part.steps);
    if (range.empty()) return points;
    Query rows = connection_.query(kWithData);
    rows.with(part.series, range.from, range.to);
    while (rows.next()) {
        ChunkRow row = rowOf(rows, part.series);
        auto decoded = decodeData(row, rows.integer(4), rows.blob(5));
        if (!decoded) {
            report(part, row);
            continue;
        }
        Indices in = indicesIn(row, range);
        for (std::int64_t i = in.begin; i < in.end; ++i)
            points.push_back({row.firstStep + i * row.stride, (*decoded)[static_cast<std::size_t>(i)], part.attempt});
    }
    return points;
}

/// Uses the pyramid for steps of a single attempt. Where attempts overlap (steps replayed after a resume) it merges the stored
/// points, so that extremes equal those of points().
std::vector<SeriesReader::Bucket> SeriesReader::overview(Range range, std::int64_t buckets) {
    Range all{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    std::vector<std::int64_t> borders;
    for (const Part& part : parts_) {
        all = {std::min(all.from, part.steps.from), std::max(all.to, part.steps.to)};
        borders.insert(borders.end(), {part.steps.from, part.steps.to + 1});
    }
    range = intersect(range, all);
    if (range.empty() || buckets <= 0) return {};
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());

    Buckets tallies(range, buckets);
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
        Range stretch = intersect({borders[i], borders[i + 1] - 1}, range);
        if (stretch.empty()) continue;
        std::vector<const Part*> there;
        for (const Part& part : parts_)
            if (!intersect(part.steps, stretch).empty()) there.push_back(&part);
        if (there.size() == 1) summariseInto(tallies, *there[0], stretch);
        if (there.size() > 1)
            for (const Point& point : points(stretch))
                tallies.add({point.step, point.step}, summaryOf(std::span(&point.value, 1)), 1);
    }
    return tallies.result();
}

void SeriesReader::summariseInto(Buckets& buckets, const Part& part, Range range) {
    Query rows = connection_.query(kWithLevels);
    rows.with(part.series, range.from, range.to);
    while (rows.next()) {
        ChunkRow row = rowOf(rows, part.series);
        if (!row.isPlausible()) {
            report(part, row);
            continue;
        }
        auto levels = decodeLevels(row, rows.integer(4), rows.blob(5));
        summariseChunk(buckets, part, row, levels ? &*levels : nullptr, range);
    }
}

/// Uses the coarsest level of which two entries fit into a bucket; single values at the ends of the range, where no level is
/// fine enough, and where the pyramid is damaged (null).
void SeriesReader::summariseChunk(Buckets& buckets, const Part& part, const ChunkRow& row, const Levels* levels, Range range) {
    Indices in = indicesIn(row, range);
    auto stepOf = [&](std::int64_t i) { return row.firstStep + i * row.stride; };
    std::int64_t span = 1;
    const std::vector<Summary>* level = nullptr;
    if (levels)
        for (const auto& coarser : *levels) {
            if (2 * span * kFanOut * row.stride > buckets.width()) break;
            span *= kFanOut;
            level = &coarser;
        }
    std::int64_t first = in.end, last = in.end;  // [first, last) come from the pyramid
    if (level) {
        first = std::min(in.end, (in.begin + span - 1) / span * span);
        last = in.end == row.n ? in.end : std::max(first, in.end / span * span);
    }
    auto addValues = [&](std::int64_t begin, std::int64_t end) {
        if (begin == end) return;
        auto raw = values(part, row);
        for (std::int64_t i = begin; raw && i < end; ++i)
            buckets.add({stepOf(i), stepOf(i)}, summaryOf(std::span(&(*raw)[static_cast<std::size_t>(i)], 1)), 1);
    };
    addValues(in.begin, first);
    for (std::int64_t i = first; i < last; i += span) {
        std::int64_t end = std::min(i + span, row.n);
        buckets.add({stepOf(i), stepOf(end - 1)}, (*level)[static_cast<std::size_t>(i / span)], end - i);
    }
    addValues(last, in.end);
}

std::optional<std::vector<float>> SeriesReader::values(const Part& part, const ChunkRow& row) {
    Query data = connection_.query("SELECT data_checksum, data FROM chunk WHERE id = ?");
    std::optional<std::vector<float>> decoded;
    if (data.with(row.id).next()) decoded = decodeData(row, data.integer(0), data.blob(1));
    if (!decoded) report(part, row);
    return decoded;
}

void SeriesReader::report(const Part& part, const ChunkRow& row) {
    const std::int64_t lastStep = row.isPlausible() ? row.lastStep() : row.firstStep;
    damages_.add(curve_.run, fmt::format("{} values of {}, steps {} to {}, are damaged: shown as a gap", row.n,
                                         nameOf(part.attempt), row.firstStep, lastStep));
}

}  // namespace heddle::storage
