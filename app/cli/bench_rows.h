// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/context.h"
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
    std::string device = "auto", precision, batches;
    std::optional<std::int64_t> threads, steps, warmup, repeats, seed, pool;
    bool small = false, nondeterministic = false;
    std::string python = "python3", peersScript;
    std::string rowsFolder;  ///< every row is written here as soon as it is measured; empty: not written
};

/// The user's precision; default fp32 on a CPU, bf16 on a GPU.
std::string precisionOf(const BenchSettings& settings);
/// "cuda" if the steps run on a GPU, else "cpu".
std::string deviceKind(const BenchSettings& settings);

/// A row of "heddle.bench/1": {workload, engine, parameters, step_ms, step_ms_min, step_ms_max, tokens_per_second, …}.
Json rowDocument(const TrainBenchRow& row);

/// Measures a workload in this process, or in a new one so that memory and start time are its own. Returns its row.
Json measureInThisProcess(const std::string& workload, const BenchSettings& settings, const Context& context);
Json measureInThisProcess(const Workload& workload, const BenchSettings& settings, const Context& context);
Json measureInNewProcess(const std::string& workload, const BenchSettings& settings);

/// Measures the workload with a peer of peers.py in a new process. Throws Error(Failure) with the peer's message when it
/// failed.
Json measurePeer(const std::string& workload, const std::string& peer, const BenchSettings& settings);

/// The row of a failed measurement: {workload, engine, failure}.
Json failureRow(const std::string& workload, const std::string& engine, const Error& error);

/// Writes a row to FOLDER/WORKLOAD-ENGINE-ROUND.json, if settings name a folder, so that an interruption loses no results.
void saveRow(const Json& row, std::int64_t round, const BenchSettings& settings);

/// Has peers.py write the batches of these workloads into a file.
void dumpPeerBatches(const std::vector<std::string>& workloads, const std::string& file, const BenchSettings& settings);

/// Merges the rows of several rounds: median step, minimum and maximum over all, fastest matrix product, maximum memory. Failed
/// rounds are ignored; if all failed, returns the first failure.
Json mergeRounds(const std::vector<Json>& rounds);

}  // namespace heddle::app
