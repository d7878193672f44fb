// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace heddle {

/// A tensor in pinned memory of the host, for asynchronous copies to a CUDA device; the allocator reuses the memory only after
/// them. at::empty() makes such tensors, too, but one that is released after the device was lost ends the process: to release
/// it records an event, which then throws in a destructor.
at::Tensor pinnedTensor(at::IntArrayRef sizes, at::ScalarType type);

}  // namespace heddle
