// SPDX-License-Identifier: Apache-2.0
#include "engine/base/links.h"

#include "engine/base/error.h"
#include "engine/base/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Links, OfThePathAreFoundAndThoseOfTheFolderAreTheUsers) {
    const TemporaryFolder folder;
    const fs::path there = folder / "there", artifacts = folder / "artifacts";
    fs::create_directories(there / "run/step-1");
    fs::create_directory_symlink(there, artifacts);
    EXPECT_EQ(linkProblem(artifacts.string(), "run/step-1"), "") << "FILE.heddle.d may lie on another disk";
    EXPECT_EQ(linkProblem(artifacts.string(), "run/nothing/here"), "");
    fs::create_directory_symlink(there / "run/step-1", there / "run/step-2");
    EXPECT_THAT(linkProblem(artifacts.string(), "run/step-2"), HasSubstr("step-2 is a link, which is not followed"));
    EXPECT_THAT(linkProblem(artifacts.string(), "run/step-2/state.json"), HasSubstr("step-2 is a link"));
    fs::create_symlink(folder / "nowhere", there / "run/dangling");
    EXPECT_THAT(linkProblem(artifacts.string(), "run/dangling"), HasSubstr("dangling is a link"));
    EXPECT_THROW(requireNoLink(artifacts.string(), "run/dangling"), Error);
    EXPECT_NO_THROW(requireNoLink(artifacts.string(), "run/step-1"));
}

}  // namespace
}  // namespace heddle
