// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace heddle {

/// Installs a caching allocator for large CPU tensors, with huge pages where available. Training allocates the same sizes in
/// every step, and new memory from the system costs a page fault per 4 KiB. Once per process; later calls do nothing. Does
/// nothing under AddressSanitizer, which could not detect use after free in cached blocks.
void useCachingHostAllocator();

/// Bytes of cached free blocks.
std::size_t cachedHostBytes();

/// Returns the cached free blocks to the system.
void releaseCachedHostMemory();

}  // namespace heddle
