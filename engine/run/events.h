// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/run_state.h"
#include "engine/spec/json.h"

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

struct Note {
    std::string kind, text;
    Json data;
};  ///< kinds: "info" "warning" "data" "memory" "gap" "resume" "sparsity"

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
                               Note, Failure, Answer>;

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
