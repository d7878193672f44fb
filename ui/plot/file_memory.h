// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>

namespace heddle::ui {

/// Maps `size` bytes on the disk for the rows of a long run, so that the memory of the process does not grow with the run. They
/// are in an unnamed file in $TMPDIR, else /var/tmp, which is deleted with the pointer or the process. Null if the system has
/// no unnamed files or the disk has no space. Any thread.
std::shared_ptr<std::byte[]> fileMemory(std::size_t size);

/// Tells the system that the bytes will not be read for a while: their pages are written and removed from memory.
void letGo(std::byte* bytes, std::size_t size);

}  // namespace heddle::ui
