// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/file_content.h"

#include "engine/base/error.h"
#include "engine/base/sha256.h"
#include "engine/data/readers/byte_reader.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

namespace heddle {
namespace {

namespace fs = std::filesystem;

/// The content of a file when it had this size and time.
struct Remembered {
    std::uintmax_t size = 0;
    fs::file_time_type time;
    std::string content;
};

std::string readContent(bool isUnpacked, const std::string& path) {
    if (!isUnpacked) return sha256OfFile(path);
    ByteReader reader(path);
    while (!reader.read().empty()) {}
    return reader.sha256();
}

}  // namespace

std::string contentOf(FieldSchema::Role role, const std::string& path) {
    static std::mutex mutex;
    static std::map<std::pair<bool, std::string>, Remembered> all;
    const std::pair key(role == FieldSchema::Role::DataFile, path);
    std::error_code failed;
    const std::uintmax_t size = fs::file_size(path, failed);
    if (failed) return {};
    const fs::file_time_type time = fs::last_write_time(path, failed);
    if (failed) return {};
    {
        const std::lock_guard lock(mutex);
        if (const auto found = all.find(key); found != all.end() && found->second.size == size && found->second.time == time)
            return found->second.content;
    }
    try {
        std::string content = readContent(key.first, path);
        const std::lock_guard lock(mutex);
        all[key] = {size, time, content};
        return content;
    } catch (const Error&) {
        return {};
    }
}

bool haveSameContent(FieldSchema::Role role, const std::string& a, const std::string& b) {
    if (a == b) return true;
    const std::string content = contentOf(role, a);
    return !content.empty() && content == contentOf(role, b);
}

}  // namespace heddle
