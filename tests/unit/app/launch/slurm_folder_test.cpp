// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_folder.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/temporary_folder.h"
#include "tests/unit/app/session/fake_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SlurmFolderTest : public testing::Test {
protected:
    void writeLog(const std::string& text) const {
        fs::create_directories(slurm_.folderOf("key"));
        std::ofstream(slurm_.logOf("key")) << text;
    }

    const TemporaryFolder folder_;
    const SlurmFolder slurm_{folder_ / "runs.heddle"};
};

TEST(SlurmKey, NamesTheWorkAndNotItsName) {
    RunSpec spec = smallSpec("base", 30);
    const std::string key = slurmKey(spec);
    EXPECT_EQ(key.size(), 16U);
    EXPECT_EQ(slurmKey(smallSpec("another name", 30)), key);
    EXPECT_NE(slurmKey(smallSpec("base", 31)), key);
    ++spec.seed;
    EXPECT_NE(slurmKey(spec), key);
}

TEST_F(SlurmFolderTest, AnArrayIsThereUntilAllItsRunsHaveEnded) {
    EXPECT_THAT(slurm_.arrays(), IsEmpty()) << "there is no folder yet";
    slurm_.create();
    SlurmArray first{"first", "study/gates", 20, 0, {"a", "b"}, {}};
    const SlurmArray second{"second", "study/gates", 10, 7, {"c"}, {}};
    slurm_.write(first);
    slurm_.write(second);
    EXPECT_EQ(fs::read_symlink(slurm_.linksOf(first) + "/2").string(), "../../runs/b");
    first.job = 17;
    first.ended = {"b"};
    slurm_.write(first);
    const auto arrays = slurm_.arrays();
    ASSERT_EQ(arrays.size(), 2U);
    EXPECT_EQ(arrays.front().name, "second") << "it was submitted earlier";
    EXPECT_EQ(arrays.back().job, 17);
    EXPECT_EQ(arrays.back().group, "study/gates");
    EXPECT_THAT(arrays.back().runs, ElementsAre("a", "b"));
    EXPECT_THAT(arrays.back().ended, ElementsAre("b"));
    first.ended.emplace_back("a");
    slurm_.write(first);
    EXPECT_EQ(slurm_.arrays().size(), 1U);
    EXPECT_FALSE(fs::exists(slurm_.linksOf(first)));
}

TEST_F(SlurmFolderTest, AFileThatIsNoRecordIsNamed) {
    slurm_.create();
    const std::string file = fs::path(slurm_.script()).parent_path() / "arrays/broken.json";
    writeFileAtomically(file, "[]");
    try {
        slurm_.arrays();
        FAIL() << "it was read";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidInput);
        EXPECT_EQ(error.where(), file);
        EXPECT_THAT(error.next(), HasSubstr("remove it"));
    }
}

TEST_F(SlurmFolderTest, TheLastLinesOfALogControlNoTerminal) {
    EXPECT_EQ(slurm_.lastLinesOf("key"), "") << "there is no log";
    writeLog("first\n\n\x1b[2Jsecond\n");
    EXPECT_EQ(slurm_.lastLinesOf("key"), "    first\n    \\x1B[2Jsecond\n");
    std::string lines;
    for (int i = 0; i < 20; ++i) lines += std::to_string(i) + "\n";
    writeLog(lines);
    EXPECT_THAT(slurm_.lastLinesOf("key"), testing::StartsWith("    12\n"));
}

}  // namespace
}  // namespace heddle::app
