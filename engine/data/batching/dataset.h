// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"
#include "engine/data/tokenizers/tokenizer_report.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// The examples of one split as token ids. Immutable after loading. A task fills the columns that it reads; a column that is
/// not empty has one entry per example.
struct EncodedCorpus {
    std::vector<std::int32_t> source, target;                  ///< concatenated; translation: without <sos>/<eos>
    std::vector<std::int64_t> sourceBegin{0}, targetBegin{0};  ///< n+1 offsets
    std::vector<std::string> sourceText, targetText;           ///< raw lines; kept for valid and test only

    std::vector<std::int32_t> secondAt;  ///< offset in the row's source where the second text (token type 1) begins
    std::vector<std::int64_t> labels;    ///< class of an example
    std::vector<float> numbers;          ///< regression target
    std::vector<std::int32_t> answerFirst, answerLast;  ///< span: positions in the row's source; 0: it contains no answer
    std::vector<std::int32_t> pieceFirst;               ///< parallel to `source`; tags: 1 at the first piece of a word, else 0
    std::vector<std::int32_t> textBegin, textEnd;       ///< parallel to `source`; span: character range in the context, else -1
    std::vector<std::vector<std::string>> answers, tags;  ///< as published; kept for valid and test only
    std::vector<std::uint8_t> pixels;                     ///< images, [n, height, width]
    std::int64_t height = 0, width = 0;
    /// Span: the example of which a row is a window, ascending, one entry per row; texts and answers kept for valid and test
    /// have one entry per example.
    std::vector<std::int64_t> exampleOf;
    /// Span: range of positions of a row at which an answer may begin, end excluded.
    std::vector<std::int32_t> beginFrom, beginTo;

    std::int64_t size() const { return static_cast<std::int64_t>(sourceBegin.size()) - 1; }
};

/// Adds an image of height × width pixels (set in the corpus before) that the model reads as this number of patches.
void addImage(EncodedCorpus& corpus, const std::uint8_t* image, std::int64_t patches, std::int64_t label);

/// The data of a run: tokenizers trained on the training split only, and the encoded splits.
struct RunData {
    std::shared_ptr<const Tokenizer> sourceTokenizer, targetTokenizer;  ///< equal if the task has one side; null for images
    EncodedCorpus train, valid, test;                                   ///< test is empty when the spec names none
    std::vector<std::string> classes;                                   ///< names of the labels or tags, in order
    std::string synthetic;                 ///< description of generated data; empty: data were read
    std::vector<std::string> dataHashes;   ///< SHA-256 of the files (after gunzip) and of a named tokenizer, in fixed order
    std::vector<std::string> notes;        ///< what was detected, dropped or truncated, with counts
    std::vector<std::string> warnings;     ///< must be shown beside the run's numbers, because they change their meaning
    std::vector<TokenizerReport> reports;  ///< size, coverage and unknown rate: source's, target's

    /// Vocabulary sizes; 0: no tokenizer.
    std::int64_t sourceWords() const { return sourceTokenizer ? sourceTokenizer->size() : 0; }
    std::int64_t targetWords() const { return targetTokenizer ? targetTokenizer->size() : 0; }
};

/// SHA-256 of the files that a run saves beside its checkpoints, as recorded in each checkpoint.
struct RecordedFiles {
    std::vector<std::string> tokenizers;  ///< of source and target; empty: not recorded, or no tokenizers
    std::string classes;                  ///< empty: likewise
};

/// Saves the tokenizers ("source.json"/"source.model", …) into a run's tokenizer folder, and loads them again; both sides share
/// one object if they have one tokenizer. Throws Error(InvalidInput) when a file's hash is not the recorded one.
void saveTokenizers(const RunData& data, const std::string& folder);
std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>> loadTokenizers(
    const std::string& folder, const RecordedFiles& recorded = {});

/// One batch as plain host buffers, padded with kPad (1) to the widths; row-major int64. Labels belong to `positions`, or to
/// rows.
struct Batch {
    std::int64_t rows = 0, sourceWidth = 0, targetWidth = 0;
    std::vector<std::int64_t> source;    ///< [rows, sourceWidth]: tokens <eos>; images: one <eos> per patch
    std::vector<std::int64_t> types;     ///< [rows, sourceWidth]: 1 in the second text; empty: no second texts
    std::vector<std::int64_t> targetIn;  ///< [rows, targetWidth]: <sos> tokens; empty: no decoder
    std::vector<float> patches;          ///< [rows, sourceWidth, numbers per patch], 0 … 1; empty: tokens
    /// Labelled positions, indices into the flattened decoder (else encoder) input, ascending.
    std::vector<std::int64_t> positions;
    std::vector<std::int64_t> targets;             ///< labels: ids or classes; one per position or per row
    std::vector<float> numbers;                    ///< regression targets, one per row
    std::vector<std::int64_t> beginFrom, beginTo;  ///< span: positions of each row at which an answer may begin
    std::int64_t sourceTokens = 0;                 ///< without padding; <eos> counts
    std::int64_t targetTokens = 0;                 ///< number of labels
    std::vector<std::int64_t> indices;             ///< example numbers in the corpus

    /// Tokens for throughput: target tokens, or source tokens without a decoder.
    std::int64_t workTokens() const { return targetIn.empty() ? sourceTokens : targetTokens; }
};

/// Makes the batch of these examples in this epoch. A pure function, called on the prefetcher's thread.
using BatchMaker =
    std::function<Batch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t epoch)>;

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

/// The batch maker for sentence pairs.
Batch makePairBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

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
    Prefetcher(const EncodedCorpus& corpus, const BatchOptions& options, BatchMaker makeBatch, Start start);
    ~Prefetcher();
    struct Item {
        Batch batch;
        std::int64_t epoch = 0, index = 0, batchesInEpoch = 0;
    };
    Item next();  ///< blocks; one consumer thread

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
