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

/// Names of Heddle among the engines that are measured: with deterministic algorithms (the default), and without.
inline constexpr const char* kHeddle = "heddle";
inline constexpr const char* kHeddleNondeterministic = "heddle-nondeterministic";

/// What all rows of a `heddle bench train` are measured with.
struct BenchSettings {
    std::string device = "auto", precision, batches;
    std::optional<std::int64_t> threads, steps, warmup, repeats, seed, pool;
    bool small = false, nondeterministic = false;
    std::string python = "python3", peersScript;
    std::string rowsFolder;  ///< where every row is written as soon as it is measured; empty: nowhere
};

/// fp32 on a CPU and bf16 on a GPU where the user names none.
std::string precisionOf(const BenchSettings& settings);
/// "cuda" where the steps run on a GPU, else "cpu".
std::string deviceKind(const BenchSettings& settings);

/// A row of "heddle.bench/1": {workload, engine, parameters, step_ms, step_ms_min, step_ms_max, tokens_per_second, …}.
Json rowDocument(const TrainBenchRow& row);

/// Measures a workload here, or by a process of its own: {"rows": […]} of one, so that memory and start are its own.
Json measureHere(const std::string& workload, const BenchSettings& settings, const Context& context);
Json measureInProcess(const std::string& workload, const BenchSettings& settings);

/// The same workload by a peer of peers.py, one process. Throws Error(Failure) with what the peer said when it failed.
Json measurePeer(const std::string& workload, const std::string& peer, const BenchSettings& settings);

/// The row of what could not be measured: {workload, engine, failure}.
Json failureRow(const std::string& workload, const std::string& engine, const Error& error);

/// Writes a row to FOLDER/WORKLOAD-ENGINE-TURN.json at once, where settings name a folder: a measurement that is stopped later
/// loses nothing that was measured.
void keepRow(const Json& row, std::int64_t turn, const BenchSettings& settings);

/// Lets peers.py write the batches of these workloads into a file.
void dumpPeerBatches(const std::vector<std::string>& workloads, const std::string& file, const BenchSettings& settings);

/// One row from those of several turns: the median step, the least and the most of all, the best matrix product, the most
/// memory. Turns that failed are left out; where all did, the first failure.
Json joinTurns(const std::vector<Json>& turns);

}  // namespace heddle::app
