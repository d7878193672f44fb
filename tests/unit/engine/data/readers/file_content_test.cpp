// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/file_content.h"

#include "engine/base/sha256.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace heddle {
namespace {

using Role = FieldSchema::Role;

TEST(FileContent, OfDataIsThatOfTheUnpackedBytesOfATokenizerThatOfTheFile) {
    const testing_support::TempFolder folder;
    const std::string plain = folder.write("a.txt", "one\ntwo\n"), zipped = folder.writeGzip("a.gz", "one\ntwo\n");
    EXPECT_EQ(contentOf(Role::DataFile, plain), sha256Hex("one\ntwo\n"));
    EXPECT_EQ(contentOf(Role::DataFile, zipped), sha256Hex("one\ntwo\n"));
    EXPECT_EQ(contentOf(Role::TokenizerFile, zipped), sha256OfFile(zipped));
    EXPECT_TRUE(haveSameContent(Role::DataFile, plain, zipped));
    EXPECT_FALSE(haveSameContent(Role::TokenizerFile, plain, zipped));
}

TEST(FileContent, FollowsTheFile) {
    const testing_support::TempFolder folder;
    const std::string path = folder.write("a.txt", "one\n");
    EXPECT_EQ(contentOf(Role::DataFile, path), sha256Hex("one\n"));
    folder.write("a.txt", "another\n");
    EXPECT_EQ(contentOf(Role::DataFile, path), sha256Hex("another\n"));
    std::filesystem::remove(path);
    EXPECT_EQ(contentOf(Role::DataFile, path), "");
}

TEST(FileContent, AFileThatCannotBeReadIsEqualToItselfAlone) {
    const testing_support::TempFolder folder;
    const std::string absent = folder.file("absent"), other = folder.file("other"), there = folder.write("a.txt", "one\n");
    EXPECT_TRUE(haveSameContent(Role::DataFile, absent, absent));
    EXPECT_FALSE(haveSameContent(Role::DataFile, absent, other));
    EXPECT_FALSE(haveSameContent(Role::DataFile, absent, there));
    EXPECT_FALSE(haveSameContent(Role::DataFile, there, ""));
}

}  // namespace
}  // namespace heddle
