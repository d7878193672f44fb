// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"

namespace heddle {

/// The batch with its widths, rows and answers rounded up, so that the batches of a corpus come in few shapes: what a captured
/// training step wants. Widths grow to a multiple of `multiple`, and to `longest` at most; images keep theirs. Rows grow to a
/// multiple of it, by an eighth at most where there are many. Every position is asked for its answer where half of them or
/// more are, else as many as the next sixteenth of all positions. Added tokens are padding; added answers have the target -1,
/// which no loss counts, and read a position that another answer reads as well. Where every row has one answer, only widths
/// grow. What is counted (tokens, answers wanted, indices) stays.
Batch roundedUp(const Batch& batch, std::int64_t multiple, std::int64_t longest);

}  // namespace heddle
