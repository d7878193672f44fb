// SPDX-License-Identifier: Apache-2.0
#include "engine/base/threads.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace heddle {
namespace {

/// The number in a topology file; -1 when it cannot be read.
int readNumber(const std::string& path) {
    std::ifstream file(path);
    int value = -1;
    return file >> value ? value : -1;
}

}  // namespace

int physicalCores(const std::string& cpuFolder) {
    const int logical = std::max(1U, std::thread::hardware_concurrency());
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return logical;

    std::set<std::pair<int, int>> cores;  // (package, core)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        const std::string topology = cpuFolder + "/cpu" + std::to_string(cpu) + "/topology/";
        const int core = readNumber(topology + "core_id");
        if (core < 0) return std::max(1, CPU_COUNT(&allowed));  // no topology (some containers): every CPU counts
        cores.emplace(readNumber(topology + "physical_package_id"), core);
    }
    return std::max(1, static_cast<int>(cores.size()));
}

}  // namespace heddle
