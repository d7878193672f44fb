// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heddle {

/// Whether data.format is one of files of tokens: tokens/nanogpt, tokens/modded-nanogpt.
bool isTokenFormat(const std::string& format);

/// The tokens of a text, as the numbers of the tokenizer that made them.
struct TokenShard {
    std::string sha256;  ///< of the contents, after gunzip
    std::vector<std::uint16_t> tokens;
};

/// Reads a shard of 16-bit numbers, low byte first: tokens/nanogpt has nothing else (nanoGPT, data/*/prepare.py);
/// tokens/modded-nanogpt begins with 256 32-bit numbers, 20240520, 1 and the number of tokens (modded-nanogpt, data/*.py). At
/// most `limit` tokens are kept; 0: all. `stopRequested` is polled. Throws Error(InvalidInput) naming the file for an unknown
/// format, another header, and a length that is not the declared one.
TokenShard readTokenShard(const std::string& path, const std::string& format, std::int64_t limit,
                          const std::function<bool()>& stopRequested = {});

}  // namespace heddle
