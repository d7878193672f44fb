// SPDX-License-Identifier: Apache-2.0
#include "engine/data/readers/file_index.h"

#include "engine/base/json.h"
#include "engine/data/cache/cache_file.h"
#include "engine/data/loading/task_loaders.h"
#include "engine/data/readers/parallel_split.h"
#include "tests/unit/engine/data/temp_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace heddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::TempFolder;

constexpr std::chrono::nanoseconds kAtOnce{0};

TEST(FileIndex, KnowsWhatReadingFound) {
    const TempFolder folder;
    const FileIndex index(folder.file("cache"), kAtOnce);
    const std::string path = folder.writeGzip("a.gz", "\xEF\xBB\xBFone\ntwo\n");
    EXPECT_FALSE(index.find(path));
    const TextFile file = index.read(path, {});
    const auto known = index.find(path);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->sha256, file.sha256);
    EXPECT_EQ(known->lines, 2);
    EXPECT_THAT(known->notes, ElementsAre(HasSubstr("byte order mark")));
    EXPECT_FALSE(index.find(folder.file("absent")));
    EXPECT_FALSE(FileIndex("").find(path)) << "no cache is wanted";
}

// The hard case: as long as before, and its time of change put back.
TEST(FileIndex, SeesAChangeWhoseTimeWasPutBack) {
    const TempFolder folder;
    const FileIndex index(folder.file("cache"), kAtOnce);
    const std::string path = folder.write("a", "one\n");
    index.read(path, {});
    struct stat before {};
    ASSERT_EQ(::stat(path.c_str(), &before), 0);
    ASSERT_TRUE(index.find(path));
    // The clock of a file system ticks every few milliseconds; what `settle` is for is not meant here.
    struct stat after = before;
    while (after.st_ctim.tv_sec == before.st_ctim.tv_sec && after.st_ctim.tv_nsec == before.st_ctim.tv_nsec) {
        folder.write("a", "two\n");
        const timespec times[2] = {before.st_atim, before.st_mtim};
        ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
        ASSERT_EQ(::stat(path.c_str(), &after), 0);
    }
    ASSERT_EQ(after.st_size, before.st_size);
    ASSERT_EQ(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
    EXPECT_FALSE(index.find(path));
}

TEST(FileIndex, DoesNotTrustAFileThatHasJustChanged) {
    const TempFolder folder;
    const FileIndex index(folder.file("cache"), std::chrono::hours(1));
    const std::string path = folder.write("a", "one\n");
    index.read(path, {});
    EXPECT_FALSE(index.find(path));
}

TEST(FileIndex, ADamagedEntryIsNoEntry) {
    const TempFolder folder;
    const FileIndex index(folder.file("cache"), kAtOnce);
    const std::string path = folder.write("a", "one\n");
    index.read(path, {});
    for (const auto& entry : std::filesystem::directory_iterator(folder.file("cache/files"))) {
        std::string bytes = testing_support::readBytes(entry.path().string());
        bytes[bytes.size() / 2] ^= 1;
        std::ofstream(entry.path(), std::ios::binary) << bytes;
    }
    EXPECT_FALSE(index.find(path));
}

TEST(ParallelSplit, TextThatIsNoLongerWhatTheIndexKnewIsAnError) {
    const TempFolder folder;
    const FileIndex index(folder.file("cache"), kAtOnce);
    const ParallelFiles files{folder.write("a.en", "one\n"), folder.write("a.de", "eins\n")};
    for (const auto& path : {files.source, files.target}) index.read(path, {});
    ParallelSplit split(files, "train", index, {});
    EXPECT_EQ(split.lines(), 1);
    folder.write("a.en", "two\n");
    try {
        split.text();
        FAIL() << "not noticed";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("changed while the data were prepared"));
        EXPECT_THAT(error.where(), HasSubstr("a.en"));
    }
}

// That the text is not read again shows in planted facts: their note can come from nowhere else.
TEST(TranslationCache, ASecondStartDoesNotReadTheTrainingText) {
    const TempFolder folder;
    RunSpec spec;
    const std::string sample = HEDDLE_SOURCE_DIR "/resources/sample";
    spec.data.train = {sample + "/train.en", sample + "/train.weft"};
    const auto load = [&] { return loadTranslation({spec, {folder.path(), ""}, {}, 128}); };
    const RunData fresh = load();
    int planted = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.file("files"))) {
        CacheRead read = readCacheFile(entry.path().string());
        ASSERT_TRUE(read.sections);
        Json facts = Json::parse(read.sections->at("facts"));
        facts["notes"] = {"known"};
        writeCacheFile(entry.path().string(), {{"facts", facts.dump()}});
        ++planted;
    }
    ASSERT_EQ(planted, 2) << "the sample has not just been written";
    const RunData cached = load();
    EXPECT_THAT(cached.notes, ElementsAre("known", "known"));
    EXPECT_EQ(cached.train.source, fresh.train.source);
    EXPECT_EQ(cached.dataHashes, fresh.dataHashes);
}

}  // namespace
}  // namespace heddle
