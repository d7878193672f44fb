// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/own_kernels.h"

#include "engine/base/error.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace heddle {
namespace {

/// In the order of OwnKernel.
constexpr std::array<std::string_view, 18> kNames = {
    "products",    "head-products", "head-attention", "dropout",        "cuda-dropout", "cuda-norm",
    "cuda-scores", "cuda-gate",     "cuda-split",     "cuda-gelu",      "cuda-adjust",  "cuda-update",
    "cuda-loss",   "cuda-rows",     "cuda-sums",      "cuda-histogram", "cuda-adam",    "cuda-ring"};
static_assert(kNames.size() == static_cast<std::size_t>(OwnKernel::CudaRing) + 1);

using Selection = std::array<bool, kNames.size()>;

std::string namesOf(const Selection& kernels) {
    std::string names;
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (kernels[i]) names += (names.empty() ? "" : ", ") + std::string(kNames[i]);
    return names;
}

Selection readUnused() {
    Selection unused{};
    const char* const named = std::getenv("HEDDLE_WITHOUT");  // NOLINT(concurrency-mt-unsafe): nothing sets variables
    std::istringstream names(named ? named : "");
    for (std::string name; std::getline(names, name, ',');) {
        const auto found = std::find(kNames.begin(), kNames.end(), name);
        if (found == kNames.end()) {
            Selection all;
            all.fill(true);
            throwInvalid("\"" + name + "\" is not one of Heddle's kernels", "HEDDLE_WITHOUT", "known kernels: " + namesOf(all));
        }
        unused[static_cast<std::size_t>(found - kNames.begin())] = true;
    }
    return unused;
}

const Selection& unused() {
    static const Selection read = readUnused();
    return read;
}

}  // namespace

bool isUsed(OwnKernel kernel) { return !unused()[static_cast<std::size_t>(kernel)]; }

std::string unusedKernels() { return namesOf(unused()); }

}  // namespace heddle
