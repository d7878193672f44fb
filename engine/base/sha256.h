// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace heddle {

/// Incremental SHA-256 (FIPS 180-4). Throws Error(Failure) when OpenSSL fails (no memory, a broken library).
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void add(std::string_view bytes);
    /// The digest of all bytes added, 64 lower-case hexadecimal digits. Call it once, at the end.
    std::string hex();

private:
    struct Context;
    std::unique_ptr<Context> context_;
};

/// SHA-256 of the bytes, 64 lower-case hexadecimal digits.
std::string sha256Hex(std::string_view bytes);

/// SHA-256 of a file, read in blocks. Throws Error(InvalidInput) when the file cannot be read.
std::string sha256OfFile(const std::string& path);

}  // namespace heddle
