// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizer.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// Token ids of one split, both sides, without <sos>/<eos>. Immutable after loading.
struct EncodedCorpus {
    std::vector<std::int32_t> source, target;                  ///< concatenated
    std::vector<std::int64_t> sourceBegin{0}, targetBegin{0};  ///< n+1 offsets
    std::vector<std::string> sourceText, targetText;           ///< raw lines; kept for valid and test only
    std::int64_t size() const { return static_cast<std::int64_t>(sourceBegin.size()) - 1; }
};

/// Everything a translation run reads: tokenizers trained on the training split only, and the encoded splits.
struct TranslationData {
    std::shared_ptr<const Tokenizer> sourceTokenizer, targetTokenizer;
    EncodedCorpus train, valid, test;     ///< test is empty when the spec names none
    std::vector<std::string> dataHashes;  ///< SHA-256 of the files' contents (after gunzip), in fixed order
    std::vector<std::string> notes;       ///< what was dropped or cut, with counts
};

/// Reads, checks, trains tokenizers and encodes, through the cache folder (empty: no cache). Training pairs with an empty side
/// or longer than data.max_tokens (at most dims.max_len) are left out; pairs of valid and test are all kept, cut to
/// dims.max_len. `stopRequested` is asked now and then; when true the call throws Error("stopped"). Throws Error(InvalidInput)
/// naming file, line and column: missing file, unequal line counts, invalid UTF-8, empty corpus, NUL, lines over 16 MiB.
TranslationData loadTranslationData(const RunSpec& spec, const std::string& cacheFolder,
                                    const std::function<bool()>& stopRequested);

/// Saves what translate needs later ("source.json"/"source.model", …) into a run's tokenizer folder, and loads it again.
void saveTokenizers(const TranslationData& data, const std::string& folder);
std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>> loadTokenizers(const std::string& folder);

/// One batch as plain host buffers, padded with kPad (1) to the widths; row-major int64.
struct Batch {
    std::int64_t rows = 0, sourceWidth = 0, targetWidth = 0;
    std::vector<std::int64_t> source;                 ///< [rows, sourceWidth]: words <eos>
    std::vector<std::int64_t> targetIn;               ///< [rows, targetWidth]: <sos> words
    std::vector<std::int64_t> targetOut;              ///< [rows, targetWidth]: words <eos>
    std::int64_t sourceTokens = 0, targetTokens = 0;  ///< without padding; <eos> counts
    std::vector<std::int64_t> indices;                ///< sentence numbers in the corpus
};

struct BatchOptions {
    std::int64_t tokens = 4096;  ///< budget: rows × max(sourceWidth, targetWidth) ≤ tokens; a longer pair makes a batch alone
    std::int64_t sentences = 0;  ///< if > 0, rows per batch instead
    std::int64_t maxTokens = 0;  ///< training pairs longer than this on either side (with <eos>) are left out; 0: none
    std::uint64_t seed = 1;
    bool shuffle = true;  ///< false: in order of length, for evaluation
};

/// The batches of an epoch as sentence numbers: shuffled with (seed, epoch), bucketed by length, batches shuffled. The same
/// (corpus, options, epoch) give the same plan on every machine; batch i of epoch e is a pure function, so that resuming needs
/// nothing but (e, i).
std::vector<std::vector<std::int64_t>> planEpoch(const EncodedCorpus& corpus, const BatchOptions& options, std::int64_t epoch);

Batch makeBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// Makes batches ahead on one thread of its own: a bounded queue of plain buffers. Destruction joins. Exceptions of the thread
/// are rethrown by next().
class Prefetcher {
public:
    /// Delivers batch `firstBatch` of `firstEpoch`, then on and on through the epochs. `firstBatch` may be the number of
    /// batches of that epoch (all are done); beyond that next() throws Error(InvalidInput). `corpus` must outlive the
    /// prefetcher.
    Prefetcher(const EncodedCorpus& corpus, const BatchOptions& options, std::int64_t firstEpoch, std::int64_t firstBatch);
    ~Prefetcher();
    struct Item {
        Batch batch;
        std::int64_t epoch = 0, index = 0, batchesInEpoch = 0;
    };
    Item next();  ///< waits; one consumer thread

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
