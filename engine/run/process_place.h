// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace heddle {

/// Where a process stands among those that train one run together. Rank 0 leads: it has the run database, takes commands,
/// evaluates and writes checkpoints.
struct ProcessPlace {
    int rank = 0, size = 1;
    int localRank = 0, localSize = 1;  ///< among the processes on this machine; the local rank is the number of the GPU
    std::string address;               ///< of rank 0's machine; empty if size is 1
    std::uint16_t port = 0;            ///< TCP, on which rank 0 waits for the others
    /// How long a process waits for another one that shows no sign of life.
    std::chrono::milliseconds patience{45'000};

    bool isAlone() const { return size == 1; }
    bool isLeader() const { return rank == 0; }
};

}  // namespace heddle
