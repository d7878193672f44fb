// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/cpu_kernels.h"

#include "engine/base/error.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

namespace heddle {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"products", "head-products", "head-attention", "dropout"};

using Unused = std::array<bool, kNames.size()>;

Unused readUnused() {
    Unused unused{};
    const char* const named = std::getenv("HEDDLE_WITHOUT");  // NOLINT(concurrency-mt-unsafe): nothing sets variables
    std::istringstream names(named ? named : "");
    for (std::string name; std::getline(names, name, ',');) {
        const auto found = std::find(kNames.begin(), kNames.end(), name);
        if (found == kNames.end()) {
            std::string known;
            for (const std::string_view one : kNames) known += (known.empty() ? "" : ", ") + std::string(one);
            throwInvalid("\"" + name + "\" is no CPU kernel", "HEDDLE_WITHOUT", "name kernels of this list: " + known);
        }
        unused[static_cast<std::size_t>(found - kNames.begin())] = true;
    }
    return unused;
}

const Unused& unusedKernels() {
    static const Unused unused = readUnused();
    return unused;
}

}  // namespace

bool isUsed(CpuKernel kernel) { return !unusedKernels()[static_cast<std::size_t>(kernel)]; }

std::string unusedCpuKernels() {
    std::string names;
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (unusedKernels()[i]) names += (names.empty() ? "" : ", ") + std::string(kNames[i]);
    return names;
}

}  // namespace heddle
