// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command_line.h"
#include "engine/base/error.h"
#include "engine/run/train_bench.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::app {

/// Engine names of Heddle: with deterministic algorithms (the default), and without.
inline constexpr const char* kHeddle = "heddle";
inline constexpr const char* kHeddleNondeterministic = "heddle-nondeterministic";

/// Settings shared by all rows of `heddle bench train`.
struct BenchSettings {
    std::string device = "auto", precision;
    std::optional<std::int64_t> threads, steps, warmup, repeats, seed, pool;
    bool small = false, nondeterministic = false;
    std::string rowsFolder;  ///< every row is written here as soon as it is measured; empty: not written
};

/// What is measured, and how: the options that `heddle bench train` shares with the developer's program (tests/dev).
struct BenchOptions {
    std::vector<std::string> workloads;
    bool all = false;
    BenchSettings settings;
};

/// Declares the workloads and all options but --repeats; `options` must outlive the command.
CommandBuilder& addBenchOptions(CommandBuilder& command, BenchOptions& options);

/// The names of the workloads. Throws Error(Usage) for none, and for one that is unknown.
std::vector<std::string> chosenWorkloads(const BenchOptions& options);

/// Throws Error(Usage) for a number that is too small.
void checkCounts(const BenchSettings& settings);

/// The user's precision; default fp32 on a CPU, bf16 on a GPU.
std::string precisionOf(const BenchSettings& settings);
/// "cuda" if the steps run on a GPU, else "cpu".
std::string deviceKind(const BenchSettings& settings);

/// A row of "heddle.bench/1": {workload, engine, parameters, step_ms, step_ms_min, step_ms_max, tokens_per_second, …}.
Json rowDocument(const TrainBenchRow& row);

/// The workload at the requested size, with the requested number of distinct batches.
Workload chosenWorkload(const std::string& name, const BenchSettings& settings);

/// The measurement of a workload with these settings; progress goes to context.err.
TrainBenchRequest benchRequest(const Workload& workload, const BenchSettings& settings, const Context& context);

/// Measures a workload in this process. Returns its row.
Json measureInThisProcess(const std::string& workload, const BenchSettings& settings, const Context& context);
Json measureInThisProcess(const Workload& workload, const BenchSettings& settings, const Context& context);

/// Measures a workload by `bench train` of this program in a new process, so that memory and start time are its own. `more`:
/// arguments that the settings do not say. Returns its row; throws what the process reported.
Json measureInNewProcess(const std::string& workload, const BenchSettings& settings, const std::vector<std::string>& more = {});

/// Appends --steps, --warmup, --repeats, --seed and --pool where they are set.
void addCounts(std::vector<std::string>& arguments, const BenchSettings& settings);

/// The row of a failed measurement: {workload, engine, failure}.
Json failureRow(const std::string& workload, const std::string& engine, const Error& error);

/// Writes a row to FOLDER/WORKLOAD-ENGINE-ROUND.json, if settings name a folder, so that an interruption loses no results.
void saveRow(const Json& row, std::int64_t round, const BenchSettings& settings);

/// A table of the rows; failures stand below it.
std::string rowsText(const std::vector<Json>& rows);

/// Tokens/s of Heddle ÷ those of another engine on a workload.
struct SpeedRatio {
    std::string workload, engine;
    double ratio = 0;
};

/// Prints the rows, with their shares of the fastest matrix product that any process found, and the ratios: as "heddle.bench/1"
/// or as text. Returns the exit code, 1 if a row failed.
int printRows(std::vector<Json> rows, const std::vector<SpeedRatio>& ratios, const BenchSettings& settings,
              const Context& context);

}  // namespace heddle::app
