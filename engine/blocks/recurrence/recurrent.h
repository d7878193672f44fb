// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// The cell of a recurrent network.
enum class RecurrentCell { Tanh, Gru, Lstm };

#ifdef HEDDLE_MODULES
std::unique_ptr<Block> makeRecurrence(const BuildContext& context, RecurrentCell cell);
#else
/// The common part of the descriptors: parameters, count.
BlockDescriptor describeRecurrence(RecurrentCell cell);
#endif

}  // namespace heddle
