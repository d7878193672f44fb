// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/file_index.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/data/cache/cache_file.h"
#include "engine/data/readers/corpus.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace heddle {
namespace {

constexpr const char* kFormat = "1";

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

/// The state of a file as text; empty if it is not a regular file.
struct FileState {
    std::string text;
    std::int64_t changed = 0;  ///< the later of mtime and ctime, nanoseconds since 1970
};

FileState stateOf(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    const std::int64_t contents = nanoseconds(status.st_mtim), inode = nanoseconds(status.st_ctim);
    return {fmt::format("{} {} {} {} {}", status.st_dev, status.st_ino, status.st_size, contents, inode),
            std::max(contents, inode)};
}

std::int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string FileIndex::entryOf(const std::string& path) const {
    const std::string absolute = std::filesystem::absolute(path).lexically_normal().string();
    return fmt::format("{}/files/{}.heddlecache", folder_, sha256Hex(absolute));
}

std::optional<FileFacts> FileIndex::find(const std::string& path) const {
    if (folder_.empty()) return std::nullopt;
    CacheRead entry = readCacheFile(entryOf(path));
    const FileState state = stateOf(path);
    if (!entry.sections || state.text.empty()) return std::nullopt;
    const Json found = Json::parse((*entry.sections)["facts"], nullptr, false);
    // Includes the path as given, because notes contain it.
    for (const auto& [key, value] : {std::pair{"format", std::string(kFormat)}, {"state", state.text}, {"path", path}})
        if (!found.is_object() || !found.contains(key) || found[key] != value) return std::nullopt;
    return FileFacts{found.at("sha256"), found.at("lines"), found.at("notes")};
}

TextFile FileIndex::read(const std::string& path, const std::function<bool()>& stopRequested) const {
    const FileState before = stateOf(path);
    const std::int64_t start = now();
    TextFile file = readTextOrSgm(path, stopRequested);
    if (folder_.empty() || start - before.changed < settle_.count() || stateOf(path).text != before.text) return file;
    const Json facts{{"format", kFormat},          {"path", path},       {"state", before.text}, {"sha256", file.sha256},
                     {"lines", file.lines.size()}, {"notes", file.notes}};
    try {
        writeCacheFile(entryOf(path), {{"facts", dumped(facts)}});
    } catch (const Error&) {
        return file;  // the file will be read again next time
    }
    return file;
}

}  // namespace heddle
