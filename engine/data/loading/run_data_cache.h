// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/loading/run_data.h"

namespace heddle {

/// What `load` gives for these texts, out of the cache where neither files nor data.* nor tokenizers have changed
/// ("examples-<hash>.heddlecache"; files that FileIndex knows are not read), notes included. For tasks whose examples come from
/// text files, and for pairs.
RunData loadThroughCache(const LoadContext& context, const std::function<RunData()>& load);

}  // namespace heddle
