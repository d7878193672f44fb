// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/chunk.h"
#include "storage/connection.h"
#include "storage/damage_list.h"
#include "storage/run_query.h"

#include <string>
#include <vector>

namespace heddle::storage {

/// A row of table series: the part of a curve stored by one attempt.
struct SeriesRow {
    std::int64_t number = 0, attempt = 0, firstStep = 0, lastStep = 0, chunks = 0;
    bool isWhole = true;
};

struct Curve {
    std::string run, name, path;
};

/// Reads one curve with all its attempts. Use within a ReadTransaction.
class SeriesReader {
public:
    struct Range {
        std::int64_t from, to;  ///< inclusive
        bool empty() const { return from > to; }
    };
    using Point = RunQuery::Point;
    using Bucket = RunQuery::Bucket;

    /// `rows`: the curve's rows of table series, newest attempt first.
    SeriesReader(Connection& connection, DamageList& damages, const std::vector<SeriesRow>& rows, Curve curve);

    std::vector<Point> points(Range range);  ///< newest attempt per step
    std::vector<Point> pointsOfAttempt(std::int64_t attempt, Range range);
    std::vector<Bucket> overview(Range range, std::int64_t buckets);

private:
    /// The part of the curve stored by one attempt.
    struct Part {
        std::int64_t series, attempt, chunks;
        Range steps;
    };
    class Buckets;

    std::vector<Point> pointsOf(const Part& part, Range range);
    void summariseInto(Buckets& buckets, const Part& part, Range range);
    void summariseChunk(Buckets& buckets, const Part& part, const ChunkRow& row, const Levels* levels, Range range);
    std::optional<std::vector<float>> values(const Part& part, const ChunkRow& row);
    void checkChunks(const Part& part);
    std::string nameOf(std::int64_t attempt) const;
    void report(const Part& part, const ChunkRow& row);

    Connection& connection_;
    DamageList& damages_;
    Curve curve_;
    std::vector<Part> parts_;  ///< newest attempt first
};

}  // namespace heddle::storage
