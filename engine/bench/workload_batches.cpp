// SPDX-License-Identifier: Apache-2.0
#include "engine/bench/workload_batches.h"

#include "engine/data/tokenizers/tokenizer.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/task_kinds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace heddle {
namespace {

constexpr std::int64_t kShortest = 3;  // one word between <sos> and <eos>
constexpr double kMaskedShare = 0.15;  // Devlin et al. 2019, section 3.1

/// A sequence of draws from one random stream.
class Draws {
public:
    Draws(std::uint64_t seed, const std::string& stream) : key_(randomKey(seed, "bench." + stream)) {}
    double uniform() { return randomBits(key_, next_++) * 0x1p-32; }
    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(uniform() * static_cast<double>(n)); }
    double normal() {  // Box–Muller
        const double radius = std::sqrt(-2 * std::log(uniform() + 0x1p-33));
        return radius * std::cos(2 * std::acos(-1.0) * uniform());
    }
    std::int64_t token(std::int64_t words) {
        const double kinds = static_cast<double>(words - kSpecials);
        const auto rank = static_cast<std::int64_t>(std::exp(uniform() * std::log(kinds))) - 1;
        return kSpecials + std::min<std::int64_t>(rank, words - kSpecials - 1);
    }
    template <class T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i > 1; --i)
            std::swap(values[i - 1], values[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    }

private:
    RandomKey key_;
    std::uint64_t next_ = 0;
};

struct Pair {
    std::int64_t source, target;  // tokens
    std::int64_t longer() const { return std::max(source, target); }
};

/// Sentence pairs whose lengths have correlation 0.85.
std::vector<Pair> drawLengths(const Workload& workload, Draws& draws) {
    constexpr double kSourceMean = 2.51, kTargetMean = 2.46, kDeviation = 0.32, kCorrelation = 0.85;
    const auto tokens = [&](double mean, double z) {
        return std::clamp(std::llround(std::exp(mean + kDeviation * z)) + 2LL, static_cast<long long>(kShortest),
                          static_cast<long long>(workload.width));
    };
    std::vector<Pair> pairs;
    for (std::int64_t i = 0; i < workload.sentences; ++i) {
        const double z = draws.normal(), other = draws.normal();
        pairs.push_back({tokens(kSourceMean, z),
                         tokens(kTargetMean, kCorrelation * z + std::sqrt(1 - kCorrelation * kCorrelation) * other)});
    }
    return pairs;
}

/// A batch of these lengths, padded to `widths`.
Batch translationBatch(const Workload& workload, const std::vector<Pair>& pairs, Pair widths, Draws& draws) {
    const Dims& dims = workload.spec.variant.resolve().dims;
    Batch b;
    b.rows = static_cast<std::int64_t>(pairs.size());
    b.sourceWidth = widths.source, b.targetWidth = widths.target;
    for (const Pair& pair : pairs) {
        for (std::int64_t i = 0; i < widths.source; ++i)
            b.source.push_back(i < pair.source ? draws.token(dims.vocabSrc) : kPad);
        std::int64_t last = kSos;
        for (std::int64_t i = 0; i < widths.target; ++i) {
            b.targetIn.push_back(i < pair.target ? last : kPad);
            if (i >= pair.target) continue;
            last = i + 1 < pair.target ? draws.token(dims.vocabTgt) : kEos;
            b.positions.push_back(static_cast<std::int64_t>(b.targetIn.size()) - 1);
            b.labels.push_back(last);
        }
        b.sourceTokens += pair.source;
    }
    return b;
}

std::int64_t bucketWidth(const Workload& workload, const Pair& pair) {
    return std::min((pair.longer() + workload.bucket - 1) / workload.bucket * workload.bucket, workload.width);
}

/// Groups pairs into batches: a fixed number, or equal width within the token budget (incomplete batches are dropped).
std::vector<std::vector<Pair>> groupPairs(const Workload& workload, const std::vector<Pair>& pairs) {
    std::map<std::int64_t, std::vector<Pair>> byWidth;
    const bool isBucketed = workload.lengths == Workload::Lengths::Buckets;
    for (const Pair& pair : pairs) byWidth[isBucketed ? bucketWidth(workload, pair) : workload.width].push_back(pair);
    std::vector<std::vector<Pair>> groups;
    for (const auto& [width, members] : byWidth) {
        const auto rows =
            static_cast<std::size_t>(isBucketed ? std::max<std::int64_t>(1, workload.tokens / width) : workload.rows);
        for (std::size_t i = 0; i + rows <= members.size(); i += rows)
            groups.emplace_back(members.begin() + static_cast<std::ptrdiff_t>(i),
                                members.begin() + static_cast<std::ptrdiff_t>(i + rows));
    }
    return groups;
}

std::vector<Batch> mixedBatches(const Workload& workload, Draws& draws) {
    auto groups = groupPairs(workload, drawLengths(workload, draws));
    draws.shuffle(groups);
    std::vector<Batch> made;
    for (const auto& group : groups) {
        Pair widths{0, 0};
        for (const Pair& pair : group) widths = {std::max(widths.source, pair.source), std::max(widths.target, pair.target)};
        if (workload.lengths == Workload::Lengths::Buckets) widths.source = widths.target = bucketWidth(workload, widths);
        made.push_back(translationBatch(workload, group, widths, draws));
    }
    return made;
}

/// A batch of a task that reads one sequence, all rows of one width.
Batch rowBatch(const Workload& workload, Draws& draws) {
    const Dims& dims = workload.spec.variant.resolve().dims;
    const TaskKind::Target target = taskKind(workload.spec.data.task).target;
    const std::int64_t words = std::max(dims.vocabSrc, dims.vocabTgt);
    Batch b;
    b.rows = workload.rows, b.sourceWidth = workload.width;
    const auto count = static_cast<std::size_t>(b.rows * b.sourceWidth);
    for (std::size_t i = 0; i < count; ++i) b.source.push_back(draws.token(words));
    if (target == TaskKind::Target::Class) {
        for (std::int64_t row = 0; row < b.rows; ++row) b.labels.push_back(draws.below(dims.classes));
    } else if (target == TaskKind::Target::MaskedTokens) {
        std::vector<std::int64_t> order(count);
        std::iota(order.begin(), order.end(), 0);
        draws.shuffle(order);
        order.resize(static_cast<std::size_t>(std::llround(kMaskedShare * static_cast<double>(count))));
        std::sort(order.begin(), order.end());
        b.positions = order;
        for (const std::int64_t at : order) {
            std::int64_t& id = b.source[static_cast<std::size_t>(at)];
            b.labels.push_back(id);
            id = kMask;
        }
    } else {
        b.targetIn.swap(b.source), b.targetWidth = b.sourceWidth, b.sourceWidth = 0;
        b.positions.resize(count);
        std::iota(b.positions.begin(), b.positions.end(), 0);
        for (std::size_t i = 0; i < count; ++i) {
            const bool isLast = (i + 1) % static_cast<std::size_t>(b.targetWidth) == 0;
            b.labels.push_back(isLast ? draws.token(words) : b.targetIn[i + 1]);
        }
    }
    b.sourceTokens = static_cast<std::int64_t>(b.source.size());
    return b;
}

}  // namespace

std::vector<Batch> generateBatches(const Workload& workload, std::uint64_t seed) {
    Draws draws(seed, "batches");
    std::vector<Batch> made;
    if (workload.lengths != Workload::Lengths::Full) {
        made = mixedBatches(workload, draws);
    } else {
        const bool isTranslation = taskKind(workload.spec.data.task).target == TaskKind::Target::Translation;
        const std::vector<Pair> pairs(static_cast<std::size_t>(workload.rows), {workload.width, workload.width});
        for (std::int64_t i = 0; i < workload.batches; ++i)
            made.push_back(isTranslation ? translationBatch(workload, pairs, pairs.front(), draws) : rowBatch(workload, draws));
    }
    for (Batch& batch : made) batch.labelCount = static_cast<std::int64_t>(batch.labels.size());
    return made;
}

RunData workloadData(const RunSpec& spec) {
    RunData data;
    if (taskKind(spec.data.task).target != TaskKind::Target::MaskedTokens) return data;
    TokenizerSpec words;
    words.minCount = 1;
    words.mask = true;
    data.sourceTokenizer = trainTokenizer({"a b"}, words);
    return data;
}

RowLengths rowLengths(const Batch& batch) {
    const auto lengths = [&](const std::vector<std::int64_t>& ids, std::int64_t width) {
        std::vector<std::int64_t> counted;
        for (auto row = ids.begin(); row != ids.end(); row += width)
            counted.push_back(width - std::count(row, row + width, kPad));
        return counted;
    };
    if (batch.source.empty()) return {lengths(batch.targetIn, batch.targetWidth), {}};
    RowLengths made{lengths(batch.source, batch.sourceWidth), {}};
    if (!batch.targetIn.empty()) made.target = lengths(batch.targetIn, batch.targetWidth);
    return made;
}

}  // namespace heddle
