// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/own_surroundings.h"
#include "app/session/process/child_process.h"
#include "engine/base/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace heddle::app {
namespace {

using testing::IsEmpty;

class GitTest : public testing::Test {
protected:
    GitTest() {
        try {
            hasGit_ = runChild({"git", "--version"}).code == 0;
        } catch (const std::exception&) {}
    }
    void SetUp() override {
        if (!hasGit_) GTEST_SKIP() << "needs git";
    }
    std::string git(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"git", "-C", folder_ / "", "-c", "user.name=a", "-c", "user.email=a@b", "-c",
                                             "commit.gpgsign=false", "-c", "core.hooksPath=/nowhere"});
        ChildResult result = runChild(arguments);
        EXPECT_EQ(result.code, 0) << result.last;
        if (!result.out.empty()) result.out.pop_back();
        return result.out;
    }
    Surroundings read() const {
        Surroundings found;
        readGit(folder_ / "", found);
        return found;
    }
    void write(const std::string& text) const { std::ofstream(folder_ / "file") << text; }

    const TemporaryFolder folder_;

private:
    bool hasGit_ = false;
};

TEST_F(GitTest, TellsTheCommitAndWhetherTrackedFilesDiffer) {
    EXPECT_THAT(read().commit, IsEmpty()) << "no working tree";
    git({"init", "--quiet"});
    write("one");
    git({"add", "file"});
    EXPECT_EQ(read(), Surroundings{}) << "no commit yet";
    git({"commit", "--quiet", "-m", "one"});
    EXPECT_EQ(read().commit, git({"rev-parse", "HEAD"}));
    EXPECT_FALSE(read().isDirty);
    std::ofstream(folder_ / "untracked") << "x";
    EXPECT_FALSE(read().isDirty) << "run databases lie beside the code";
    write("another");
    EXPECT_TRUE(read().isDirty);
}

TEST_F(GitTest, StartsNoProgramThatTheRepositoryNames) {
    git({"init", "--quiet"});
    write("one");
    git({"add", "file"});
    git({"commit", "--quiet", "-m", "one"});
    git({"config", "core.fsmonitor", "touch " + (folder_ / "started") + "; false"});
    EXPECT_FALSE(read().commit.empty());
    EXPECT_FALSE(std::ifstream(folder_ / "started").good());
}

TEST(Surroundings, WithoutGitNothingIsSaid) {
    const char* path = std::getenv("PATH");
    const std::string before = path ? path : "";
    setenv("PATH", "/nowhere", 1);
    Surroundings found;
    readGit("/", found);
    setenv("PATH", before.c_str(), 1);
    EXPECT_EQ(found, Surroundings{});
}

TEST(Surroundings, TellHowThisProcessWasStarted) {
    const Surroundings own = ownSurroundings();
    ASSERT_FALSE(own.command.empty());
    EXPECT_NE(own.command.front().find("session_test"), std::string::npos);
    EXPECT_FALSE(own.folder.empty());
}

}  // namespace
}  // namespace heddle::app
