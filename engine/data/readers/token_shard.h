// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// Whether this data.format is one of tokens: tokens/nanogpt or tokens/modded-nanogpt.
bool isTokenFormat(const std::string& format);

/// The tokens of a text, as the numbers that their tokenizer gave them.
struct TokenShard {
    std::string sha256;  ///< of the contents, after gunzip
    std::vector<std::uint16_t> tokens;
};

/// Reads a shard of 16-bit numbers, low byte first. A file of tokens/nanogpt has only these (nanoGPT, data/*/prepare.py). A
/// file of tokens/modded-nanogpt has a header of 256 32-bit numbers before them, the first of which are 20240520, 1 and the
/// number of tokens (modded-nanogpt, data/*.py). Keeps at most `limit` tokens; 0: all. `stopRequested` is polled. Throws
/// Error(InvalidInput) for an unknown format, and naming the file for a wrong header or length.
TokenShard readTokenShard(const std::string& path, const std::string& format, std::int64_t limit,
                          const std::function<bool()>& stopRequested = {});

}  // namespace heddle
