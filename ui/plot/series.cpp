// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/series.h"

#include "ui/threads/ask.h"

#include <QCoreApplication>
#include <QThread>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace heddle::ui {
namespace {

/// Maps `size` bytes on the disk for the rows of a long run, so that the memory of the process does not grow with the run. They
/// are in an unnamed file in $TMPDIR, else /var/tmp, which is deleted with the pointer or the process. Null if the system has
/// no unnamed files or the disk has no space. Any thread.
std::shared_ptr<std::byte[]> fileMemory(std::size_t size) {
    const char* const named = std::getenv("TMPDIR");
    const int file = ::open(named ? named : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return nullptr;
    // Space is reserved now: a write to a mapped page without space on the disk would end the process.
    void* const mapped = ::posix_fallocate(file, 0, off_t(size)) == 0
                             ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                             : MAP_FAILED;
    ::close(file);
    if (mapped == MAP_FAILED) return nullptr;
    return {static_cast<std::byte*>(mapped), [size](std::byte* bytes) { ::munmap(bytes, size); }};
}

/// Tells the system that the bytes will not be read for a while: their pages are written and removed from memory.
void letGo(std::byte* bytes, std::size_t size) { ::madvise(bytes, size, MADV_PAGEOUT); }

constexpr std::size_t kMoved = 64;  ///< chunks that move to the disk at a time: 1.3 MB of evenly spaced rows

}  // namespace

void Bucket::add(double value) {
    if (!std::isfinite(value)) {
        ++broken;
        return;
    }
    min = std::min(min, value);
    max = std::max(max, value);
    sum += value;
    ++count;
}

void Bucket::add(const Bucket& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    sum += other.sum;
    count += other.count;
    broken += other.broken;
}

namespace {

/// Bucket::add() of each, with the sums at hand.
void addRows(std::span<const float> values, Bucket& out) {
    Bucket sums = out;
    for (const float value : values) {
        const bool isFinite = std::isfinite(value);
        sums.min = value < sums.min && isFinite ? value : sums.min;
        sums.max = value > sums.max && isFinite ? value : sums.max;
        sums.sum += isFinite ? double(value) : 0;
        sums.count += isFinite;
    }
    sums.broken += std::int64_t(values.size()) - (sums.count - out.count);
    out = sums;
}

}  // namespace

void Series::append(Step step, double value) {
    if (size() > 0 && step <= range().last) throw std::invalid_argument("series: steps must ascend");
    tail_.steps.push_back(step);
    tail_.values.push_back(float(value));
    if (std::int64_t(tail_.steps.size()) == kChunk) seal();
}

void Series::Chunk::moveTo(std::shared_ptr<std::byte[]> to) {
    std::byte* place = to.get();
    const auto move = [&place]<class T>(std::span<const T>& from) {
        const auto bytes = std::as_bytes(from);
        std::copy(bytes.begin(), bytes.end(), place);
        from = {reinterpret_cast<const T*>(place), from.size()};
        place += bytes.size();
    };
    move(steps);  // the widest first: each begins where its type may lie
    move(small);
    move(values);
    memory = std::move(to);
}

void Series::seal() {
    auto chunk = std::make_shared<Chunk>();
    chunk->steps = tail_.steps;
    chunk->values = tail_.values;
    std::vector<Bucket> small(std::size_t(kChunk / kFan));
    chunk->large.resize(std::size_t(kChunk / kFan / kFan));
    for (std::size_t i = 0; i < chunk->values.size(); ++i) small[i / kFan].add(chunk->values[i]);
    for (std::size_t i = 0; i < small.size(); ++i) chunk->large[i / kFan].add(small[i]);
    for (const Bucket& bucket : chunk->large) chunk->whole.add(bucket);
    std::vector<Fan> fans;
    if (chunk->whole.broken == 0)
        for (const Bucket& bucket : small) fans.push_back({float(bucket.min), float(bucket.max), bucket.sum});
    chunk->small = fans;
    const std::vector<Step>& steps = tail_.steps;
    chunk->last = steps.back();
    const auto uneven = std::adjacent_find(steps.begin(), steps.end(),
                                           [apart = steps[1] - steps[0]](Step a, Step b) { return b - a != apart; });
    chunk->apart = uneven == steps.end() ? steps[1] - steps[0] : 0;
    if (chunk->apart > 0) chunk->steps = {};  // two numbers say them all
    chunk->moveTo(std::make_shared<std::byte[]>(chunk->size()));
    chunks_.push_back(std::move(chunk));
    tail_ = {};
    if (chunks_.size() - moved_ == 2 * kMoved) moveToDisk();
}

/// The first half of the chunks in memory. Where the disk has no room they stay where they are.
void Series::moveToDisk() {
    const std::span<std::shared_ptr<const Chunk>> moved = std::span(chunks_).subspan(moved_, kMoved);
    const std::size_t size = std::accumulate(moved.begin(), moved.end(), std::size_t(0),
                                             [](std::size_t sum, const auto& chunk) { return sum + chunk->size(); });
    const std::shared_ptr<std::byte[]> disk = fileMemory(size);
    moved_ += kMoved;
    if (!disk) return;
    std::byte* place = disk.get();
    for (std::shared_ptr<const Chunk>& chunk : moved) {
        auto copy = std::make_shared<Chunk>(*chunk);
        copy->moveTo({disk, place});
        copy->isOnDisk = true;
        place += copy->size();
        chunk = std::move(copy);
    }
    letGo(disk.get(), size);
}

Series::Rows Series::rowsOf(std::int64_t chunk) const {
    return chunk < std::int64_t(chunks_.size()) ? Rows(*chunks_[std::size_t(chunk)]) : Rows{tail_.steps, tail_.values};
}

StepRange Series::range() const {
    if (size() == 0) return {};
    return {at(0).step, at(size() - 1).step};
}

Row Series::at(std::int64_t index) const {
    const std::int64_t place = index % kChunk;
    const Rows rows = rowsOf(index / kChunk);
    const float value = rows.values[std::size_t(place)];
    if (!rows.steps.empty()) return {rows.steps[std::size_t(place)], value};
    const Chunk& chunk = *chunks_[std::size_t(index / kChunk)];
    return {chunk.last - (kChunk - 1 - place) * chunk.apart, value};
}

std::int64_t Series::lowerBound(Step step) const {
    const auto after =
        std::partition_point(chunks_.begin(), chunks_.end(), [step](const auto& chunk) { return chunk->last < step; });
    return lowerBoundIn(after - chunks_.begin(), step);
}

/// `step` is at most the chunk's last one. Of evenly spaced rows, which are most, no row is touched: in a picture of many
/// series each would be fetched from far memory.
std::int64_t Series::lowerBoundIn(std::int64_t index, Step step) const {
    if (index < std::int64_t(chunks_.size())) {
        const Chunk& chunk = *chunks_[std::size_t(index)];
        const Step first = chunk.last - (kChunk - 1) * chunk.apart;
        if (chunk.apart > 0) return index * kChunk + (step <= first ? 0 : (step - first + chunk.apart - 1) / chunk.apart);
    }
    const std::span<const Step> steps = rowsOf(index).steps;
    return index * kChunk + (std::lower_bound(steps.begin(), steps.end(), step) - steps.begin());
}

void Series::addFans(std::span<const Fan> fans, Bucket& out) {
    float least = std::numeric_limits<float>::infinity(), most = -least;
    for (const Fan& fan : fans) {
        least = std::min(least, fan.min);
        most = std::max(most, fan.max);
        out.sum += fan.sum;
    }
    out.min = std::min(out.min, double(least));
    out.max = std::max(out.max, double(most));
    out.count += std::int64_t(fans.size()) * kFan;
}

void Series::addWithin(std::int64_t index, std::int64_t begin, std::int64_t end, Bucket& out) const {
    const Rows rows = rowsOf(index);
    const Chunk* chunk = index < std::int64_t(chunks_.size()) ? chunks_[std::size_t(index)].get() : nullptr;
    if (chunk && begin == 0 && end == kChunk) return out.add(chunk->whole);
    while (begin < end) {
        if (chunk && begin % (kFan * kFan) == 0 && begin + kFan * kFan <= end) {
            out.add(chunk->large[std::size_t(begin / (kFan * kFan))]);
            begin += kFan * kFan;
        } else if (chunk && begin % kFan == 0 && begin + kFan <= end && !chunk->small.empty()) {
            const std::int64_t stop = std::min(end / kFan, (begin / kFan / kFan + 1) * kFan);
            addFans(chunk->small.subspan(std::size_t(begin / kFan), std::size_t(stop - begin / kFan)), out);
            begin = stop * kFan;
        } else {
            const std::int64_t stop = chunk ? std::min(end, (begin / kFan + 1) * kFan) : end;
            addRows(rows.values.subspan(std::size_t(begin), std::size_t(stop - begin)), out);
            begin = stop;
        }
    }
}

Bucket Series::bucket(std::int64_t begin, std::int64_t end) const {
    Bucket out;
    while (begin < end) {
        const std::int64_t chunk = begin / kChunk, stop = std::min(end, (chunk + 1) * kChunk);
        addWithin(chunk, begin - chunk * kChunk, stop - chunk * kChunk, out);
        begin = stop;
    }
    return out;
}

/// `place` gives the row at which an edge stands: of its lower bound and the rows since the edge before.
template <class Place>
void Series::bucketsAt(std::span<const Step> edges, std::span<Bucket> out, Place place) const {
    if (edges.empty()) return;
    std::int64_t bound = lowerBound(edges[0]), begin = bound, chunk = bound / kChunk;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        while (chunk < std::int64_t(chunks_.size()) && chunks_[std::size_t(chunk)]->last < edges[i + 1]) ++chunk;
        const std::int64_t next = lowerBoundIn(chunk, edges[i + 1]);
        const std::int64_t end = i + 2 < edges.size() ? place(next, next - bound) : next;
        out[i] = bucket(begin, end);
        begin = end;
        bound = next;
    }
}

void Series::buckets(std::span<const Step> edges, std::span<Bucket> out) const {
    bucketsAt(edges, out, [](std::int64_t bound, std::int64_t) { return bound; });
}

void Series::pictureBuckets(std::span<const Step> edges, std::span<Bucket> out) const {
    const std::int64_t sealed = std::int64_t(chunks_.size()) * kChunk;
    bucketsAt(edges, out, [sealed](std::int64_t bound, std::int64_t rows) {
        return rows < 2 * kFan || bound > sealed ? bound : (bound + kFan / 2) / kFan * kFan;
    });
}

std::vector<Row> Series::rows(StepRange steps, std::int64_t limit) const {
    std::vector<Row> found;
    const std::int64_t begin = std::max<std::int64_t>(0, lowerBound(steps.first) - 1);
    const std::int64_t end = std::min({size(), begin + limit, lowerBound(steps.last + 1) + 1});
    for (std::int64_t i = begin; i < end; ++i) found.push_back(at(i));
    return found;
}

std::int64_t Series::count(StepRange steps) const {
    return steps.empty() ? 0 : lowerBound(steps.last + 1) - lowerBound(steps.first);
}

std::optional<Row> Series::nearest(double step) const {
    if (size() == 0) return std::nullopt;
    const std::int64_t after = lowerBound(Step(std::ceil(step)));
    if (after == 0) return at(0);
    if (after == size()) return at(size() - 1);
    const Row left = at(after - 1), right = at(after);
    return step - double(left.step) <= double(right.step) - step ? left : right;
}

Step Series::spacing(std::int64_t index) const {
    if (size() == 0) return 0;
    if (size() == 1) return at(0).step;
    constexpr std::int64_t kSampled = 65;
    const auto gapAfter = [this](std::int64_t row) { return at(row + 1).step - at(row).step; };
    const std::int64_t gaps = size() - 1, sampled = std::min(gaps, kSampled);
    std::vector<Step> usual;
    for (std::int64_t i = 0; i < sampled; ++i) usual.push_back(gapAfter(i * gaps / sampled));
    const auto middle = usual.begin() + sampled / 2;
    std::nth_element(usual.begin(), middle, usual.end());
    return index > 0 ? std::max(*middle, gapAfter(index - 1)) : *middle;
}

std::optional<Row> Series::recordedAt(Step step) const {
    const StepRange all = range();
    if (all.empty() || step < all.first || step > all.last) return std::nullopt;
    const std::int64_t after = lowerBound(step);
    if (at(after).step == step) return at(after);
    // A stretch of thinned rows goes on behind the gap that `step` lies in, or began before it; a hole does neither.
    const std::int64_t next = std::min(after + 1, size() - 1);
    const Step apart = std::max(spacing(after - 1), at(next).step - at(after).step);
    const auto row = nearest(double(step));
    return std::abs(row->step - step) <= apart ? row : std::nullopt;
}

std::size_t Series::bytes() const {
    std::size_t all = tail_.steps.capacity() * sizeof(Step) + tail_.values.capacity() * sizeof(float);
    all += chunks_.capacity() * sizeof(chunks_[0]);
    for (const auto& chunk : chunks_)
        all += sizeof(Chunk) + chunk->large.capacity() * sizeof(Bucket) + (chunk->isOnDisk ? 0 : chunk->size());
    return all;
}

bool Series::ownsRowsAlone() const { return !chunks_.empty() && chunks_.front().use_count() == 1; }

std::optional<Row> Series::lastBy(Step step) const {
    const std::int64_t after = lowerBound(step + 1);
    if (after == 0) return std::nullopt;
    const Row row = at(after - 1);
    return row.step == step || step - row.step < spacing(after - 1) ? std::optional(row) : std::nullopt;
}

std::shared_ptr<const Series> shared(Series series) {
    return {new Series(std::move(series)), [](const Series* held) {
                const QCoreApplication* const application = QCoreApplication::instance();
                const bool inWindow = application && QThread::currentThread() == application->thread();
                if (inWindow && held->ownsRowsAlone())
                    Pool::threads().start([held] { delete held; });
                else
                    delete held;
            }};
}

}  // namespace heddle::ui
