// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_folder.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/temporary_folder.h"
#include "tests/unit/app/session/fake_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

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

    PlanRow planOf(const std::string& key) const {
        const std::string file = slurm_.folderOf(key) + "/plan.json";
        return Plan::parse(readJsonFile(file), file).rows.at(0);
    }

    const TemporaryFolder folder_;
    const SlurmFolder slurm_{folder_ / "runs.heddle"};
};

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

TEST_F(SlurmFolderTest, TasksThatWaitForOthersHaveTheirNumbers) {
    slurm_.create();
    SlurmArray array{"third", "sweep/plan", 30, 19, {"e", "f"}, {}};
    array.tasks = {2, 5};
    array.after = 17;
    array.startsIn = {{"e", "b"}, {"f", "c"}};
    slurm_.write(array);
    EXPECT_EQ(fs::read_symlink(slurm_.linksOf(array) + "/5").string(), "../../runs/f");
    EXPECT_FALSE(fs::exists(slurm_.linksOf(array) + "/1"));
    const SlurmArray read = slurm_.arrays().at(0);
    EXPECT_THAT(read.tasks, ElementsAre(2, 5));
    EXPECT_EQ(read.taskOf(1), 5);
    EXPECT_EQ(read.after, 17);
    EXPECT_EQ(read.startsIn, array.startsIn);
    EXPECT_EQ((SlurmArray{"first", "g", 1, 7, {"a", "b"}, {}}).taskOf(1), 2);
}

TEST_F(SlurmFolderTest, APlanOfARunThatWaitsNamesTheDatabaseOfItsStart) {
    slurm_.create();
    PlannedRun run;
    run.spec = smallSpec("fine", 30);
    run.start = PlannedStart{{"pre", "last"}, 0, "parent"};
    slurm_.prepare("child", run);
    EXPECT_EQ(planOf("child").from, RowStart({"pre", "last", slurm_.databaseOf("parent")}));
    EXPECT_EQ(planOf("child").name, "fine");
    run.spec.train.start.checkpoint = "/runs/step-30";
    slurm_.prepare("child", run);
    EXPECT_EQ(planOf("child").from, std::nullopt) << "its spec says where it starts";
}

TEST_F(SlurmFolderTest, ARowThatIsRenamedKeepsTheNameWithWhichItsJobWasSubmitted) {
    slurm_.create();
    PlannedRun start, run;
    start.spec = smallSpec("pre", 30);
    run.spec = smallSpec("fine", 30);
    slurm_.prepare("parent", start);
    run.start = PlannedStart{{"renamed", "last"}, 0, "parent"};
    slurm_.prepare("child", run);
    EXPECT_EQ(planOf("child").from, RowStart({"pre", "last", slurm_.databaseOf("parent")}));
    start.spec.name = "renamed";
    slurm_.prepare("parent", start);
    EXPECT_EQ(planOf("parent").name, "pre") << "its run may have begun";
    slurm_.setMerged("parent");
    slurm_.prepare("parent", start);
    EXPECT_EQ(planOf("parent").name, "renamed");
}

TEST_F(SlurmFolderTest, FoldersOfMergedRunsGoUnlessAnotherRunStartsThere) {
    slurm_.create();
    PlannedRun run;
    run.spec = smallSpec("base", 30);
    for (const char* key : {"a", "b", "c"}) slurm_.prepare(key, run);
    slurm_.setMerged("a");
    slurm_.setMerged("b");
    slurm_.forgetMerged({"b", "x"});
    EXPECT_FALSE(fs::exists(slurm_.folderOf("a")));
    EXPECT_TRUE(fs::exists(slurm_.folderOf("b")));
    EXPECT_TRUE(fs::exists(slurm_.folderOf("c"))) << "it is not merged";
    fs::create_directory(slurm_.folderOf("b") + "/data");
    slurm_.prepare("b", run);
    EXPECT_FALSE(fs::exists(slurm_.folderOf("b") + "/data")) << "it is trained anew";
    slurm_.forgetMerged({});
    EXPECT_TRUE(fs::exists(slurm_.folderOf("b")));
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
