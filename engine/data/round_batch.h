// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/dataset.h"

namespace heddle {

/// The batch with its widths, rows and answers rounded up to multiples of `multiple`, so that the batches of a corpus come in
/// few shapes: what a captured training step wants. Widths grow to `longest` at most; images keep theirs. Added tokens are
/// padding; added answers have the target -1, which no loss counts, and read a position that another answer reads as well.
/// Where every row has one answer, only widths grow. What is counted (tokens, answers wanted, indices) stays.
Batch roundedUp(const Batch& batch, std::int64_t multiple, std::int64_t longest);

}  // namespace heddle
