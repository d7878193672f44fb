// SPDX-License-Identifier: Apache-2.0
#include "storage/file_system.h"

#include "storage/records.h"
#include "storage/schema.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

namespace heddle::storage {

namespace fs = std::filesystem;

namespace {

bool (*networkOverride)(const std::string&) = nullptr;

/// Closes at the end of a scope.
struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

StorageError cannotRead(const std::string& file, int error) {
    return {StorageError::Kind::InputOutput, std::string("cannot read the file: ") + std::strerror(error), file,
            "check the path and its permissions"};
}

using Header = std::array<unsigned char, 100>;

/// The first bytes of a file, padded with zeros. Reads through SQLite's VFS: closing a descriptor of our own would drop the
/// locks that this process's connections hold on the file (fcntl(2)), and another program could then delete their log. SQLite
/// keeps such descriptors open.
Header readHeader(const std::string& file) {
    sqlite3_initialize();
    sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
    std::vector<std::max_align_t> memory(static_cast<std::size_t>(system->szOsFile) / sizeof(std::max_align_t) + 1);
    auto* const opened = reinterpret_cast<sqlite3_file*>(memory.data());
    const std::unique_ptr<const char, void (*)(const char*)> name(sqlite3_create_filename(file.c_str(), "", "", 0, nullptr),
                                                                  sqlite3_free_filename);
    const int result = system->xOpen(system, name.get(), opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr);
    if (result != SQLITE_OK) throw cannotRead(file, errno);
    Header header{};
    const int read = opened->pMethods->xRead(opened, header.data(), static_cast<int>(header.size()), 0);
    opened->pMethods->xClose(opened);
    if (read != SQLITE_OK && read != SQLITE_IOERR_SHORT_READ) throw cannotRead(file, EIO);
    return header;
}

}  // namespace

std::string realFile(const std::string& file) {
    std::error_code ignored;
    fs::path absolute = fs::absolute(file, ignored);
    fs::path resolved = fs::weakly_canonical(absolute, ignored);
    return (ignored ? absolute : resolved).string();
}

std::string folderOf(const std::string& file) { return fs::path(realFile(file)).parent_path().string(); }

FileKind inspect(const std::string& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        if (errno == ENOENT) return FileKind::Missing;
        throw cannotRead(file, errno);
    }
    if (!S_ISREG(status.st_mode)) return FileKind::Other;
    if (status.st_size == 0) return FileKind::Empty;
    const Header header = readHeader(realFile(file));
    constexpr std::size_t kApplicationIdAt = 68;
    constexpr char kMagic[] = "SQLite format 3";  // with its final zero
    if (std::memcmp(header.data(), kMagic, sizeof kMagic) != 0) return FileKind::Other;
    std::uint32_t id = 0;
    for (std::size_t i = 0; i < 4; ++i) id = id << 8 | header[kApplicationIdAt + i];
    return id == static_cast<std::uint32_t>(kApplicationId) ? FileKind::RunDatabase : FileKind::Other;
}

bool usesLog(const std::string& file) {
    constexpr std::size_t kReadVersionAt = 19;  // https://www.sqlite.org/fileformat2.html, 1.3.3: 2 is a write-ahead log
    return readHeader(realFile(file))[kReadVersionAt] == 2;
}

bool onNetworkFileSystem(const std::string& file) {
    if (networkOverride) return networkOverride(file);
    // linux/magic.h and the manual page of statfs(2).
    constexpr std::array<std::uint32_t, 9> kNetwork{0x6969 /* NFS */,      0x517b /* SMB */,      0xff534d42 /* CIFS */,
                                                    0xfe534d42 /* SMB2 */, 0x65735546 /* FUSE */, 0x01021997 /* 9P */,
                                                    0x00c36400 /* Ceph */, 0x5346414f /* AFS */,  0x73757245 /* Coda */};
    struct statfs status {};
    if (::statfs(folderOf(file).c_str(), &status) != 0) return false;
    return std::find(kNetwork.begin(), kNetwork.end(), static_cast<std::uint32_t>(status.f_type)) != kNetwork.end();
}

void overrideNetworkFileSystem(bool (*answer)(const std::string& file)) { networkOverride = answer; }

std::uint64_t sizeOf(const std::string& file) {
    std::error_code missing;
    const auto size = fs::file_size(file, missing);
    return missing ? 0 : size;
}

bool folderIsWritable(const std::string& file) { return ::access(folderOf(file).c_str(), W_OK) == 0; }

void createPrivate(const std::string& file) {
    constexpr mode_t kOwn = 0600;
    // An existing file is not opened: closing it would drop the locks of this process's connections (see readHeader).
    const Descriptor made{::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kOwn)};
    if (made.fd < 0 && errno != EEXIST)
        throw StorageError(StorageError::Kind::InputOutput, std::string("cannot create the file: ") + std::strerror(errno),
                           file, "check the path, its permissions and the room on its disk");
}

void syncToDisk(const std::string& path) {
    Descriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (descriptor.fd < 0 || ::fsync(descriptor.fd) != 0)
        throw StorageError(StorageError::Kind::InputOutput, std::string("cannot write to disk: ") + std::strerror(errno), path,
                           "do not trust this file; write it again on a healthy disk");
}

}  // namespace heddle::storage
