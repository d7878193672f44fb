// SPDX-License-Identifier: Apache-2.0
#include "engine/data/cache/cache_file.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <gtest/gtest.h>

#include <chrono>

namespace heddle {
namespace {

namespace fs = std::filesystem;

TEST(CacheFile, WritingRemovesWhatAKilledWriterLeftAndNothingElse) {
    const testing_support::TempFolder folder;
    const std::string abandoned = folder.write("corpus-1.heddlecache.123.0.tmp", "half");
    const std::string fresh = folder.write("corpus-2.heddlecache.124.0.tmp", "half");
    const std::string other = folder.write("mine.123.0.tmp", "whole");
    const std::string cache = folder.write("corpus-3.heddlecache", "whole");
    const auto longAgo = fs::file_time_type::clock::now() - std::chrono::hours(25);
    for (const std::string& file : {abandoned, other, cache}) fs::last_write_time(file, longAgo);

    writeCacheFile(folder.file("corpus-4.heddlecache"), {{"ids", "1 2 3"}});

    EXPECT_FALSE(fs::exists(abandoned));
    EXPECT_TRUE(fs::exists(fresh)) << "another process may be writing it";
    EXPECT_TRUE(fs::exists(other)) << "not a name of ours";
    EXPECT_TRUE(fs::exists(cache));
    EXPECT_TRUE(readCacheFile(folder.file("corpus-4.heddlecache")).sections.has_value());
}

}  // namespace
}  // namespace heddle
