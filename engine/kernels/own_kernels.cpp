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
constexpr std::array<std::string_view, 21> kNames = {
    "products",  "head-products",  "head-attention", "dropout",    "cuda-dropout",   "cuda-norm",   "cuda-scores",
    "cuda-gate", "cuda-attention", "cuda-epilogues", "cuda-split", "cuda-gelu",      "cuda-adjust", "cuda-update",
    "cuda-loss", "cuda-rows",      "cuda-embed",     "cuda-sums",  "cuda-histogram", "cuda-adam",   "cuda-ring"};
static_assert(kNames.size() == static_cast<std::size_t>(OwnKernel::CudaRing) + 1);

using Selection = std::array<bool, kNames.size()>;

/// The kernels that no device has measured. Others are on unless HEDDLE_WITHOUT names them.
constexpr Selection unmeasuredKernels() {
    Selection kernels{};
    for (const OwnKernel one : {OwnKernel::CudaAttention, OwnKernel::CudaEpilogues})
        kernels[static_cast<std::size_t>(one)] = true;
    return kernels;
}

constexpr Selection allKernels() {
    Selection kernels{};
    for (bool& one : kernels) one = true;
    return kernels;
}

std::string namesOf(const Selection& kernels) {
    std::string names;
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (kernels[i]) names += (names.empty() ? "" : ", ") + std::string(kNames[i]);
    return names;
}

/// The kernels that the variable names, of those that it may name.
Selection readKernels(const char* variable, const Selection& known) {
    Selection kernels{};
    const char* const named = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing sets variables
    std::istringstream names(named ? named : "");
    for (std::string name; std::getline(names, name, ',');) {
        const auto number = static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
        if (number == kNames.size())
            throwInvalid("\"" + name + "\" is not one of Heddle's kernels", variable, "known kernels: " + namesOf(known));
        if (!known[number])
            throwInvalid("the kernel \"" + name + "\" is on anyway", variable, "kernels that are not: " + namesOf(known));
        kernels[number] = true;
    }
    return kernels;
}

/// What HEDDLE_WITHOUT and HEDDLE_WITH name.
struct KernelChanges {
    Selection without = readKernels("HEDDLE_WITHOUT", allKernels());
    Selection with = readKernels("HEDDLE_WITH", unmeasuredKernels());
};

const KernelChanges& kernelChanges() {
    static const KernelChanges read;
    return read;
}

}  // namespace

bool isUsed(OwnKernel kernel) {
    const auto number = static_cast<std::size_t>(kernel);
    return !kernelChanges().without[number] && (kernelChanges().with[number] || !unmeasuredKernels()[number]);
}

std::string changedKernels() {
    const auto changed = [](const char* how, const std::string& names) { return names.empty() ? names : how + names; };
    return changed(" without ", namesOf(kernelChanges().without)) + changed(" with ", namesOf(kernelChanges().with));
}

}  // namespace heddle
