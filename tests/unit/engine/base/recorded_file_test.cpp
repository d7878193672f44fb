// SPDX-License-Identifier: Apache-2.0
#include "engine/base/recorded_file.h"

#include "engine/base/sha256.h"
#include "engine/base/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(RecordedFile, SaysWhatDiffersFromItsRecord) {
    const TemporaryFolder folder;
    const std::string root = folder / "";
    std::ofstream(folder / "weights") << "weights";
    const RecordedFile recorded{"weights", sha256Hex("weights"), 7};
    EXPECT_EQ(recordedFileProblem(root, recorded), "");
    EXPECT_EQ(recordedFileProblem(root, {"weights", sha256Hex("weights")}), "") << "of unknown size";
    EXPECT_THAT(recordedFileProblem(root, {"gone", sha256Hex(""), 7}), HasSubstr("gone is missing"));
    std::ofstream(folder / "weights") << "WEIGHTS";
    EXPECT_THAT(recordedFileProblem(root, recorded), HasSubstr("weights is damaged: its SHA-256"));
    fs::resize_file(folder / "weights", std::uintmax_t{1} << 40);  // hashing it would take an hour
    EXPECT_THAT(recordedFileProblem(root, recorded), HasSubstr("larger than recorded"));
    fs::rename(folder / "weights", folder / "elsewhere");
    fs::create_symlink(folder / "elsewhere", folder / "weights");
    EXPECT_THAT(recordedFileProblem(root, recorded), HasSubstr("weights is a link"));
}

}  // namespace
}  // namespace heddle
