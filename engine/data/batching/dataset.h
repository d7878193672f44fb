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

/// The examples of one split, as ids. Immutable after loading. A task fills the columns that it reads; a column that is there
/// has one entry an example.
struct EncodedCorpus {
    std::vector<std::int32_t> source, target;                  ///< concatenated; translation: without <sos>/<eos>
    std::vector<std::int64_t> sourceBegin{0}, targetBegin{0};  ///< n+1 offsets
    std::vector<std::string> sourceText, targetText;           ///< raw lines; kept for valid and test only

    std::vector<std::int32_t> secondAt;                   ///< where in a row's source the second text begins (token type 1)
    std::vector<std::int64_t> labels;                     ///< class of an example
    std::vector<float> numbers;                           ///< regression target
    std::vector<std::int32_t> answerFirst, answerLast;    ///< span: positions in the row's source; 0: no answer is in it
    std::vector<std::int32_t> pieceFirst;                 ///< beside `source`: tags: 1 where a word begins, else 0
    std::vector<std::int32_t> textBegin, textEnd;         ///< beside `source`: span: characters of the context, else -1
    std::vector<std::vector<std::string>> answers, tags;  ///< as published; kept for valid and test only
    std::vector<std::uint8_t> pixels;                     ///< images, [n, height, width]
    std::int64_t height = 0, width = 0;
    /// Span: the example that a row is a window of, ascending, one entry a row; what is kept for valid and test (texts,
    /// answers) has one entry an example.
    std::vector<std::int64_t> exampleOf;
    std::vector<std::int32_t> beginFrom, beginTo;  ///< span: positions of a row at which an answer may begin, the last excluded

    std::int64_t size() const { return static_cast<std::int64_t>(sourceBegin.size()) - 1; }
};

/// Adds an image of height × width pixels (the corpus', set before) that the model reads as so many patches.
void addImage(EncodedCorpus& corpus, const std::uint8_t* image, std::int64_t patches, std::int64_t label);

/// Everything a run reads: tokenizers trained on the training split only, and the encoded splits.
struct RunData {
    std::shared_ptr<const Tokenizer> sourceTokenizer, targetTokenizer;  ///< the same where a task has one side; null for images
    EncodedCorpus train, valid, test;                                   ///< test is empty when the spec names none
    std::vector<std::string> classes;                                   ///< names of the labels or tags, in order
    std::string synthetic;  ///< what was generated, for people; empty: data were read
    std::vector<std::string>
        dataHashes;                     ///< SHA-256 of the files' contents (after gunzip), in fixed order; a named tokenizer's
    std::vector<std::string> notes;     ///< what was recognised, dropped or cut, with counts
    std::vector<std::string> warnings;  ///< what changes the meaning of a run's numbers and must be read beside them
    std::vector<TokenizerReport> reports;  ///< size, coverage and unknown rate: source's, target's

    /// Entries of the vocabularies; 0 where there is none.
    std::int64_t sourceWords() const { return sourceTokenizer ? sourceTokenizer->size() : 0; }
    std::int64_t targetWords() const { return targetTokenizer ? targetTokenizer->size() : 0; }
};

/// SHA-256 of the files that a run leaves for later beside its checkpoints, as each checkpoint records them.
struct RecordedFiles {
    std::vector<std::string> tokenizers;  ///< of source and target; empty: nothing was recorded, or there are none
    std::string classes;                  ///< empty: likewise
};

/// Saves what translate needs later ("source.json"/"source.model", …) into a run's tokenizer folder, and loads it again: the
/// same object twice where both sides have one tokenizer. Throws Error(InvalidInput) for a file that is not the recorded one.
void saveTokenizers(const RunData& data, const std::string& folder);
std::pair<std::shared_ptr<const Tokenizer>, std::shared_ptr<const Tokenizer>> loadTokenizers(
    const std::string& folder, const RecordedFiles& recorded = {});

/// One batch as plain host buffers, padded with kPad (1) to the widths; row-major int64. What the model must say is asked for
/// at `positions`, or once a row.
struct Batch {
    std::int64_t rows = 0, sourceWidth = 0, targetWidth = 0;
    std::vector<std::int64_t> source;     ///< [rows, sourceWidth]: words <eos>; images: one <eos> a patch
    std::vector<std::int64_t> types;      ///< [rows, sourceWidth]: 1 in the second text; empty: none has one
    std::vector<std::int64_t> targetIn;   ///< [rows, targetWidth]: <sos> words; empty: no decoder
    std::vector<float> patches;           ///< [rows, sourceWidth, numbers of a patch], 0 … 1; empty: words
    std::vector<std::int64_t> positions;  ///< where an answer is wanted: into the flattened decoder (else encoder), ascending
    std::vector<std::int64_t> targets;    ///< the answers: ids or classes; one a position, or one a row
    std::vector<float> numbers;           ///< or numbers, one a row
    std::vector<std::int64_t> beginFrom, beginTo;  ///< span: positions of each row at which an answer may begin
    std::int64_t sourceTokens = 0;                 ///< without padding; <eos> counts
    std::int64_t targetTokens = 0;                 ///< answers wanted
    std::vector<std::int64_t> indices;             ///< sentence numbers in the corpus

    /// What speed is told in: words to be written, or where none are the words read.
    std::int64_t workTokens() const { return targetIn.empty() ? sourceTokens : targetTokens; }
};

/// Makes the batch of these examples in this epoch; a pure function, called on the prefetcher's thread.
using BatchMaker =
    std::function<Batch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices, std::int64_t epoch)>;

struct BatchOptions {
    std::int64_t tokens = 4096;  ///< budget: rows × max(sourceWidth, targetWidth) ≤ tokens; a longer one makes a batch alone
    std::int64_t sentences = 0;  ///< if > 0, rows per batch instead
    std::int64_t maxTokens = 0;  ///< training pairs longer than this on either side (with <eos>) are left out; 0: none
    std::uint64_t seed = 1;
    bool shuffle = true;  ///< false: in order of length, for evaluation
};

/// The batches of an epoch as sentence numbers: shuffled with (seed, epoch), bucketed by length, batches shuffled. The same
/// (corpus, options, epoch) give the same plan on every machine; batch i of epoch e is a pure function, so that resuming needs
/// nothing but (e, i).
std::vector<std::vector<std::int64_t>> planEpoch(const EncodedCorpus& corpus, const BatchOptions& options, std::int64_t epoch);

/// A batch of sentence pairs, and the batch maker for them.
Batch makePairBatch(const EncodedCorpus& corpus, const std::vector<std::int64_t>& indices);

/// Makes batches ahead on one thread of its own: a bounded queue of plain buffers. Destruction joins. Exceptions of the thread
/// are rethrown by next().
class Prefetcher {
public:
    /// Delivers batch `start.batch` of `start.epoch`, then on and on through the epochs. `start.batch` may be the number of
    /// batches of that epoch (all are done); beyond that next() throws Error(InvalidInput). `corpus` must outlive the
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
    Item next();  ///< waits; one consumer thread

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace heddle
