// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

/// Tensors of torch's meta device have sizes and no values. A training step on it shows what memory the step takes on a CPU,
/// without that memory and without arithmetic (engine/train/step/step_memory.h). Kernels of Heddle's own allocate their results
/// there and compute nothing.

/// Whether x is on the CPU, or on the meta device, which stands for the CPU.
inline bool takesCpuPath(const at::Tensor& x) { return x.is_cpu() || x.is_meta(); }

/// Makes the meta device report its allocations to a MemoryMeter. Once a process; later calls do nothing.
void reportMetaMemory();

}  // namespace heddle
