// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/blocks/block_file.h"

namespace heddle {

/// The recurrent networks differ in their cell.
enum class RecurrentCell { Tanh, Gru, Lstm };

#ifdef HEDDLE_MODULES
std::unique_ptr<Block> makeRecurrence(const BuildContext& context, RecurrentCell cell);
#else
/// What all have in common: parameters, count.
BlockDescriptor describeRecurrence(RecurrentCell cell);
#endif

}  // namespace heddle
