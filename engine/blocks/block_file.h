// SPDX-License-Identifier: Apache-2.0
// What every block file includes. Such a file is compiled twice: in heddle_core for its descriptor (describe…(), free of torch)
// and in heddle_engine, with HEDDLE_MODULES, for its module (make…()). The options of the block (options.h) stand before the
// two halves, because both read them.
#pragma once

#include "engine/blocks/options.h"
#include "engine/blocks/tap_names.h"

#ifdef HEDDLE_MODULES
#include "engine/blocks/block.h"
#include "engine/device/torch_pch.h"
#endif
