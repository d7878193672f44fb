// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/variant_spec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Paths of one parallel corpus split; plain text or .gz, UTF-8, one sentence a line.
struct ParallelFiles {
    std::string source, target;
    bool empty() const { return source.empty() && target.empty(); }
};

struct TokenizerSpec {
    std::string kind = "words";        ///< words | sentencepiece
    std::string split = "whitespace";  ///< words: whitespace | 13a
    bool lower = false;
    std::int64_t minCount = 2;      ///< words: rarer types become <unk>
    std::string model = "unigram";  ///< sentencepiece: unigram | bpe
    std::int64_t vocabSize = 8000;  ///< sentencepiece: pieces a side
    bool shared = false;            ///< one vocabulary for both sides
};

struct DataSpec {
    ParallelFiles train, valid, test;
    TokenizerSpec tokenizer;
    std::int64_t maxTokens = 0;  ///< longer training pairs are dropped and counted; 0: dims.max_len
    std::int64_t limit = 0;      ///< first N training pairs only; 0: all
};

struct TrainSpec {
    std::string optimizer = "adamw";  ///< adam | adamw
    double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-8, weightDecay = 0.01;
    double lr = 1e-3;                   ///< peak; ignored by schedule noam, whose scale is d^-0.5 * factor
    std::string schedule = "constant";  ///< constant | noam | noam_peak | constant_after_warmup
    std::int64_t warmup = 4000;         ///< steps
    double noamFactor = 1.0;
    std::int64_t epochs = 10;  ///< whichever of epochs and steps comes first; 0: no limit by it
    std::int64_t steps = 0;
    std::int64_t batchTokens = 4096;  ///< padded tokens of the longer side; 0 if batchSentences is used
    std::int64_t batchSentences = 0;
    std::int64_t accumulate = 1;  ///< micro-steps per step
    double clip = 1.0;            ///< global gradient norm; 0: off
    double labelSmoothing = 0.1;
    std::string precision = "fp32";  ///< fp32 | bf16 (autocast)
    bool deterministic = true;
    std::string stopMetric = "loss";      ///< early stopping on valid: loss | bleu | accuracy
    std::int64_t patience = 0;            ///< evaluations without improvement; 0: off
    std::int64_t checkpointEvery = 1000;  ///< steps; one is also written at step 0, at every evaluation's best, and at the end
    std::int64_t keepLast = 2;
    std::int64_t threads = 0;     ///< 0: physical cores
    std::string device = "auto";  ///< auto | cpu | cuda | cuda:i
};

struct EvaluateSpec {
    std::int64_t everyEpochs = 1;
    std::int64_t everySteps = 0;     ///< additionally; 0: off
    std::int64_t bleuSentences = 0;  ///< greedy BLEU on the first N validation pairs; 0: all
    std::int64_t bleuEveryEpochs = 1;
    bool testAtEnd = true;  ///< decode the test split with the best checkpoint when training completes
};

struct RecordSpec {
    std::int64_t scalarsEvery = 1, histogramsEvery = 20, mapsEvery = 200;  ///< steps; maps also at 1, 2, 4, … below mapsEvery
    std::int64_t probes = 2;                                               ///< validation sentences whose attention is kept
    double maxMib = 256;
};

/// A run: variant, data, training, evaluation, recording, seed. Value type.
class RunSpec {
public:
    /// Accepts a run spec or a bare variant. `base` is the folder relative data paths start from.
    static RunSpec parse(const Json& document, const Catalogue& catalogue, const std::string& base = "");

    VariantSpec variant;
    DataSpec data;
    TrainSpec train;
    EvaluateSpec evaluate;
    RecordSpec record;
    std::uint64_t seed = 1;
    std::string name;

    /// Compact JSON document (defaults removed, paths absolute); parse(toJson()) is the same run.
    Json toJson() const;
    /// Everything written out: all fields, and the variant's resolved tree. For diffDocuments and display.
    Json resolvedJson() const;
    /// "run_hash": without seed, name, device, threads and paths; data counts by the content hashes given.
    std::string hash(const std::vector<std::string>& dataHashes) const;
};

/// Schema of a run spec without its variant.
const FieldSchema& runSchema();

/// A bare variant as a run-spec document; a run-spec document as it is.
Json asRunDocument(const Json& document);

/// Applies `path=value` (value is JSON, or a bare string) to a run-spec document or a bare variant (which becomes one). Paths
/// may start at the run ("train.lr"), at the variant ("dims.d", "encoder.self.adjuster"), or be resolved ones
/// ("encoder.layers.1.self.residual.kind"). Naming another kind of block drops the parameters of the one before. Relative data
/// files start at the working folder, not at the spec's. Wrong values are left for parse() to report.
void applySet(Json& document, const std::string& assignment);

}  // namespace heddle
