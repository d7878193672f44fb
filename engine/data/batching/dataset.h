// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/tokenizers/tokenizer.h"
#include "engine/data/tokenizers/tokenizer_report.h"
#include "engine/spec/run_spec.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace heddle {

/// Labels for TaskKind::Target::Class.
struct ClassLabels {
    std::vector<std::int64_t> classes;  ///< one per row
};

/// Labels for TaskKind::Target::Number.
struct NumberLabels {
    std::vector<float> numbers;  ///< one per row
};

/// Labels for TaskKind::Target::Tags.
struct TagLabels {
    std::vector<std::int32_t> classes;           ///< parallel to the source: class of the word that begins at a token, else -1
    std::vector<std::vector<std::string>> tags;  ///< of an example, as published; kept for valid and test only
};

/// Labels for TaskKind::Target::Span. A row is a window of an example.
struct SpanLabels {
    std::vector<std::int64_t> exampleOf;            ///< example of a row, ascending
    std::vector<std::int32_t> first, last;          ///< positions of a row's answer; 0: the row contains none
    std::vector<std::int32_t> beginFrom, beginTo;   ///< positions of a row at which an answer may begin, end excluded
    std::vector<std::int32_t> textBegin, textEnd;   ///< parallel to the source: characters of the context, else -1
    std::vector<std::vector<std::string>> answers;  ///< of an example, as published; kept for valid and test only
};

/// What TaskKind::Input::Image reads instead of tokens.
struct Images {
    std::vector<std::uint8_t> pixels;  ///< [n, height, width]
    std::int64_t height = 0, width = 0;
};

/// The examples of one split; an example is one row, for spans one or more. Immutable after loading.
struct EncodedCorpus {
    std::vector<std::int32_t> source, target;                  ///< token ids; translation: without <sos>/<eos>
    std::vector<std::int64_t> sourceBegin{0}, targetBegin{0};  ///< n+1 offsets; images: numbers of patches
    std::vector<std::int32_t> secondAt;               ///< position at which the second text (token type 1) begins; or empty
    std::vector<std::string> sourceText, targetText;  ///< of an example; kept for valid and test only
    Images images;
    /// Nothing: the tokens are the labels (translation, language models), or there are no rows.
    std::variant<std::monostate, ClassLabels, NumberLabels, TagLabels, SpanLabels> labels;

    std::int64_t size() const { return static_cast<std::int64_t>(sourceBegin.size()) - 1; }
    /// The labels, which must be of this kind.
    template <class Labels>
    const Labels& labelsAs() const {
        return std::get<Labels>(labels);
    }
    /// Returns the labels to fill. The first call decides their kind.
    template <class Labels>
    Labels& labelsAs() {
        return labels.index() == 0 ? labels.emplace<Labels>() : std::get<Labels>(labels);
    }
    /// The example of a row.
    std::int64_t exampleOf(std::int64_t row) const {
        const auto* spans = std::get_if<SpanLabels>(&labels);
        return spans ? spans->exampleOf[static_cast<std::size_t>(row)] : row;
    }
};

/// Adds an image of Images::height × width pixels (set before), which the model reads as this number of patches, and its class.
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

/// One batch as plain host buffers, row-major. A column that the task does not have is empty: padding, copies to the device and
/// captured steps treat all columns alike.
struct Batch {
    std::int64_t rows = 0, sourceWidth = 0, targetWidth = 0;
    std::vector<std::int64_t> indices;  ///< row numbers in the corpus

    // Inputs, padded with kPad (1) to the widths.
    std::vector<std::int64_t> source;    ///< [rows, sourceWidth]: tokens <eos>; images: one <eos> per patch
    std::vector<std::int64_t> types;     ///< [rows, sourceWidth]: 1 in the second text; empty: no second texts
    std::vector<std::int64_t> targetIn;  ///< [rows, targetWidth]: <sos> tokens; empty: no decoder
    std::vector<float> patches;          ///< [rows, sourceWidth, numbers per patch], 0 … 1; empty: tokens

    // Labels.
    /// Labelled positions, indices into the flattened decoder (else encoder) input, ascending; empty: labels belong to rows.
    std::vector<std::int64_t> positions;
    std::vector<std::int64_t> targets;  ///< ids or classes of positions or rows; spans: all first positions, then all last
    std::vector<float> numbers;         ///< regression targets of rows

    std::int64_t sourceTokens = 0;  ///< without padding; <eos> counts
    std::int64_t targetTokens = 0;  ///< number of labels

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
