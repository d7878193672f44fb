// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/analysis/workload.h"
#include "engine/base/json.h"

#include <algorithm>
#include <string>

namespace heddle::testing_support {

/// A workload of the bench with its blocks, layers and heads, narrow and with few words: for tests that ask what a step does,
/// and not how long it takes.
inline Workload tinyWorkload(const std::string& name) {
    constexpr std::int64_t kHeadWidth = 16, kWords = 200;
    Workload workload = findWorkload(name, WorkloadSize::Small);
    const Dims dims = workload.spec.variant.resolve().dims;
    const std::int64_t width = std::max<std::int64_t>(4, dims.heads) * kHeadWidth;
    Json variant = workload.spec.variant.compact();
    variant["dims"].update({{"d", width}, {"f", 2 * width}});
    for (const char* vocabulary : {"vocab_src", "vocab_tgt"})
        if (variant["dims"].contains(vocabulary)) variant["dims"][vocabulary] = kWords;
    workload.spec.variant = VariantSpec::parse(variant, builtinCatalogue());
    return workload;
}

}  // namespace heddle::testing_support
