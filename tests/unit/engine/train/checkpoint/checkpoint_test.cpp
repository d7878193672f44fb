// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/checkpoint.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/sha256.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/train/failing_calls.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;

Checkpoint sample(std::int64_t step, float value = 1) {
    Checkpoint checkpoint;
    checkpoint.weights = {{"w", at::full({50, 40}, value)}, {"b", at::arange(3, at::kFloat)}};
    checkpoint.optimizer = {{"w.exp_avg", at::zeros({50, 40})},
                            {"step", at::full({}, static_cast<double>(step)).to(at::kFloat)}};
    checkpoint.state.step = step;
    checkpoint.state.epoch = 2;
    checkpoint.state.batch = 5;
    checkpoint.state.best = 1.0 / 3;
    checkpoint.state.sums = {0.1, 2, 3, 4};
    checkpoint.identity = {{"seed", "1"}, {"variant_hash", "abc"}};
    return checkpoint;
}

std::vector<std::string> names(const std::string& folder) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
}

void flipByte(const std::string& path, std::size_t at) {
    auto bytes = test::readFile(path);
    bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1);
    test::writeFile(path, bytes);
}

TEST(Checkpoint, ComesBackAsItWas) {
    const TemporaryFolder folder;
    const auto written = writeCheckpoint(folder / "run7", sample(12));
    EXPECT_EQ(written.folder, "run7/step-12");
    EXPECT_THAT(names(folder / "run7"), ElementsAre("step-12"));
    EXPECT_THAT(names(folder / "run7/step-12"), ElementsAre("optimizer.safetensors", "state.json", "weights.safetensors"));
    EXPECT_EQ(written.weightsSha256, sha256OfFile(folder / "run7/step-12/weights.safetensors"));
    EXPECT_EQ(written.optimizerSha256, sha256OfFile(folder / "run7/step-12/optimizer.safetensors"));
    EXPECT_EQ(written.stateSha256, sha256OfFile(folder / "run7/step-12/state.json"));
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder / "run7/step-12")) bytes += entry.file_size();
    EXPECT_EQ(written.bytes, bytes);

    const auto read = readCheckpoint(folder / "run7/step-12");
    EXPECT_EQ(read.state, sample(12).state);
    EXPECT_EQ(read.identity, sample(12).identity);
    EXPECT_TRUE(at::equal(read.weights.at("w"), sample(12).weights.at("w")));
    EXPECT_EQ(read.optimizer.at("step").item<float>(), 12);
}

TEST(Checkpoint, BytesDependOnTheStateAlone) {
    const TemporaryFolder folder;
    const auto first = writeCheckpoint(folder / "a", sample(3)), second = writeCheckpoint(folder / "b", sample(3));
    EXPECT_EQ(first.stateSha256, second.stateSha256);
    EXPECT_EQ(first.weightsSha256, second.weightsSha256);
    EXPECT_NE(writeCheckpoint(folder / "c", sample(3, 2)).stateSha256, first.stateSha256);
}

TEST(Checkpoint, EveryFlippedBitIsNoticed) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "run", sample(1));
    for (const char* name : {"weights.safetensors", "optimizer.safetensors"}) {
        const std::string path = folder / "run/step-1/" + name;
        const auto size = fs::file_size(path);
        for (const std::size_t at : {std::size_t{0}, std::size_t{20}, size / 2, size - 1}) {
            flipByte(path, at);
            EXPECT_THROW(readCheckpoint(folder / "run/step-1"), Error) << name << at;
            flipByte(path, at);
        }
    }
    EXPECT_NO_THROW(readCheckpoint(folder / "run/step-1"));
}

TEST(Checkpoint, RefusesAStateThatIsNotOne) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "run", sample(1));
    const std::string path = folder / "run/step-1/state.json";
    const Json good = Json::parse(test::readFile(path));
    const auto refused = [&](const Json& document) {
        test::writeFile(path, document.dump());
        EXPECT_THROW(readCheckpoint(folder / "run/step-1"), Error) << document;
    };
    for (const auto& [key, value] : good.at("state").items()) {
        auto document = good;
        document["state"].erase(key);
        refused(document);
        document["state"][key] = "text";
        refused(document);
    }
    for (const char* key : {"schema", "state", "files"}) {
        auto document = good;
        document.erase(key);
        refused(document);
        document[key] = 7;
        refused(document);
    }
    test::writeFile(path, "{");
    EXPECT_THROW(readCheckpoint(folder / "run/step-1"), Error);
    fs::remove(path);
    EXPECT_THROW(readCheckpoint(folder / "run/step-1"), Error);
}

TEST(Checkpoint, ReplacesADamagedOrDifferentFolder) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "run", sample(1, 5));
    writeCheckpoint(folder / "run", sample(1));
    EXPECT_EQ(readCheckpoint(folder / "run/step-1").weights.at("w")[0][0].item<float>(), 1);
    flipByte(folder / "run/step-1/weights.safetensors", 100);
    writeCheckpoint(folder / "run", sample(1));
    EXPECT_NO_THROW(readCheckpoint(folder / "run/step-1"));
    EXPECT_THAT(names(folder / "run"), ElementsAre("step-1"));
}

TEST(Checkpoint, SameBytesAreLeftAsTheyAre) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "run", sample(1));
    const auto before = fs::last_write_time(folder / "run/step-1/state.json");
    writeCheckpoint(folder / "run", sample(1));
    EXPECT_EQ(fs::last_write_time(folder / "run/step-1/state.json"), before);
    EXPECT_THAT(names(folder / "run"), ElementsAre("step-1"));
}

/// Files may not grow beyond `bytes` while it lives: the system refuses as it does on a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int);
};

TEST(Checkpoint, AFullDiskHarmsNothing) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "run", sample(1));
    const auto sizeOf = [&](const char* file) { return fs::file_size(folder / "run/step-1/" + file); };
    const rlim_t weights = sizeOf("weights.safetensors");
    for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, weights - 1}) {
        const FileSizeLimit full(limit);
        EXPECT_THROW(writeCheckpoint(folder / "run", sample(2)), DiskFullError) << limit;
        EXPECT_THAT(names(folder / "run"), ElementsAre("step-1")) << limit;
    }
    EXPECT_NO_THROW(readCheckpoint(folder / "run/step-1"));
    const auto writeToFullDisk = [&] {
        const FileSizeLimit full(10);
        writeCheckpoint(folder / "run", sample(2));
    };
    EXPECT_THAT(writeToFullDisk,
                Throws<DiskFullError>(AllOf(Property(&Error::problem, AllOf(HasSubstr("1 MB"), HasSubstr("ulimit -f"))),
                                            Property(&Error::where, HasSubstr(folder / "run")))));
    writeCheckpoint(folder / "run", sample(2));
    EXPECT_THAT(names(folder / "run"), ElementsAre("step-1", "step-2"));
}

/// After a failed step 2 there is step 1, if it was written, and nothing half.
void expectNothingElse(const std::string& run, bool isFirst) {
    for (const std::string& name : fs::exists(run) ? names(run) : std::vector<std::string>{}) {
        EXPECT_THAT(name, testing::StartsWith("step-")) << "a leftover";
    }
    if (!isFirst) {
        EXPECT_NO_THROW(readCheckpoint(run + "/step-1"));
    }
}

/// Fails the call number `number` of one kind while step 2 is written. Returns false if there are fewer of them.
bool survivesFailureOf(const std::string& call, int error, int number, bool isFirst) {
    SCOPED_TRACE(call + " " + std::to_string(number) + ": " + std::strerror(error) + (isFirst ? ", first checkpoint" : ""));
    const TemporaryFolder folder;
    const std::string run = folder / "run";
    if (!isFirst) writeCheckpoint(run, sample(1));
    {
        const test::FailingCalls faults(folder.path(), call, error, number, 1);
        bool isFull = false, isRefused = false;
        try {
            writeCheckpoint(run, sample(2));
        } catch (const DiskFullError&) {
            isFull = true;
        } catch (const Error&) {
            isRefused = true;
        }
        if (faults.failed() == 0) return false;
        EXPECT_EQ(isFull, error != EIO);
        EXPECT_EQ(isRefused, error == EIO);
    }
    expectNothingElse(run, isFirst);
    EXPECT_NO_THROW(writeCheckpoint(run, sample(2))) << "the next try";
    EXPECT_NO_THROW(readCheckpoint(run + "/step-2"));
    return true;
}

/// A full disk, a quota, a file system without inodes and a faulty disk, at every call that writes a checkpoint.
TEST(Checkpoint, EveryCallMayFailAndTheNextTryIsGood) {
    struct Kind {
        const char* call;
        std::vector<int> errors;
        int fewest;  ///< such calls in one checkpoint
    };
    const Kind kinds[] = {{"mkdir", {ENOSPC, EDQUOT, EIO}, 1},  {"open", {ENOSPC, EDQUOT, EIO}, 6},
                          {"write", {ENOSPC, EDQUOT, EIO}, 3},  {"fsync", {ENOSPC, EDQUOT, EIO}, 6},
                          {"rename", {ENOSPC, EDQUOT, EIO}, 1}, {"read", {EIO}, 3}};
    for (const Kind& kind : kinds)
        for (const int error : kind.errors)
            for (const bool isFirst : {false, true}) {
                int number = 0;
                while (survivesFailureOf(kind.call, error, number, isFirst)) ++number;
                EXPECT_GE(number, kind.fewest) << kind.call;
            }
}

TEST(Checkpoint, IsWrittenWhereTheFreeSpaceCannotBeAsked) {
    for (const int error : {EDQUOT, EIO, ENOSYS}) {
        const TemporaryFolder folder;
        const test::FailingCalls faults(folder.path(), "statvfs", error);
        EXPECT_NO_THROW(writeCheckpoint(folder / "run", sample(1))) << error;
        EXPECT_GT(faults.failed(), 0);
    }
}

TEST(Checkpoint, NothingIsWrittenOrReadThroughALink) {
    const TemporaryFolder folder;
    const std::string run = folder / "run", outside = folder / "outside";
    writeCheckpoint(outside, sample(1));
    writeCheckpoint(run, sample(1));
    fs::create_directory_symlink(outside + "/step-1", run + "/step-2");
    EXPECT_THAT([&] { writeCheckpoint(run, sample(2)); },
                Throws<Error>(Property(&Error::problem, HasSubstr("step-2 is a link, which is not followed"))));
    EXPECT_EQ(readCheckpoint(outside + "/step-1").state.step, 1);
    const std::string weights = run + "/step-1/weights.safetensors";
    fs::remove(weights);
    fs::create_symlink(outside + "/step-1/weights.safetensors", weights);
    EXPECT_THAT([&] { readCheckpoint(run + "/step-1"); },
                Throws<Error>(Property(&Error::problem, HasSubstr("weights.safetensors is a link"))));
    fs::create_directory(outside + "/.tmp-mine");
    fs::create_directory_symlink(outside, folder / "linked");
    removeLeftovers(folder / "linked");
    EXPECT_TRUE(fs::exists(outside + "/.tmp-mine"));
}

TEST(Checkpoint, IsForItsUserAlone) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "run", sample(1));
    for (const char* entered : {"run", "run/step-1"})
        EXPECT_EQ(fs::status(folder / entered).permissions(), fs::perms::owner_all) << entered;
    for (const char* file : {"weights.safetensors", "optimizer.safetensors", "state.json"})
        EXPECT_EQ(fs::status(folder / "run/step-1/" + file).permissions(), fs::perms::owner_read | fs::perms::owner_write)
            << file;
}

TEST(Checkpoint, AFolderThatCannotBeMadeIsNamed) {
    const TemporaryFolder folder;
    test::writeFile(folder / "file", "in the way");
    EXPECT_THAT(
        [&] { writeCheckpoint(folder / "file/run", sample(1)); },
        Throws<Error>(AllOf(Property(&Error::code, ErrorCode::Failure), Property(&Error::where, HasSubstr(folder / "file")))));
}

TEST(Checkpoint, LeftoversOfAKilledWriterGo) {
    const TemporaryFolder folder;
    writeCheckpoint(folder / "run", sample(1));
    fs::create_directories(folder / "run/.tmp-123");
    test::writeFile(folder / "run/.tmp-123/weights.safetensors", "half");
    removeLeftovers(folder / "run");
    EXPECT_THAT(names(folder / "run"), ElementsAre("step-1"));
    EXPECT_NO_THROW(removeLeftovers(folder / "nothing"));
}

}  // namespace
}  // namespace heddle
