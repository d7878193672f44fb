// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"

namespace heddle {

/// The result of `load`, from the cache unless files, data.* or tokenizers have changed ("examples-<hash>.heddlecache"; files
/// that FileIndex knows are not read), notes included. For tasks whose examples come from text files, and for pairs.
RunData loadThroughCache(const LoadContext& context, const std::function<RunData()>& load);

}  // namespace heddle
