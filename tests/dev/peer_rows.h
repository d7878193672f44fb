// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/bench_rows.h"

#include <string>
#include <vector>

namespace heddle::dev {

using app::BenchSettings;

/// The script of the peers (peers.py): programs in PyTorch that train the same models on the same batches.
struct PeerScript {
    std::string python = "python3", file;
};

/// Measures the workload with a peer of peers.py in a new process. Throws Error(Failure) with the peer's message when it
/// failed.
Json measurePeer(const std::string& workload, const std::string& peer, const PeerScript& script, const BenchSettings& settings);

/// Makes peers.py write the batches of these workloads to a file (BatchDump). Throws the same error.
void dumpPeerBatches(const std::vector<std::string>& workloads, const std::string& file, const PeerScript& script,
                     const BenchSettings& settings);

/// Merges the rows of several rounds: median step, minimum and maximum over all, fastest matrix product, maximum memory. Failed
/// rounds are ignored; if all failed, returns the first failure.
Json mergeRounds(const std::vector<Json>& rounds);

/// Returns the ratio of Heddle's tokens/s to the peer's for the row of every peer.
std::vector<app::SpeedRatio> ratiosOf(const std::vector<Json>& rows);

}  // namespace heddle::dev
