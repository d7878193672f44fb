// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/file_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace heddle::ui {

std::shared_ptr<std::byte[]> fileMemory(std::size_t size) {
    const char* const named = std::getenv("TMPDIR");
    const int file = ::open(named ? named : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) return nullptr;
    // Space is reserved now: a write to a mapped page without space on the disk would end the process.
    void* const mapped = ::posix_fallocate(file, 0, off_t(size)) == 0
                             ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                             : MAP_FAILED;
    ::close(file);
    if (mapped == MAP_FAILED) return nullptr;
    return {static_cast<std::byte*>(mapped), [size](std::byte* bytes) { ::munmap(bytes, size); }};
}

void letGo(std::byte* bytes, std::size_t size) { ::madvise(bytes, size, MADV_PAGEOUT); }

}  // namespace heddle::ui
