// SPDX-License-Identifier: Apache-2.0
#include "engine/base/threads.h"

#include "engine/base/temporary_folder.h"

#include <gtest/gtest.h>

#include <sched.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace heddle {
namespace {

/// Writes a topology folder in which CPU i belongs to core i / threadsPerCore of one package.
void writeTopology(const std::string& folder, int threadsPerCore) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        const std::string topology = folder + "/cpu" + std::to_string(cpu) + "/topology";
        std::filesystem::create_directories(topology);
        std::ofstream(topology + "/core_id") << cpu / threadsPerCore << "\n";
        std::ofstream(topology + "/physical_package_id") << "0\n";
    }
}

TEST(PhysicalCores, CountsHyperthreadsOnce) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    const int cpus = CPU_COUNT(&allowed);
    const TemporaryFolder one, all;
    writeTopology(one.path(), 1);
    EXPECT_EQ(physicalCores(one.path()), cpus);
    writeTopology(all.path(), CPU_SETSIZE);
    EXPECT_EQ(physicalCores(all.path()), 1);
    EXPECT_EQ(physicalCores("/nowhere"), cpus);  // no topology: every CPU counts
}

}  // namespace
}  // namespace heddle
