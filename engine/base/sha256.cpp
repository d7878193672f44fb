// SPDX-License-Identifier: Apache-2.0
#include "engine/base/sha256.h"

#include "engine/base/error.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace heddle {
namespace {

void require(bool ok) {
    if (!ok) throw Error(ErrorCode::Failure, "SHA-256 failed", "OpenSSL", "check the installation of libcrypto");
}

}  // namespace

struct Sha256::Context {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
    require(context_->digest && EVP_DigestInit_ex(context_->digest.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) { require(EVP_DigestUpdate(context_->digest.get(), bytes.data(), bytes.size()) == 1); }

std::string Sha256::hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    require(EVP_DigestFinal_ex(context_->digest.get(), digest, &size) == 1);
    return fmt::format("{:02x}", fmt::join(digest, digest + size, ""));
}

std::string sha256Hex(std::string_view bytes) {
    Sha256 sha256;
    sha256.add(bytes);
    return sha256.hex();
}

std::string sha256OfFile(const std::string& path) {
    std::error_code unknown;
    const bool isThere = std::filesystem::exists(path, unknown);
    if (isThere && !std::filesystem::is_regular_file(path, unknown))  // a FIFO or a device would not end
        throwInvalid("is not a regular file", path, "give a file");
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throwInvalid("file cannot be read", path, "check that it exists and its permissions");
    Sha256 sha256;
    std::vector<char> block(1u << 20);
    while (stream) {
        stream.read(block.data(), static_cast<std::streamsize>(block.size()));
        sha256.add({block.data(), static_cast<std::size_t>(stream.gcount())});
    }
    if (stream.bad()) throw Error(ErrorCode::Failure, "reading failed", path, "check the disk and try again");
    return sha256.hex();
}

}  // namespace heddle
