// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"

namespace heddle {

/// How many examples a corpus has; where rows are windows of examples, fewer than its size().
std::int64_t exampleCount(const EncodedCorpus& corpus);

/// The examples first … first+count-1 (those that are there) with all their rows, numbered anew.
EncodedCorpus examplesOf(const EncodedCorpus& corpus, std::int64_t first, std::int64_t count);

}  // namespace heddle
