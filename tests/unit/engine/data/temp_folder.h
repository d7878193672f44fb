// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/error.h"
#include "engine/base/temporary_folder.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

namespace heddle::testing_support {

/// A temporary folder whose files a test writes.
class TempFolder : public TemporaryFolder {
public:
    std::string file(const std::string& name) const { return *this / name; }

    std::string write(const std::string& name, const std::string& bytes) const {
        std::ofstream(file(name), std::ios::binary) << bytes;
        return file(name);
    }

    std::string writeGzip(const std::string& name, const std::string& bytes) const {
        gzFile out = gzopen(file(name).c_str(), "wb");
        gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
        gzclose(out);
        return file(name);
    }
};

inline std::string readBytes(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Runs `action`, which must throw Error(InvalidInput) with all three parts filled, and returns its message.
inline std::string invalidInput(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidInput) << error.what();
        EXPECT_FALSE(error.problem().empty());
        EXPECT_FALSE(error.where().empty());
        EXPECT_FALSE(error.next().empty());
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

/// The real data for development, or empty where absent: $HEDDLE_DATA, else ../shared/data beside the repository.
inline std::string realData(const std::string& name) {
    const char* given = std::getenv("HEDDLE_DATA");
    const std::filesystem::path root = given != nullptr ? given : HEDDLE_SOURCE_DIR "/../shared/data";
    return std::filesystem::exists(root / name) ? (root / name).string() : "";
}

}  // namespace heddle::testing_support
