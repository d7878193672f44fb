// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::storage {

/// Plain records: storage knows nothing of transformers, and no other library sees SQL. Times are Unix seconds (UTC); durations
/// are seconds on a monotonic clock.

/// The Unix time now.
double unixTime();

/// A failure of the database: what happened, where, what is safe, and what to do next.
class StorageError : public std::runtime_error {
public:
    /// NoDatabase: the file is missing or empty; NotFound: what was asked for is not in the database.
    enum class Kind { NoDatabase, NotFound, NotADatabase, NewerSchema, Locked, Full, InputOutput, Corrupt, Invalid };
    StorageError(Kind kind, std::string what, std::string where, std::string next);
    Kind kind() const { return kind_; }
    const std::string& problem() const { return problem_; }
    const std::string& where() const { return where_; }
    const std::string& next() const { return next_; }

private:
    Kind kind_;
    std::string problem_, where_, next_;
};

/// Tag of a run with generated data; shown with its name everywhere.
inline constexpr const char* kSyntheticTag = "synthetic";
/// Tag of a run that another program trained; it was imported and has no weights.
inline constexpr const char* kForeignTag = "foreign";

/// A random id for a new run.
std::string newRunId();

/// Whether a text is a valid run id (12 lower-case hexadecimal digits); checked before it becomes a path.
bool isRunId(std::string_view text);

/// Whether a checkpoint of this kind is the mean of others, from which no training goes on: "average-400-500-600", the steps of
/// those that it is the mean of.
bool isAverage(std::string_view kind);

/// Folder of a checkpoint below FILE.heddle.d: RUN/step-N, or RUN/KIND of an average; always computed from checked values,
/// never read from a file.
std::string checkpointFolder(const std::string& run, std::int64_t step, std::string_view kind);

/// State of a run whose row is damaged.
inline constexpr const char* kDamagedState = "damaged";

// `damaged`: the row's checksum is wrong. Its numbers are then NaN or 0 and its texts empty, except the key, which may be
// wrong.

struct RunRecord {
    std::string id;      ///< 12 lower-case hexadecimal digits, unique in the database; "damaged-N" for row N without valid id
    std::string name;    ///< given by the user; need not be unique
    std::string state;   ///< "queued" … (engine/run/run_state.h)
    std::string reason;  ///< of the last state change
    std::string spec;    ///< compact run spec, JSON text
    std::string variantHash, runHash;
    std::uint64_t seed = 0;
    double created = 0;                                              ///< Unix time
    std::int64_t attempts = 0, step = 0, epoch = 0, totalSteps = 0;  ///< totalSteps: estimate, 0 unknown
    std::int64_t parameters = 0;
    double seconds = 0;   ///< summed over attempts
    std::string lineage;  ///< parent run id (fork), or empty
    std::string group;    ///< "reproduce/eau-table3 --quick", or empty
    std::vector<std::string> tags;
    double trashed = 0;        ///< Unix time when it was moved to the trash; 0: not in the trash
    double queued = 0;         ///< position in the queue: Unix time when it was queued, changed by moving it
    std::string edits = "{}";  ///< JSON: times of users' last changes: {"name": time, "trashed": time, "tags": {"paper": time}}
    /// The step after which interventions first changed its training: not comparable from there on; -1: never.
    std::int64_t intervened = -1;
    std::int64_t rev = 0;  ///< database-wide commit number of the last change
    bool damaged = false;
    bool operator==(const RunRecord&) const = default;
};

/// The order in which runs in state queued start.
bool startsBefore(const RunRecord& a, const RunRecord& b);

struct AttemptRecord {
    std::string run;
    std::int64_t attempt = 1;
    double started = 0, seconds = 0;
    std::int64_t firstStep = 0;                ///< step it started from (0, or the checkpoint's)
    std::string device, host, program, torch;  ///< versions
    std::int64_t threads = 0;
    std::string context;  ///< JSON: determinism flags, data-set and tokenizer hashes, …
    std::int64_t peakBytes = 0;
    std::string replay;  ///< resume self-check: "" not a resume | "equal" | "different" | "nothing to compare"
    std::int64_t replayedSteps = 0;
    bool damaged = false;
};

struct SeriesAppend {
    std::string run;
    std::int64_t attempt = 1;
    std::string name, path;
    std::int64_t firstStep = 0, stride = 1;
    std::vector<float> values;
    bool deterministic = true;
};

struct EvaluationRecord {
    std::string run;
    std::int64_t attempt = 1, step = 0, epoch = 0;
    std::string split, metric, signature;
    double value = 0;
    std::int64_t n = 0;
    double seconds = 0;
    bool damaged = false;
};

struct HistogramRecord {
    std::string run;
    std::int64_t attempt = 1, step = 0;
    std::string name, path;
    double low = 0, high = 1;
    std::vector<std::uint32_t> bins;
    std::uint64_t below = 0, above = 0, notFinite = 0;
    double mean = 0, deviation = 0, minimum = 0, maximum = 0;
};

struct MapRecord {
    std::string run;
    std::int64_t attempt = 1, step = 0;
    std::string name, path;
    std::int64_t probe = 0, heads = 0, rows = 0, columns = 0;
    std::vector<float> values;  ///< [heads, rows, columns]; stored as f16, so within 2^-11 relative
    std::vector<std::string> rowTokens, columnTokens;
};

struct SampleRecord {
    std::string run;
    std::int64_t attempt = 1, step = 0, index = 0;
    std::string source, reference, hypothesis;
    bool damaged = false;
};

struct CheckpointRecord {
    std::string run;
    std::int64_t attempt = 1, step = 0;
    std::string kind;    ///< "step" | "best" | "last" | an average, see isAverage(); its step is that of the newest of them
    std::string folder;  ///< relative to FILE.heddle.d; checkpointFolder() when read
    std::string weightsSha256, optimizerSha256, stateSha256;
    std::uint64_t bytes = 0;
    bool damaged = false;
};

struct EventRecord {
    std::string run;
    std::int64_t attempt = 1, step = 0;
    double seconds = 0, at = 0;  ///< since the attempt began; Unix time
    std::string kind;            ///< "state" "warning" "info" "failure" "gap" "resume" "memory" …
    std::string text, data;      ///< data: JSON text or empty
    bool damaged = false;
};

/// A request that another process put into FILE.heddle.inbox.
struct InboxRequest {
    std::int64_t id = 0;
    std::string verb;  ///< "enqueue" "pause" "resume" "stop" "checkpoint" "rename" "tag" "note" "move" "delete" "ask"
    std::string run;
    std::string body;  ///< JSON text
    double at = 0;     ///< Unix time of the request; 0: set when it is put into the inbox
    /// When taken: why it must be refused and not executed; empty: execute it.
    std::string refusal{};
};

}  // namespace heddle::storage
