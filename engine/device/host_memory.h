// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace heddle {

/// Makes LibTorch take the memory of large CPU tensors from a store that keeps what is freed, in huge pages where the kernel
/// has them: training frees and wants the same sizes in every step, and memory that comes anew from the system costs a page
/// fault for every 4 KiB. Once a process; later calls do nothing. Nothing changes under AddressSanitizer, which could not see
/// the use of a freed tensor in such a store.
void keepHostMemory();

/// Bytes that the store holds and nobody uses.
std::size_t keptHostBytes();

/// Gives them back to the system.
void releaseHostMemory();

}  // namespace heddle
