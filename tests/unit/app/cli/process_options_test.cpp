// SPDX-License-Identifier: Apache-2.0
#include "app/cli/process_options.h"

#include "engine/base/error.h"
#include "engine/base/files.h"
#include "engine/base/threads.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

using testing::HasSubstr;

int automaticCount(std::vector<DeviceInfo> devices) {
    const auto engine = std::make_shared<FakeEngine>();
    engine->found = std::move(devices);
    return processCount("auto", [engine] { return engine; });
}

TEST(ProcessOptions, AutoIsAProcessForEachGpuOrElseForEachCore) {
    EXPECT_EQ(automaticCount({{"cpu", "processor", 0}}), physicalCores());
    EXPECT_EQ(automaticCount({{"cpu", "processor", 0}, {"cuda:0", "GPU", 1}, {"cuda:1", "GPU", 1}, {"cuda:2", "GPU", 1}}), 3);
    EXPECT_EQ(automaticCount({{"cpu", "processor", 0}, {"cuda:0", "GPU", 1}}), 1);
}

TEST(ProcessOptions, ACountIsANumberThatNeedsNoEngine) {
    EXPECT_EQ(processCount("1", {}), 1);
    EXPECT_EQ(processCount("1024", {}), 1024);
    for (const char* wrong : {"0", "-2", "1025", "two", "2x", "", "4294967298", "automatic"})
        EXPECT_THROW(processCount(wrong, {}), Error) << wrong;
}

class ProcessOptionsTest : public testing::Test, protected SessionFixture {
protected:
    /// `heddle train` of a spec of small data as a process of several.
    CommandResult train(std::vector<std::string> place) const {
        place.insert(place.begin(), {"train", folder_ / "spec.json"});
        return runOn(file_, std::move(place), [engine = engine_] { return engine; });
    }
};

TEST_F(ProcessOptionsTest, APlaceThatThereIsNotIsRefusedBeforeAnythingIsRecorded) {
    writeFileAtomically(folder_ / "a.txt", "a b\nc d\n");
    writeFileAtomically(folder_ / "spec.json",
                        R"({"variant":{"preset":"eau-base"},"data":{"train":{"source":"a.txt","target":"a.txt"}}})");
    for (const char* rank : {"one", "1.5", "4294967297", "99999999999999999999", "-1"}) {
        const auto refused = train({"--rank", rank, "--world-size", "2", "--master", "127.0.0.1:4000"});
        EXPECT_EQ(refused.code, 2) << rank;
        EXPECT_THAT(refused.err, HasSubstr("--rank")) << rank;
    }
    EXPECT_EQ(train({"--rank", "2", "--world-size", "2", "--master", "127.0.0.1:4000"}).code, 2);
    EXPECT_EQ(train({"--rank", "1", "--nproc", "2"}).code, 2);
    EXPECT_EQ(train({"--nproc", "0"}).code, 2);
    EXPECT_EQ(train({"--rank", "1"}).code, 2);
    EXPECT_FALSE(std::filesystem::exists(file_));
    EXPECT_EQ(engine_->trained, 0);
}

}  // namespace
}  // namespace heddle::app
