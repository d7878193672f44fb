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

/// The options that `heddle bench train` shares with the developer's program (tests/dev): what is measured, and how.
struct BenchOptions {
    std::vector<std::string> workloads;
    bool all = false;
    BenchSettings settings;
};

/// Declares which workloads are chosen, and their size; `options` must outlive the command.
CommandBuilder& addWorkloads(CommandBuilder& command, BenchOptions& options);

/// Declares the workloads and all options but --repeats; `options` must outlive the command.
CommandBuilder& addBenchOptions(CommandBuilder& command, BenchOptions& options);

/// Returns the names of the chosen workloads. Throws Error(Usage) if none is chosen or a name is unknown.
std::vector<std::string> chosenWorkloads(const BenchOptions& options);

/// Throws Error(Usage) if the number of steps, warm-up steps, repeats, threads or batches is too small.
void checkCounts(const BenchSettings& settings);

/// "cuda" if the steps run on a GPU, else "cpu".
std::string deviceKind(const BenchSettings& settings);

/// The precision of that name. Throws Error(InvalidInput) for another word.
Precision chosenPrecision(const std::string& name);

/// A row of "heddle.bench/1": {workload, engine, parameters, step_ms, step_ms_min, step_ms_max, tokens_per_second, …}.
Json rowDocument(const TrainBenchRow& row);

/// Returns the workload at the requested size, with the requested number of distinct batches.
Workload chosenWorkload(const std::string& name, const BenchSettings& settings);

/// Returns the request to measure a workload with these settings. Its progress is written to context.err.
TrainBenchRequest benchRequest(const Workload& workload, const BenchSettings& settings, const Context& context);

/// Measures a workload in this process. Returns its row.
Json measureInThisProcess(const std::string& workload, const BenchSettings& settings, const Context& context);
Json measureInThisProcess(const Workload& workload, const BenchSettings& settings, const Context& context);

/// Measures a workload by `bench train` of this program in a new process, so that memory and start time are its own. `more`
/// are further arguments of the command. Returns its row; throws what the process reported.
Json measureInNewProcess(const std::string& workload, const BenchSettings& settings, const std::vector<std::string>& more = {});

/// Appends --steps, --warmup, --repeats, --seed and --pool where they are set.
void addCounts(std::vector<std::string>& arguments, const BenchSettings& settings);

/// The row of a failed measurement: {workload, engine, failure}.
Json failureRow(const std::string& workload, const std::string& engine, const Error& error);

/// Writes a row to FOLDER/WORKLOAD-ENGINE-ROUND.json, if settings name a folder, so that an interruption loses no results.
void saveRow(const Json& row, std::int64_t round, const BenchSettings& settings);

/// Returns the rows as a table, with the failures listed below it.
std::string rowsText(const std::vector<Json>& rows);

/// The ratio of Heddle's tokens/s to those of another engine on a workload.
struct SpeedRatio {
    std::string workload, engine;
    double ratio = 0;
};

/// Prints the ratios and the rows, each with its share of the fastest matrix product that any process found, as JSON
/// ("heddle.bench/1") or as text. Returns the exit code: 1 if a row failed, else 0.
int printRows(std::vector<Json> rows, const std::vector<SpeedRatio>& ratios, const BenchSettings& settings,
              const Context& context);

}  // namespace heddle::app
