// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_table.h"

namespace heddle::cuda {

/// Fills the table's part about captured graphs.
void offerCapture(CudaTable& table);

}  // namespace heddle::cuda
