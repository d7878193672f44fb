// SPDX-License-Identifier: Apache-2.0
#include "engine/bench/process_age.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace heddle {

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
