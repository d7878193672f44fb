// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/spec/choice_words.h"
#include "engine/spec/precision.h"
#include "engine/spec/variant_spec.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

/// Files of one split, plain or .gz: the two sides of a parallel corpus, or `source` alone; images and their labels.
struct ParallelFiles {
    std::string source, target;
    bool empty() const { return source.empty() && target.empty(); }
};

/// Auto: Words, or Characters where the training text has no spaces.
enum class TokenizerKind { Auto, Words, Characters, WordPiece, SentencePiece, JsonFile };
template <>
struct ChoiceWords<TokenizerKind> {
    static constexpr ChoiceWord<TokenizerKind> kAll[] = {{"auto", TokenizerKind::Auto},
                                                         {"words", TokenizerKind::Words},
                                                         {"characters", TokenizerKind::Characters},
                                                         {"wordpiece", TokenizerKind::WordPiece},
                                                         {"sentencepiece", TokenizerKind::SentencePiece},
                                                         {"json", TokenizerKind::JsonFile}};
};

/// What separates words: Unicode white space, or sacreBLEU's tokenizer 13a.
enum class WordSplit { Whitespace, Tokenizer13a };
template <>
struct ChoiceWords<WordSplit> {
    static constexpr ChoiceWord<WordSplit> kAll[] = {{"whitespace", WordSplit::Whitespace}, {"13a", WordSplit::Tokenizer13a}};
};

/// How SentencePiece finds pieces.
enum class PieceModel { Unigram, Bpe };
template <>
struct ChoiceWords<PieceModel> {
    static constexpr ChoiceWord<PieceModel> kAll[] = {{"unigram", PieceModel::Unigram}, {"bpe", PieceModel::Bpe}};
};

struct TokenizerSpec {
    TokenizerKind kind = TokenizerKind::Auto;
    WordSplit split = WordSplit::Whitespace;  ///< words
    bool lower = false;                       ///< wordpiece: strips accents too
    std::int64_t minCount = 2;  ///< words, characters: rarer types become <unk>; wordpiece: rarer pairs are not merged
    PieceModel model = PieceModel::Unigram;  ///< sentencepiece
    std::int64_t vocabSize = 8000;           ///< sentencepiece, wordpiece: pieces per side, special tokens included
    bool shared = false;                     ///< one vocabulary for both sides
    bool mask = false;                       ///< adds <mask> with id 4; wordpiece always has it
    std::string vocab;                       ///< wordpiece: a publisher's vocab.txt in place of training
    std::string file;                        ///< a saved tokenizer, a SentencePiece model or a vocab.txt; determines the kind
    Json target = Json::object();            ///< overrides for the target side, by their names in a spec file

    /// The target side's spec: this with the overrides of `target`. A kind named there drops the inherited vocab and file.
    TokenizerSpec forTarget() const;
};

/// How input tokens are corrupted (tasks mlm and denoise); drawn anew in every epoch.
struct CorruptSpec {
    double rate = 0.15;  ///< share of positions chosen
    /// mlm: shares of those that become <mask> and a random word; the rest is unchanged (Devlin et al. 2019, appendix A.1).
    double mask = 0.8, random = 0.1;
    bool specials = false;     ///< denoise: special tokens may be chosen and drawn, too (variants.md S12)
    bool excludeSelf = false;  ///< denoise: the replacement differs from the original (S12)
};

/// Generated data (format generated/…), labelled synthetic wherever they are shown.
struct GeneratedSpec {
    std::int64_t train = 10000, valid = 1000, test = 1000;  ///< examples
    std::int64_t shortest = 4, longest = 16;                ///< words per example
    std::int64_t words = 26;                                ///< number of distinct words
    std::int64_t distance = 4;                              ///< agreement: distance between the two words that must agree
    std::uint64_t seed = 1;                                 ///< of the data; independent of the run's seed
};

/// Columns of a user's table (tsv, csv, jsonl): names of its header or keys, or numbers from 1; empty: detected.
struct ColumnNames {
    std::string text, second, label;
    bool empty() const { return text.empty() && second.empty() && label.empty(); }
};

/// A row of a language model. Lines: a line. Blocks: dims.max_len tokens of the running text. Documents: such a block, whose
/// documents do not see each other. A document is a line or, in a file of tokens, a text.
enum class Packing { Lines, Blocks, Documents };
template <>
struct ChoiceWords<Packing> {
    static constexpr ChoiceWord<Packing> kAll[] = {
        {"lines", Packing::Lines}, {"blocks", Packing::Blocks}, {"documents", Packing::Documents}};
};

/// What to do with a malformed line.
enum class OnBadLine { Stop, Skip };
template <>
struct ChoiceWords<OnBadLine> {
    static constexpr ChoiceWord<OnBadLine> kAll[] = {{"stop", OnBadLine::Stop}, {"skip", OnBadLine::Skip}};
};

struct DataSpec {
    std::string task = "translation";  ///< one of taskNames()
    std::string format = "lines";      ///< lines | an id of exampleFormats() | idx | generated/…
    ParallelFiles train, valid, test;
    ColumnNames columns;
    std::int64_t stride = 128;             ///< span: tokens between the starts of a long context's windows; 0: truncate
    double validShare = 0, testShare = 0;  ///< share of the training examples, if no file is given
    TokenizerSpec tokenizer;
    std::string vectors;               ///< file of word vectors for embed.source frozen_file
    Packing packing = Packing::Lines;  ///< mlm, denoise, causal_lm
    bool transductive = false;         ///< mlm, denoise: the inputs of valid and test are training text too (S17)
    OnBadLine onBadLine = OnBadLine::Stop;
    std::int64_t minWords = 0, maxWords = 0;  ///< training examples outside are dropped and counted; 0: no limit
    std::int64_t maxTokens = 0;               ///< longer training pairs are dropped and counted; 0: dims.max_len
    std::int64_t limit = 0;                   ///< first N training pairs only; 0: all
    CorruptSpec corrupt;
    GeneratedSpec generated;
};

/// Initial weights instead of random ones, for fine-tuning and forks.
struct StartSpec {
    std::string checkpoint;           ///< folder of a checkpoint; empty: random weights
    std::string weightsSha256;        ///< of its weights; set when the run is created, part of the run's hash
    bool neutral = false;             ///< blocks missing in the checkpoint start without effect, if possible
    bool withState = false;           ///< goes on from the checkpoint's step with its optimizer and place in the data, too
    std::vector<std::string> freeze;  ///< module paths whose parameters are frozen
    double layerDecay = 1;            ///< learning rate of a layer ÷ that of the layer above it (Howard and Ruder 2018, 3.2)
};

/// Muon: the matrices of the stacks by Muon, all else by AdamW.
enum class OptimizerKind { Adam, AdamW, Muon };
template <>
struct ChoiceWords<OptimizerKind> {
    static constexpr ChoiceWord<OptimizerKind> kAll[] = {
        {"adam", OptimizerKind::Adam}, {"adamw", OptimizerKind::AdamW}, {"muon", OptimizerKind::Muon}};
};

/// The factor of Muon's learning rate for a matrix: √max(1, rows / columns) (Jordan et al. 2024), or 0.2 · √max(rows, columns),
/// which gives updates the root mean square of AdamW's (Liu et al. 2025, section 2.2).
enum class MuonScale { Original, MatchRmsAdamW };
template <>
struct ChoiceWords<MuonScale> {
    static constexpr ChoiceWord<MuonScale> kAll[] = {{"original", MuonScale::Original},
                                                     {"match_rms_adamw", MuonScale::MatchRmsAdamW}};
};

struct MuonSpec {
    double momentum = 0.95;
    bool nesterov = true;
    std::int64_t iterations = 5;  ///< of Newton and Schulz
    MuonScale scale = MuonScale::Original;
};

/// Parameters whose learning rate or weight decay differs from that of the others.
struct GroupSpec {
    /// embeddings, matrices, vectors, head (ParameterKind), or a pattern of parameter paths, in which * stands for any text.
    std::string parameters;
    double rate = 1, decay = 1;  ///< factors of the schedule's rate and of train.optimizer.weight_decay
};

/// How the learning rate moves; learningRate() (schedules.h) has the formulas.
enum class ScheduleKind { Constant, Noam, NoamPeak, ConstantAfterWarmup, Linear, Cosine, Plateau, Wsd };
template <>
struct ChoiceWords<ScheduleKind> {
    static constexpr ChoiceWord<ScheduleKind> kAll[] = {
        {"constant", ScheduleKind::Constant},  {"noam", ScheduleKind::Noam},
        {"noam_peak", ScheduleKind::NoamPeak}, {"constant_after_warmup", ScheduleKind::ConstantAfterWarmup},
        {"linear", ScheduleKind::Linear},      {"cosine", ScheduleKind::Cosine},
        {"plateau", ScheduleKind::Plateau},    {"wsd", ScheduleKind::Wsd}};
};

/// How the rate of schedule wsd falls at its end.
enum class DecayShape { Linear, Sqrt };
template <>
struct ChoiceWords<DecayShape> {
    static constexpr ChoiceWord<DecayShape> kAll[] = {{"linear", DecayShape::Linear}, {"sqrt", DecayShape::Sqrt}};
};

/// Auto: SquaredError for numbers, else CrossEntropy.
enum class LossKind { Auto, CrossEntropy, Hinge, HingeMax, SquaredError };
template <>
struct ChoiceWords<LossKind> {
    static constexpr ChoiceWord<LossKind> kAll[] = {{"auto", LossKind::Auto},
                                                    {"ce", LossKind::CrossEntropy},
                                                    {"hinge", LossKind::Hinge},
                                                    {"hinge_max", LossKind::HingeMax},
                                                    {"mse", LossKind::SquaredError}};
};

/// Whether the loss is a hinge loss of either form (variants.md S11).
inline bool isHinge(LossKind loss) { return loss == LossKind::Hinge || loss == LossKind::HingeMax; }

/// What a run may use; what ends first ends it. 0: not limited.
struct BudgetSpec {
    double tokens = 0;   ///< read in training, as tokens_per_second counts them
    double flops = 0;    ///< by the closed forms of the variant's blocks
    double seconds = 0;  ///< of training and evaluation, without preparation and pauses

    bool isEmpty() const { return tokens == 0 && flops == 0 && seconds == 0; }
};

struct TrainSpec {
    OptimizerKind optimizer = OptimizerKind::AdamW;
    std::array<double, 2> betas{0.9, 0.98};
    double epsilon = 1e-8, weightDecay = 0.01;
    MuonSpec muon;
    std::vector<GroupSpec> groups;  ///< the first that fits a parameter counts
    double lr = 1e-3;               ///< peak; ignored by schedule noam, whose scale is d^-0.5 * factor
    ScheduleKind schedule = ScheduleKind::Constant;
    std::int64_t warmup = 4000;  ///< steps
    double noamFactor = 1.0;
    std::int64_t scheduleSteps = 0;              ///< linear, cosine, wsd: last step of the decay; 0: the run's last step
    double scheduleEnd = 0;                      ///< linear, cosine, plateau, wsd: lowest rate, as a share of lr
    double scheduleDecay = 0.2;                  ///< wsd: share of the steps in which the rate falls; 0: it stays
    DecayShape decayShape = DecayShape::Linear;  ///< wsd
    double plateauFactor = 0.5;                  ///< plateau: factor of a reduction…
    std::int64_t plateauPatience = 2;            ///< …after this many evaluations without improvement
    std::int64_t epochs = 10;                    ///< training ends at whichever of epochs and steps comes first; 0: no limit
    std::int64_t steps = 0;
    BudgetSpec budget;
    std::vector<std::int64_t> extended;  ///< the steps after which `heddle resume` gave the run new limits
    std::int64_t batchTokens = 4096;     ///< padded tokens of the longer side; 0 if batchSentences is used
    std::int64_t batchSentences = 0;
    /// Rows, widths and labels are rounded up to multiples of it; 0: 8 if steps are captured, else 1.
    std::int64_t batchRound = 0;
    bool graphs = true;           ///< on a GPU: steps are captured as CUDA graphs and replayed
    std::int64_t accumulate = 1;  ///< micro-steps per step
    double clip = 1.0;            ///< global gradient norm; 0: off
    LossKind loss = LossKind::Auto;
    double labelSmoothing = 0.1;
    double zLoss = 0;  ///< factor of log²Z in the loss (Chowdhery et al. 2022, section 5); 0: none
    StartSpec start;
    double ema = 0;  ///< decay of the moving average of the weights; 0: none
    Precision precision = Precision::Auto;
    bool deterministic = true;
    std::string stopMetric = "loss";      ///< early stopping on valid: a metric of the task
    std::int64_t patience = 0;            ///< evaluations without improvement; 0: off
    std::int64_t checkpointEvery = 1000;  ///< steps; also written at step 0, at every best evaluation, and at the end
    std::int64_t keepLast = 2;
    std::int64_t threads = 0;     ///< 0: physical cores
    std::string device = "auto";  ///< auto | cpu | cuda | cuda:i
};

struct EvaluateSpec {
    std::int64_t everyEpochs = 1;
    std::int64_t everySteps = 0;     ///< additionally; 0: off
    std::int64_t bleuSentences = 0;  ///< BLEU on the first N validation pairs; 0: all
    std::int64_t bleuEveryEpochs = 1;
    std::int64_t beam = 0;            ///< beam size of all decoding in evaluations; 0: greedy
    double lengthPenalty = 0;         ///< its α, see lengthPenalty()
    bool testAtEnd = true;            ///< evaluate the test split with the best checkpoint when training completes
    std::int64_t timedSentences = 0;  ///< then time the decoding of its first N examples; 0: off
    bool timedUncached = false;       ///< time these also one by one and without a cache
};

struct RecordSpec {
    std::int64_t scalarsEvery = 1, histogramsEvery = 20, mapsEvery = 200;  ///< steps; maps also at 1, 2, 4, … below mapsEvery
    std::int64_t probes = 2;                                               ///< validation sentences whose attention is recorded
    double maxMib = 256;
    std::int64_t healthEvery = 0;  ///< steps; 0: off
    double systemEvery = 5;        ///< seconds; 0: off
};

/// A run: variant, data, training, evaluation, recording, seed. Value type.
class RunSpec {
public:
    /// Accepts a run spec or a bare variant. Relative data paths start at `base`.
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
    /// All fields and the variant's resolved tree, for diffDocuments and display.
    Json resolvedJson() const;
    /// "run_hash": without seed, name, device and paths; data files are replaced by the given content hashes. A number of
    /// threads is part of it where the spec names one, since other numbers add in another order; so are the names of the splits
    /// where the hashes leave a doubt.
    std::string hash(const std::vector<std::string>& dataHashes) const;
    /// The hash of the run's group (engine/analysis/run_group.h): without threads, too. Equal to hash() where none are named.
    std::string groupHash(const std::vector<std::string>& dataHashes) const;
};

/// Schema of a run spec without its variant. Defaults are those of the structs above; run_schema.cpp and train_schema.cpp have
/// a line for each member.
const FieldSchema& runSchema();

/// A bare variant as a run-spec document; a run-spec document as it is.
Json asRunDocument(const Json& document);

/// Applies `path=value` (value is JSON, or a bare string) to a run-spec document or a bare variant (which becomes one). Paths
/// may start at the run ("train.lr"), at the variant ("dims.d", "encoder.self.adjuster"), or be resolved ones
/// ("encoder.layers.1.self.residual.kind"). Naming another kind of block drops the parameters of the one before. Relative data
/// files start at the working folder, not at the spec's. Wrong values are left for parse() to report.
void applySet(Json& document, const std::string& assignment);

// What the table of a run's fields (run_schema.cpp) gives: all that has to know which fields there are asks here.

/// All members of a run except its variant, including defaults.
Json writeRunFields(const RunSpec& run);

/// The inverse: sets the members that `document` has; it must be valid.
void readRunFields(const Json& document, RunSpec& run);

/// Sets the members of a tokenizer that `document` has, of those that both sides have.
void readTokenizerFields(const Json& document, TokenizerSpec& tokenizer);

/// A setting of a run that is a label, or names a file: whose field has a role.
struct MarkedSetting {
    std::string path;  ///< "data.train.source"
    Json::json_pointer pointer;
    const FieldSchema* field;
};

/// All of them, in the order of the schema.
const std::vector<MarkedSetting>& markedSettings();

/// Whether a field is the path of a file or a folder.
bool namesFile(const FieldSchema& field);

/// `value`, which is of `schema`, with relative paths of files made absolute; they start at the folder `base`.
Json withAbsoluteFiles(const FieldSchema& schema, Json value, const std::string& base);

/// A run-spec document without the settings of these roles, and without objects that are empty then.
Json withoutMarked(Json document, const std::vector<FieldSchema::Role>& roles);

}  // namespace heddle
