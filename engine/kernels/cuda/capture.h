// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/device/cuda_table.h"

namespace heddle::cuda {

/// Sets the table's functions for graphs.
void fillCaptureFunctions(CudaTable& table);

}  // namespace heddle::cuda
