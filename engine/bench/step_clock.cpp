// SPDX-License-Identifier: Apache-2.0
#include "engine/bench/step_clock.h"

#include "engine/device/cuda/cuda_table.h"
#include "engine/device/cuda_module.h"
#include "engine/device/torch_pch.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>

namespace heddle {

double StepClock::now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double StepClock::finished() const {
    if (device_.is_cuda()) cudaTable()->synchronize(device_.index());
    return now();
}

std::optional<double> processAge() {
    std::ifstream stat("/proc/self/stat"), uptime("/proc/uptime");
    std::string text;
    double sinceBoot = 0;
    if (!std::getline(stat, text) || !(uptime >> sinceBoot)) return std::nullopt;
    // The second field is the program's name in brackets and may hold anything; the start is the 22nd, in clock ticks.
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    std::string skipped;
    for (int field = 3; field < 22; ++field) fields >> skipped;
    double ticks = 0;
    if (!(fields >> ticks)) return std::nullopt;
    return sinceBoot - ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace heddle
