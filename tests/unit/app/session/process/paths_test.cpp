// SPDX-License-Identifier: Apache-2.0
#include "app/session/process/paths.h"

#include "engine/base/error.h"
#include "engine/base/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// An environment without home, with a temporary folder of its own.
class HomelessTest : public testing::Test {
protected:
    HomelessTest() {
        for (const char* name : {"HOME", "XDG_CACHE_HOME"}) {
            before_.emplace_back(name, environment(name));
            unsetenv(name);
        }
        before_.emplace_back("TMPDIR", environment("TMPDIR"));
        setenv("TMPDIR", folder_.path().c_str(), 1);
    }
    ~HomelessTest() override {
        for (const auto& [name, value] : before_) value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
    }
    static std::string problem() {
        try {
            return defaultCacheFolder();
        } catch (const Error& error) {
            return error.problem();
        }
    }

    TemporaryFolder folder_;
    std::string own_ = folder_ / ("heddle-" + std::to_string(geteuid()));

private:
    std::vector<std::pair<const char*, std::string>> before_;
};

TEST_F(HomelessTest, TheTemporaryFolderIsForItsUserAlone) {
    EXPECT_EQ(defaultCacheFolder(), own_);
    EXPECT_EQ(fs::status(own_).permissions(), fs::perms::owner_all);
    EXPECT_EQ(defaultCacheFolder(), own_) << "the second time too";
}

TEST_F(HomelessTest, AFolderThatOthersCanEnterIsRefused) {
    fs::create_directory(own_);
    fs::permissions(own_, fs::perms::owner_all | fs::perms::others_exec);
    EXPECT_THAT(problem(), HasSubstr("not private to this user"));
}

TEST_F(HomelessTest, ALinkAndAnotherUsersFolderAreRefused) {
    fs::create_directory_symlink(folder_.path(), own_);
    EXPECT_THAT(problem(), HasSubstr("not private to this user"));
    fs::remove(own_);
    if (geteuid() != 0) return;  // only root can give a folder away
    constexpr uid_t kNobody = 65534;
    fs::create_directory(own_);
    fs::permissions(own_, fs::perms::owner_all);
    ASSERT_EQ(chown(own_.c_str(), kNobody, kNobody), 0);
    EXPECT_THAT(problem(), HasSubstr("not private to this user"));
}

}  // namespace
}  // namespace heddle::app
