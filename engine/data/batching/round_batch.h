// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/data/batching/dataset.h"

namespace heddle {

/// Rounds up widths, rows and labels, so that the batches of a corpus have few shapes, as captured training steps need. Widths
/// grow to a multiple of `multiple`, at most to `longest`; image batches are unchanged. Rows grow to a multiple of it, many
/// rows by at most an eighth. If at least half of the positions are labelled, all become labelled; otherwise the number of
/// labels grows to the next sixteenth of all positions. Added tokens are padding; added labels are -1, which losses ignore, at
/// a position that already has a label. With one label per row only widths grow. Counts (tokens, labels, indices) do not
/// change.
Batch roundedUp(const Batch& batch, std::int64_t multiple, std::int64_t longest);

}  // namespace heddle
