// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/run/interventions.h"
#include "engine/run/run_state.h"
#include "engine/run/tokenizer_report.h"
#include "engine/spec/module_path.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace heddle {

/// The events of the engine (design section 2), a closed set of plain values, made on the engine thread and consumed by the
/// recorder. Steps count optimizer updates, from 1; step 0 is before training. Times are seconds on a monotonic clock since the
/// attempt began.

struct StateChanged {
    RunState state;
    std::string reason;
};

/// Values of one series at consecutive recorded steps: first, first+stride, … NaN and infinities are allowed.
struct SeriesBlock {
    std::string name;  ///< "loss", "accuracy", "lr", "grad_norm", "tokens_per_second", "step_seconds"
    std::string path;  ///< module path, or empty for the whole model
    std::int64_t firstStep = 0, stride = 1;
    std::vector<float> values;
    bool deterministic = true;  ///< equal bit for bit when steps are replayed (loss is, tokens_per_second is not)
};
/// All scalar series of some steps, drained from the device ring together.
struct StepBlock {
    std::vector<SeriesBlock> series;
};

struct EvaluationDone {
    std::int64_t epoch = 0;
    std::string split;  ///< "train" (epoch means), "valid", "test"
    struct Value {
        std::string metric;
        double value = 0;
        std::string signature;
        std::int64_t n = 0;
    };
    std::vector<Value> values;  ///< metric: "loss" "accuracy" "bleu" …; n: number of tokens or sentences
    double seconds = 0;
};

struct HistogramTaken {
    std::string name;          ///< exposure id ("gate", "evaluation") or "weights"
    std::string path;          ///< "encoder.layers.0.self.residual"
    double low = 0, high = 1;  ///< range of the equal-width bins; values below and above are counted separately
    std::vector<std::uint32_t> bins;
    std::uint64_t below = 0, above = 0, notFinite = 0;
    double mean = 0, deviation = 0, minimum = 0, maximum = 0;
};

struct MapTaken {
    std::string name;        ///< exposure id: "weight" (attention), "gate" (score gate), …
    std::string path;        ///< of the module with the exposure: "decoder.layers.1.cross", "decoder.layers.1.self.score"
    std::int64_t probe = 0;  ///< index of the pinned probe sentence
    std::int64_t heads = 0, rows = 0, columns = 0;
    std::vector<float> values;  ///< [heads, rows, columns], row-major
    std::vector<std::string> rowTokens, columnTokens;
};

struct SampleText {
    std::int64_t index = 0;
    std::string source, reference, hypothesis;
};

struct CheckpointWritten {
    std::vector<std::string> kinds;  ///< retention kinds, recorded in one commit: "step" | "best" | "last"
    std::string folder;              ///< relative to FILE.heddle.d
    std::string weightsSha256, optimizerSha256, stateSha256;
    std::uint64_t bytes = 0;
};

/// Description of the attempt, emitted after its data are read and its model is built.
struct AttemptDescribed {
    std::uint64_t seed = 0;
    std::string variantHash, runHash;
    std::vector<std::string> dataHashes, tokenizerHashes;
    std::string classesHash;  ///< empty: no classes
    std::string task;
    std::string synthetic;  ///< generator of the data; empty: data were read
    std::int64_t vocabSource = 0, vocabTarget = 0, classes = 0;
    std::int64_t trainPairs = 0, stepsPerEpoch = 0;
    std::int64_t totalSteps = 0;  ///< 0: unknown
    std::int64_t parameters = 0, batchRound = 0, threads = 0;
    std::string device, deviceName, precision;
    std::string products;  ///< the library for matrix products: "onednn", "torch", …
    std::string torch;     ///< its version
    bool deterministic = false;
    bool graphs = false;  ///< steps are captured as graphs
};

/// The modules of the attempt's model, in model order.
struct ModelBuilt {
    std::vector<BuiltModule> modules;
};

/// Which parameters of a new run came from a checkpoint or from published weights; paths.
struct StartedFrom {
    std::string run, step;  ///< names of the folder; both empty: no start weights
    std::string weightsSha256;
    std::vector<std::string> taken, drawn, neutral, frozen;
    std::string note = {};                   ///< what became of rows that stand for classes; a sentence, or empty
    std::vector<std::string> warnings = {};  ///< told beside this event: parameters outside the head that are random
};

/// A checkpoint was loaded to resume.
struct StateRestored {
    std::int64_t step = 0, epoch = 0, batch = 0;
    bool isSameSpec = true;  ///< false: the run's spec has changed since
};

/// From the next step on these interventions are in force; a list that is not empty makes the run incomparable with others.
struct Intervened {
    std::vector<Intervention> inForce, added, removed;
};

/// A tokenizer with statistics on the run's texts.
struct TokenizerReported {
    TokenizerReport report;
};

/// The first step of the attempt is done; seconds since the attempt began.
struct FirstStepDone {
    double seconds = 0;
};

/// Counts of captured steps of the attempt; emitted at the end of every epoch on devices that capture. Each micro-batch and the
/// update count as a step where a step has several micro-batches or processes.
struct StepsCaptured {
    std::int64_t steps = 0;
    std::int64_t captures = 0;   ///< steps that were captured
    std::int64_t replays = 0;    ///< steps executed by replaying a capture, including the captured step
    std::int64_t evictions = 0;  ///< shapes evicted from the cache
};

/// Peak resident memory of the process so far; emitted after every evaluation.
struct MemoryMeasured {
    std::uint64_t peakBytes = 0;
};
MemoryMeasured measureMemory();

/// How many runs the program trained at once during the attempt, this one among them; emitted at its end, where they could be
/// more than one.
struct RunsAtOnce {
    std::int64_t least = 1, most = 1;
    std::int64_t runs = 1;  ///< as many for the largest share of the attempt's time
    double share = 1;       ///< that share, up to 1
};

/// The recorder is behind: from this step on, one in `keptOneOf` scalars is recorded; 1: all again.
struct ScalarsThinned {
    std::int64_t fromStep = 0, keptOneOf = 1;
};

/// Decoding re-reads the whole prefix at every position, for the reason given.
struct DecodingWithoutCache {
    std::string obstacle;
};

/// The CPU multiplies in bfloat16 at `gain` < 1 times the speed of float32.
struct SlowPrecision {
    double gain = 1;
};

/// A checkpoint was not written.
struct CheckpointSkipped {
    std::string problem, next;
    std::string folder;
    std::uint64_t bytesNeeded = 0;
    std::int64_t lastGoodStep = -1;  ///< -1: none yet
};

/// The test split was not evaluated because the best checkpoint cannot be read.
struct BestCheckpointUnreadable {
    std::int64_t step = 0;
    std::string problem;
};

/// A warning about the run's data or what its evaluations mean, valid for all attempts.
struct DataWarning {
    std::string text;
};

/// A message for users; the program never interprets it.
struct Remark {
    enum class Kind { Info, Data, Warning };
    Kind kind = Kind::Info;
    std::string text;
};

struct Failure {
    int exitCode = 1;
    std::string what, where, safe, next;
};

/// The answer to a question asked through the mailbox.
struct Answer {
    std::uint64_t question = 0;
    bool ok = true;
    Json value;
};

using EventBody =
    std::variant<StateChanged, StepBlock, EvaluationDone, HistogramTaken, MapTaken, SampleText, CheckpointWritten,
                 AttemptDescribed, ModelBuilt, StartedFrom, StateRestored, Intervened, TokenizerReported, FirstStepDone,
                 StepsCaptured, MemoryMeasured, RunsAtOnce, ScalarsThinned, DecodingWithoutCache, SlowPrecision,
                 CheckpointSkipped, BestCheckpointUnreadable, DataWarning, Remark, Failure, Answer>;

struct Event {
    std::string run;  ///< run id
    std::int64_t attempt = 1;
    std::int64_t step = 0;
    double seconds = 0;  ///< monotonic, since the attempt began
    EventBody body;
};

/// The receiver of events. Called on the engine thread only; never blocks.
class EventSink {
public:
    virtual ~EventSink() = default;
    /// The recorder's back-pressure: none (queue below 50 %), fewer scalars (from 50 %), a pause at the next step border (from
    /// 80 % or after a write error), a pause because the database file is missing.
    enum class Pressure { None, ThinScalars, Pause, NoDatabase };
    virtual Pressure emit(Event event) = 0;
    virtual Pressure pressure() const = 0;
};

}  // namespace heddle
