// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"
#include "engine/data/batching/prefetcher.h"
#include "engine/data/batching/shuffle.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace heddle {
namespace {

/// Number of sentences sorted by length at a time. Larger pools save little padding; smaller ones mix rare lengths better
/// between epochs.
constexpr std::size_t kPoolSentences = 16384;
constexpr std::uint32_t kSentencePurpose = 1, kBatchPurpose = 2;

std::int64_t length(const std::vector<std::int64_t>& begin, std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return begin[at + 1] - begin[at];
}

/// Both lengths with <eos>.
struct Lengths {
    std::int64_t source, target;
    std::int64_t longer() const { return std::max(source, target); }
};

Lengths lengthsOf(const EncodedCorpus& corpus, std::int64_t i) {
    return {length(corpus.sourceBegin, i) + 1, length(corpus.targetBegin, i) + 1};
}

/// Stable, so that sentences of equal length stay shuffled.
void sortByLength(const EncodedCorpus& corpus, std::vector<std::int64_t>::iterator first,
                  std::vector<std::int64_t>::iterator last) {
    std::stable_sort(first, last, [&](std::int64_t a, std::int64_t b) {
        const Lengths x = lengthsOf(corpus, a), y = lengthsOf(corpus, b);
        return std::tuple(x.longer(), x.target) < std::tuple(y.longer(), y.target);
    });
}

/// Splits sorted sentences into batches within the budget; a sentence beyond it is a batch of its own.
void cut(const EncodedCorpus& corpus, const BatchOptions& options, const std::vector<std::int64_t>& sorted,
         std::vector<std::vector<std::int64_t>>& batches) {
    std::vector<std::int64_t> batch;
    std::int64_t width = 0;
    for (const std::int64_t i : sorted) {
        const std::int64_t wider = std::max(width, lengthsOf(corpus, i).longer());
        const auto rows = static_cast<std::int64_t>(batch.size()) + 1;
        const bool fits = options.sentences > 0 ? rows <= options.sentences : rows * wider <= options.tokens;
        if (!fits && !batch.empty()) {
            batches.push_back(std::move(batch));
            batch = {};
            width = 0;
        }
        width = std::max(width, lengthsOf(corpus, i).longer());
        batch.push_back(i);
    }
    if (!batch.empty()) batches.push_back(std::move(batch));
}

/// The numbers of all sentences that are not dropped.
std::vector<std::int64_t> eligible(const EncodedCorpus& corpus, const BatchOptions& options) {
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < corpus.size(); ++i)
        if (options.maxTokens <= 0 || lengthsOf(corpus, i).longer() <= options.maxTokens) indices.push_back(i);
    if (indices.empty())
        throwInvalid(fmt::format("none of {} pairs has at most {} tokens on both sides", corpus.size(), options.maxTokens),
                     "data.max_tokens", "raise it, or check the files");
    return indices;
}

}  // namespace

std::vector<std::vector<std::int64_t>> planEpoch(const EncodedCorpus& corpus, const BatchOptions& options, std::int64_t epoch) {
    if (options.sentences <= 0 && options.tokens <= 0)
        throwInvalid("the batch size is 0", "train.batch", "set batch.tokens or batch.sentences to 1 or more");
    std::vector<std::int64_t> indices = eligible(corpus, options);
    std::vector<std::vector<std::int64_t>> batches;
    if (!options.shuffle) {
        sortByLength(corpus, indices.begin(), indices.end());
        cut(corpus, options, indices, batches);
        return batches;
    }
    const auto number = static_cast<std::uint64_t>(epoch);
    shuffle(indices, ShuffleRandom(options.seed, number, kSentencePurpose));
    const std::size_t pools = (indices.size() + kPoolSentences - 1) / kPoolSentences;
    for (std::size_t pool = 0; pool < pools; ++pool) {
        const auto at = [&](std::size_t p) {
            return indices.begin() + static_cast<std::ptrdiff_t>(indices.size() * p / pools);
        };
        sortByLength(corpus, at(pool), at(pool + 1));
        cut(corpus, options, {at(pool), at(pool + 1)}, batches);
    }
    shuffle(batches, ShuffleRandom(options.seed, number, kBatchPurpose));
    return batches;
}

}  // namespace heddle
