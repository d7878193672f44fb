// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/token_shard.h"

#include "engine/base/error.h"
#include "engine/base/suggestion.h"
#include "engine/data/readers/byte_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle {
namespace {

constexpr const char* kPlainTokens = "tokens/nanogpt";
constexpr const char* kTokensWithHeader = "tokens/modded-nanogpt";
constexpr std::size_t kShardHeaderNumbers = 256, kShardHeaderBytes = kShardHeaderNumbers * 4;
constexpr std::int64_t kShardMagic = 20240520, kShardVersion = 1;

std::uint32_t littleEndian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = std::min<std::size_t>(4, bytes.size()); i > 0; --i)
        value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
    return value;
}

/// Magic number, version and number of tokens.
struct ShardHeader {
    std::int64_t magic = 0, version = 0, tokens = 0;
};

ShardHeader shardHeaderOf(std::string_view bytes) {
    const auto number = [&](std::size_t i) -> std::int64_t { return littleEndian(bytes.substr(4 * i, 4)); };
    return {number(0), number(1), number(2)};
}

/// The number of tokens that the header declares.
std::int64_t declaredTokens(std::string_view header, const std::string& path) {
    if (header.size() < kShardHeaderBytes)
        throwInvalid(fmt::format("{} bytes are too few for the header of a shard", header.size()), path,
                     fmt::format("set data.format to {} for a file without header", kPlainTokens));
    const ShardHeader read = shardHeaderOf(header);
    if (read.magic != kShardMagic || read.version != kShardVersion)
        throwInvalid(fmt::format("not a shard of modded-nanogpt: it begins with {} and {}, not with {} and {}", read.magic,
                                 read.version, kShardMagic, kShardVersion),
                     path, fmt::format("set data.format to {} for a file without header", kPlainTokens));
    return read.tokens;
}

}  // namespace

bool isTokenFormat(const std::string& format) { return format.starts_with("tokens/"); }

TokenShard readTokenShard(const std::string& path, const std::string& format, std::int64_t limit,
                          const std::function<bool()>& stopRequested) {
    if (format != kPlainTokens && format != kTokensWithHeader)
        throwInvalid("unknown format \"" + format + "\"", "data.format", suggestion(format, {kPlainTokens, kTokensWithHeader}));
    ByteReader reader(path, stopRequested);
    TokenShard shard;
    std::string header, rest;  // rest: the first byte of a number that two blocks share
    const std::size_t headerBytes = format == kTokensWithHeader ? kShardHeaderBytes : 0;
    for (std::string_view block = reader.read(); !block.empty(); block = reader.read()) {
        const std::size_t ofHeader = std::min(block.size(), headerBytes - header.size());
        header.append(block.substr(0, ofHeader));
        block.remove_prefix(ofHeader);
        if (shard.tokens.empty() && headerBytes == 0 && block.size() >= 12 && shardHeaderOf(block).magic == kShardMagic &&
            shardHeaderOf(block).version == kShardVersion)
            throwInvalid("the file has the header of modded-nanogpt's shards", path,
                         fmt::format("set data.format to {}", kTokensWithHeader));
        for (const char byte : block) {
            rest.push_back(byte);
            if (rest.size() < 2) continue;
            const bool isKept = limit <= 0 || std::ssize(shard.tokens) < limit;
            if (isKept) shard.tokens.push_back(static_cast<std::uint16_t>(littleEndian(rest)));
            rest.clear();
        }
    }
    const std::uint64_t bytes = reader.bytes() - std::min<std::uint64_t>(reader.bytes(), headerBytes);
    if (!rest.empty())
        throwInvalid(fmt::format("{} bytes are no 16-bit numbers", bytes), path, "the file is truncated: copy it again");
    if (headerBytes > 0)
        if (const auto declared = declaredTokens(header, path); static_cast<std::uint64_t>(declared) * 2 != bytes)
            throwInvalid(fmt::format("the header declares {} tokens, but {} follow", declared, bytes / 2), path,
                         "download or copy the file again");
    if (shard.tokens.empty()) throwInvalid("the file has no tokens", path, "give a file with tokens");
    shard.sha256 = reader.sha256();
    return shard;
}

}  // namespace heddle
