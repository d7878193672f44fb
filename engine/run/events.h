// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"
#include "engine/run/run_state.h"
#include "engine/run/tokenizer_report.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace heddle {

/// The closed vocabulary of what the engine says (design section 2). Plain values; made on the engine thread, consumed by
/// the recorder. Steps count optimizer updates, from 1; step 0 is before training. Times are seconds on a monotonic clock
/// since the attempt began.

struct StateChanged {
    RunState state;
    std::string reason;
};

/// Values of one series at consecutive recorded steps: first, first+stride, … NaN and infinities are kept.
struct SeriesBlock {
    std::string name;  ///< "loss", "accuracy", "lr", "grad_norm", "tokens_per_second", "step_seconds"
    std::string path;  ///< module path, or empty for the whole model
    std::int64_t firstStep = 0, stride = 1;
    std::vector<float> values;
    bool deterministic = true;  ///< equal bit for bit when steps are replayed (loss is, tokens_per_second is not)
};
/// All scalar series of a stretch of steps, drained from the device ring together.
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
    std::vector<Value> values;  ///< metric: "loss" "accuracy" "bleu" …; n: tokens or sentences it was taken over
    double seconds = 0;
};

struct HistogramTaken {
    std::string name;          ///< exposure id ("gate", "evaluation") or "weights"
    std::string path;          ///< "encoder.layers.0.self.residual"
    double low = 0, high = 1;  ///< range of the equal-width bins; below and above are counted apart
    std::vector<std::uint32_t> bins;
    std::uint64_t below = 0, above = 0, notFinite = 0;
    double mean = 0, deviation = 0, minimum = 0, maximum = 0;
};

struct MapTaken {
    std::string name;        ///< exposure id: "weight" (attention), "gate" (score gate), …
    std::string path;        ///< of the module that shows it: "decoder.layers.1.cross", "decoder.layers.1.self.score"
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
    std::vector<std::string> kinds;  ///< all that it is kept as, recorded in one commit: "step" | "best" | "last"
    std::string folder;              ///< relative to FILE.heddle.d
    std::string weightsSha256, optimizerSha256, stateSha256;
    std::uint64_t bytes = 0;
};

/// What the attempt runs with, said once its data have been read and its model is built.
struct AttemptDescribed {
    std::uint64_t seed = 0;
    std::string variantHash, runHash;
    std::vector<std::string> dataHashes, tokenizerHashes;
    std::string classesHash;  ///< empty: the task has no classes
    std::string task;
    std::string synthetic;  ///< what computed the data; empty: they were read
    std::int64_t vocabSource = 0, vocabTarget = 0, classes = 0;
    std::int64_t trainPairs = 0, stepsPerEpoch = 0;
    std::int64_t totalSteps = 0;  ///< 0: not known
    std::int64_t parameters = 0, batchRound = 0, threads = 0;
    std::string device, deviceName, precision;
    std::string products;  ///< the library that multiplies: "onednn", "torch", …
    std::string torch;     ///< its version
    bool deterministic = false;
    bool graphs = false;  ///< steps are captured as graphs
};

/// Which weights a fresh run took from a checkpoint or from published ones; paths of parameters.
struct StartedFrom {
    std::string run, step;  ///< names of the folder; both empty: nothing was taken
    std::string weightsSha256;
    std::vector<std::string> taken, drawn, neutral, frozen;
};

/// A checkpoint was read to go on from.
struct StateRestored {
    std::int64_t step = 0, epoch = 0, batch = 0;
    bool isSameSpec = true;  ///< false: the run's spec has changed since
};

/// A tokenizer and what it made of the run's texts.
struct TokenizerReported {
    TokenizerReport report;
};

/// The first step of the attempt is done, so long after its beginning.
struct FirstStepDone {
    double seconds = 0;
};

/// How the steps of the attempt were made so far, where a device captures them; said at the end of every epoch.
struct StepsCaptured {
    std::int64_t steps = 0;
    std::int64_t captures = 0;   ///< steps of a shape that was captured then
    std::int64_t replays = 0;    ///< steps made by replaying a capture; the step that is captured is one of them
    std::int64_t evictions = 0;  ///< shapes that were forgotten to make room
};

/// Peak resident memory of the process so far; said after every evaluation, whose end is its time.
struct MemoryMeasured {
    std::uint64_t peakBytes = 0;
};

/// The recorder is behind: of the scalars one in `keptOneOf` is recorded from this step on; 1: all are again.
struct ScalarsThinned {
    std::int64_t fromStep = 0, keptOneOf = 1;
};

/// Decoding runs the whole prefix at every position, for the reason given.
struct DecodingWithoutCache {
    std::string obstacle;
};

/// The processor multiplies in bfloat16 `gain` < 1 times as fast as in float32.
struct SlowPrecision {
    double gain = 1;
};

/// A checkpoint was not written.
struct CheckpointSkipped {
    std::string problem, next;
    std::string folder;
    std::uint64_t bytesNeeded = 0;
    std::int64_t lastGoodStep = -1;  ///< -1: none was written yet
};

/// The test split was not evaluated: the best checkpoint cannot be read.
struct BestCheckpointUnreadable {
    std::int64_t step = 0;
    std::string problem;
};

/// Something that has to be known of the run's data, whatever the attempt.
struct DataWarning {
    std::string text;
};

/// A sentence for people that nothing in the program looks into.
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

using EventBody = std::variant<StateChanged, StepBlock, EvaluationDone, HistogramTaken, MapTaken, SampleText, CheckpointWritten,
                               AttemptDescribed, StartedFrom, StateRestored, TokenizerReported, FirstStepDone, StepsCaptured,
                               MemoryMeasured, ScalarsThinned, DecodingWithoutCache, SlowPrecision, CheckpointSkipped,
                               BestCheckpointUnreadable, DataWarning, Remark, Failure, Answer>;

struct Event {
    std::string run;  ///< run id
    std::int64_t attempt = 1;
    std::int64_t step = 0;
    double seconds = 0;  ///< monotonic, since the attempt began
    EventBody body;
};

/// Where the engine puts events. Called on the engine thread only; never blocks.
class EventSink {
public:
    virtual ~EventSink() = default;
    /// What the recorder asks of the trainer: nothing (queue below 50 %), fewer scalars (from 50 %), a pause at the next step
    /// border (from 80 % or after a write error), the same because the database is not at its place.
    enum class Pressure { None, ThinScalars, Pause, NoDatabase };
    virtual Pressure emit(Event event) = 0;
    virtual Pressure pressure() const = 0;
};

}  // namespace heddle
