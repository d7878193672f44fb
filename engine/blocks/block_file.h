// SPDX-License-Identifier: Apache-2.0
// The header of every block file. Block files are compiled twice: in heddle_core for the descriptor (describe…(), without
// torch), and with HEDDLE_MODULES in heddle_engine for the module (make…()). The block's options (options.h) come first,
// because both halves read them.
#pragma once

#include "engine/blocks/options.h"
#include "engine/blocks/tap_names.h"

#ifdef HEDDLE_MODULES
#include "engine/blocks/block.h"
#include "engine/device/torch_pch.h"
#endif
