// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/byte_reader.h"

#include "engine/base/cancellation.h"
#include "engine/base/error.h"
#include "engine/base/sha256.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace heddle {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
/// Text compresses to a third or a tenth of its size; a much higher ratio indicates a decompression bomb.
constexpr std::uint64_t kMaxRatio = 200, kAlwaysAccepted = std::uint64_t{64} << 20;

/// Opens without blocking, as a FIFO would, and checks that it is a regular file.
std::pair<int, std::uint64_t> openRegular(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        const int error = errno;
        throwInvalid(error == ENOENT ? "file not found" : std::strerror(error), path, "check the path and your rights to it");
    }
    struct stat status {};
    if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return {fd, static_cast<std::uint64_t>(status.st_size)};
    ::close(fd);
    throwInvalid(S_ISDIR(status.st_mode) ? "is a folder, not a text file" : "is not a regular file", path,
                 "give a text file, plain or .gz");
}

}  // namespace

struct ByteReader::Impl {
    std::string path;
    std::function<bool()> stopRequested;
    std::unique_ptr<gzFile_s, decltype(&gzclose)> file{nullptr, &gzclose};
    std::vector<char> block = std::vector<char>(kBlockBytes);
    Sha256 digest;
    std::uint64_t bytes = 0, fileSize = 0;
};

ByteReader::ByteReader(const std::string& path, std::function<bool()> stopRequested) : impl_(std::make_unique<Impl>()) {
    impl_->path = path;
    impl_->stopRequested = std::move(stopRequested);
    const auto [fd, size] = openRegular(path);
    impl_->fileSize = size;
    impl_->file.reset(gzdopen(fd, "rb"));
    if (!impl_->file) {
        ::close(fd);
        throw Error(ErrorCode::OutOfMemory, "not enough memory to read a file", path, "free memory");
    }
    gzbuffer(impl_->file.get(), kBlockBytes);
    if (path.ends_with(".gz") && !compressed())
        throwInvalid("is named .gz but is not in gzip format", path, "rename it, or compress it again");
}

ByteReader::~ByteReader() = default;

std::string_view ByteReader::read() {
    if (impl_->stopRequested && impl_->stopRequested()) throwStopped(impl_->path);
    const int count = gzread(impl_->file.get(), impl_->block.data(), static_cast<unsigned>(impl_->block.size()));
    int error = Z_OK;
    const char* text = gzerror(impl_->file.get(), &error);
    if (error == Z_BUF_ERROR)
        throwInvalid("unexpected end of gzip data", impl_->path, "the file is truncated: download or copy it again");
    if (count < 0 || error != Z_OK)
        throwInvalid(error == Z_ERRNO ? fmt::format("cannot be read: {}", std::strerror(errno))
                                      : fmt::format("gzip data is damaged: {}", text),
                     impl_->path, "download or copy the file again");
    const std::string_view bytes{impl_->block.data(), static_cast<std::size_t>(count)};
    impl_->bytes += bytes.size();
    if (impl_->bytes > kAlwaysAccepted && impl_->bytes / kMaxRatio > impl_->fileSize)
        throwInvalid(fmt::format("unpacks to more than {} times its size", kMaxRatio), impl_->path,
                     "unpack it with gunzip if you trust it");
    impl_->digest.add(bytes);
    return bytes;
}

std::uint64_t ByteReader::bytes() const { return impl_->bytes; }
std::uint64_t ByteReader::fileSize() const { return impl_->fileSize; }
bool ByteReader::compressed() const { return gzdirect(impl_->file.get()) == 0; }
std::string ByteReader::sha256() { return impl_->digest.hex(); }

void refuseMany(std::uint64_t count, const std::string& what, const ByteReader& reader, const std::string& path) {
    constexpr std::uint64_t kAlwaysTaken = 1'000'000;
    if (count <= kAlwaysTaken || count <= reader.fileSize() || !reader.compressed()) return;
    throwInvalid(
        fmt::format("unpacks to more than {} {}, which is implausible for a file of {} bytes", count, what, reader.fileSize()),
        path, "unpack it with gunzip if you trust it");
}

std::string readBytes(ByteReader& reader, const std::string& path, std::uint64_t limit) {
    std::string all;
    for (std::string_view block = reader.read(); !block.empty(); block = reader.read()) {
        if (all.size() + block.size() > limit)
            throwInvalid(fmt::format("is larger than {} MiB", limit >> 20), path, "split the file");
        all.append(block);
    }
    return all;
}

}  // namespace heddle
