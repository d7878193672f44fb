// SPDX-License-Identifier: Apache-2.0
// What every block file includes. Such a file is compiled twice: in heddle_core for its descriptor (describe…(), free of torch)
// and in heddle_engine, with HEDDLE_MODULES, for its module (make…()). Each library holds one half, so that no name exists
// twice.
#pragma once

#include "engine/blocks/tap_names.h"

#ifdef HEDDLE_MODULES
#include "engine/blocks/block.h"
#include "engine/device/torch_pch.h"
#else
#include "engine/blocks/fields.h"
#include "engine/spec/block_descriptor.h"
#endif
