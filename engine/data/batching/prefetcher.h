// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/batch.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace heddle {

struct BatchOptions {
    /// Budget: rows × max(sourceWidth, targetWidth) ≤ tokens; a longer example is a batch of its own.
    std::int64_t tokens = 4096;
    std::int64_t sentences = 0;  ///< if > 0, rows per batch instead
    std::int64_t maxTokens = 0;  ///< training pairs longer than this on either side (with <eos>) are dropped; 0: no limit
    std::uint64_t seed = 1;
    bool shuffle = true;  ///< false: sorted by length, for evaluation
};

/// The batches of an epoch as example numbers: shuffled with (seed, epoch), bucketed by length, then batches are shuffled. The
/// plan is a pure function of (corpus, options, epoch) on every machine, so that resuming needs only the epoch and the batch
/// number.
std::vector<std::vector<std::int64_t>> planEpoch(const EncodedCorpus& corpus, const BatchOptions& options, std::int64_t epoch);

/// Makes the batch of these examples in this epoch. A pure function, called on the prefetcher's thread.
using BatchMaker =
    std::function<Batch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t epoch)>;

/// Prepares batches on its own thread in a bounded queue of plain buffers. The destructor joins. next() rethrows exceptions of
/// the thread.
class Prefetcher {
public:
    /// Starts with batch `start.batch` of `start.epoch` and continues through all later epochs. `start.batch` may equal the
    /// number of batches of that epoch; if it is larger, next() throws Error(InvalidInput). `corpus` must outlive the
    /// prefetcher.
    struct Start {
        std::int64_t epoch = 0, batch = 0;
    };
    /// The batches of one process of `size`: of each step of `accumulate` batches, counted from the beginning of the epoch,
    /// those with the numbers rank, rank + size, … By default all batches.
    struct Share {
        std::int64_t rank = 0, size = 1, accumulate = 1;
        bool has(std::int64_t index) const { return index % accumulate % size == rank; }
    };
    Prefetcher(const EncodedCorpus& corpus, const BatchOptions& options, BatchMaker makeBatch, Start start)
        : Prefetcher(corpus, options, std::move(makeBatch), start, Share{}) {}
    Prefetcher(const EncodedCorpus& corpus, const BatchOptions& options, BatchMaker makeBatch, Start start, Share share);
    ~Prefetcher();
    struct Item {
        Batch batch;  ///< empty if another process has it
        std::int64_t epoch = 0, index = 0, batchesInEpoch = 0;
    };
    Item next();  ///< blocks; one consumer thread

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
