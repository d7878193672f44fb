// SPDX-License-Identifier: Apache-2.0
#include "storage/series_codec.h"

#include "storage/records.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::storage {

namespace {

constexpr std::size_t kEntryBytes = 14;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Accumulates in double, so that the means of a level do not depend on rounded values of the level below.
struct Tally {
    float minimum = kNaN, maximum = kNaN;
    double sum = 0;
    std::int64_t finite = 0;

    void add(float value) {
        if (std::isnan(value)) return;
        if (!(value >= minimum)) minimum = value;  // also true for the first value
        if (!(value <= maximum)) maximum = value;
        if (std::isinf(value)) return;
        sum += value;
        ++finite;
    }
    void add(const Tally& other) {
        if (!std::isnan(other.minimum)) {
            if (!(other.minimum >= minimum)) minimum = other.minimum;
            if (!(other.maximum <= maximum)) maximum = other.maximum;
        }
        sum += other.sum;
        finite += other.finite;
    }
    Summary summary() const {
        float mean = finite > 0 ? static_cast<float>(sum / static_cast<double>(finite)) : kNaN;
        return {minimum, maximum, mean, static_cast<std::uint16_t>(finite)};
    }
};

std::int64_t entriesOf(std::int64_t n) { return (n + kFanOut - 1) / kFanOut; }

}  // namespace

Levels summarise(std::span<const float> values) {
    Levels levels;
    std::vector<Tally> below;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % kFanOut == 0) below.emplace_back();
        below.back().add(values[i]);
    }
    for (;;) {
        auto& level = levels.emplace_back();
        for (const Tally& tally : below) level.push_back(tally.summary());
        if (below.size() <= 1) return levels;
        std::vector<Tally> above;
        for (std::size_t i = 0; i < below.size(); ++i) {
            if (i % kFanOut == 0) above.emplace_back();
            above.back().add(below[i]);
        }
        below = std::move(above);
    }
}

Summary summaryOf(std::span<const float> values) {
    Tally tally;
    for (float value : values) tally.add(value);
    return tally.summary();
}

Blob packLevels(const Levels& levels) {
    Blob blob;
    for (const auto& level : levels)
        for (const Summary& entry : level) {
            std::size_t at = blob.size();
            blob.resize(at + kEntryBytes);
            std::memcpy(&blob[at], &entry.minimum, 4);
            std::memcpy(&blob[at + 4], &entry.maximum, 4);
            std::memcpy(&blob[at + 8], &entry.mean, 4);
            std::memcpy(&blob[at + 12], &entry.finite, 2);
        }
    return blob;
}

Levels unpackLevels(Bytes blob, std::int64_t n) {
    Levels levels;
    std::size_t at = 0;
    for (std::int64_t entries = entriesOf(n);; entries = entriesOf(entries)) {
        if (blob.size() - at < static_cast<std::size_t>(entries) * kEntryBytes)
            throw StorageError(StorageError::Kind::Corrupt, "the pyramid of a chunk is damaged", "",
                               "its values are shown as a gap");
        auto& level = levels.emplace_back(static_cast<std::size_t>(entries));
        for (Summary& entry : level) {
            std::memcpy(&entry.minimum, &blob[at], 4);
            std::memcpy(&entry.maximum, &blob[at + 4], 4);
            std::memcpy(&entry.mean, &blob[at + 8], 4);
            std::memcpy(&entry.finite, &blob[at + 12], 2);
            at += kEntryBytes;
        }
        if (entries <= 1) return levels;
    }
}

}  // namespace heddle::storage
