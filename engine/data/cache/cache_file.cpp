// SPDX-License-Identifier: Apache-2.0
#include "engine/data/cache/cache_file.h"

#include "engine/base/files.h"
#include "engine/base/sha256.h"

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace heddle {
namespace {

static_assert(std::endian::native == std::endian::little, "cache files and id sections are little-endian");

constexpr std::string_view kMagic = "HEDDLEC1";
constexpr std::size_t kDigestBytes = 64;
constexpr std::string_view kCacheSuffix = ".heddlecache.", kTemporarySuffix = ".tmp";  // "corpus-….heddlecache.PID.N.tmp"

template <typename Integer>
void appendInteger(std::string& bytes, Integer value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Reads from the front; throws std::out_of_range when too few bytes are left.
class Cursor {
public:
    explicit Cursor(std::string_view bytes) : bytes_(bytes) {}
    std::string_view take(std::uint64_t count) {
        if (count > bytes_.size()) throw std::out_of_range("cut");
        const std::string_view piece = bytes_.substr(0, count);
        bytes_.remove_prefix(count);
        return piece;
    }
    template <typename Integer>
    Integer takeInteger() {
        Integer value{};
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }

private:
    std::string_view bytes_;
};

CacheSections parseSections(std::string_view bytes) {
    Cursor cursor(bytes);
    CacheSections sections;
    const auto count = cursor.takeInteger<std::uint32_t>();
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string name(cursor.take(cursor.takeInteger<std::uint32_t>()));
        sections[name] = cursor.take(cursor.takeInteger<std::uint64_t>());
    }
    return sections;
}

/// Removes temporary cache files older than a day: their writers were killed.
void removeAbandoned(const std::filesystem::path& folder) {
    constexpr auto kAbandonedAfter = std::chrono::hours(24);
    namespace fs = std::filesystem;
    const auto before = fs::file_time_type::clock::now() - kAbandonedAfter;
    std::error_code ignored;  // another process may remove them too
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.find(kCacheSuffix) == std::string::npos || !name.ends_with(kTemporarySuffix)) continue;
        const auto written = entry.last_write_time(ignored);
        if (!ignored && written < before) fs::remove(entry.path(), ignored);
    }
}

}  // namespace

CacheRead readCacheFile(const std::string& path) {
    const std::optional<std::string> read = tryReadWholeFile(path);
    if (!read) return {};
    const std::string_view bytes = *read;
    if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kDigestBytes)
        return {std::nullopt, "not a complete cache file"};
    const std::string_view body = bytes.substr(0, bytes.size() - kDigestBytes);
    if (sha256Hex(body) != bytes.substr(body.size())) return {std::nullopt, "checksum does not match"};
    try {
        return {parseSections(body.substr(kMagic.size())), ""};
    } catch (const std::out_of_range&) {
        return {std::nullopt, "truncated section"};
    }
}

void writeCacheFile(const std::string& path, const CacheSections& sections) {
    std::string bytes(kMagic);
    appendInteger(bytes, static_cast<std::uint32_t>(sections.size()));
    for (const auto& [name, content] : sections) {
        appendInteger(bytes, static_cast<std::uint32_t>(name.size()));
        bytes.append(name);
        appendInteger(bytes, static_cast<std::uint64_t>(content.size()));
        bytes.append(content);
    }
    writeFileAtomically(path, bytes.append(sha256Hex(bytes)));
    removeAbandoned(std::filesystem::path(path).parent_path());
}

}  // namespace heddle
