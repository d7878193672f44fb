// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>

namespace heddle::ui {

/// `size` bytes on the disk, mapped: what the rows of a long run are kept in, so that the memory of the window does not grow
/// with the run. They lie in a file without a name in $TMPDIR, else /var/tmp, and are gone with the pointer or the process.
/// Null where the system has no such file or no room for it. Any thread.
std::shared_ptr<std::byte[]> fileMemory(std::size_t size);

/// Tells the system that the bytes will not be read for a while: their pages are written and leave the memory.
void letGo(std::byte* bytes, std::size_t size);

}  // namespace heddle::ui
