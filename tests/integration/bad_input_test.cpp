// SPDX-License-Identifier: Apache-2.0
// Bad input that only the engine's data reader can see, and a full disk: exit code and message for each, nothing lost.
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

namespace heddle::integration {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Trains on `source`; what comes of it must be exit code 3, and a failed run that says why.
void expectInvalid(const Workshop& shop, const std::string& source, const std::string& message) {
    const auto result = shop.run({"train", shop / "spec.json", "--steps", "5", "--set", "data.train.source=" + source});
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(result.json().at("schema"), "heddle.error/1");
    EXPECT_EQ(result.json().at("code"), 3);
    EXPECT_EQ(shop.onlyRun().at("state"), "failed");
}

TEST(BadInput, UnequalLineCounts) {
    const Workshop shop;
    expectInvalid(shop, shop.write("short.src", "only one line\n"), "line");
}

TEST(BadInput, InvalidUtf8NamesTheLine) {
    const Workshop shop;
    std::string text;
    for (int i = 0; i < 24; ++i) text += i == 7 ? "a \xc3\x28 b\n" : "a b\n";
    expectInvalid(shop, shop.write("bad.src", text), "bad.src");
}

TEST(BadInput, EmptyCorpus) {
    const Workshop shop;
    shop.write("train.tgt", "");
    expectInvalid(shop, shop.write("empty.src", ""), "empty");
}

TEST(BadInput, AFileThatIsNoTextFile) {
    const Workshop shop;
    expectInvalid(shop, shop / "cache/..", "");
}

/// A file system of its own, so small that the run does not fit.
class SmallDisk {
public:
    explicit SmallDisk(std::filesystem::path folder) : folder_(std::move(folder)) {
        std::filesystem::create_directories(folder_);
        mounted_ = mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=1600k") == 0;
    }
    ~SmallDisk() {
        if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    bool mounted() const { return mounted_; }
    void enlarge() const { EXPECT_EQ(mount("tmpfs", folder_.c_str(), "tmpfs", MS_REMOUNT, "size=200m"), 0); }

private:
    std::filesystem::path folder_;
    bool mounted_ = false;
};

TEST(FullDisk, TrainingWaitsAndGoesOnWhenThereIsRoomNothingIsLost) {
    const Workshop shop;
    const SmallDisk disk(shop / "small");
    if (!disk.mounted()) GTEST_SKIP() << "needs root to mount a small file system";
    const std::string database = shop / "small/t.heddle";
    Program program({"train", shop / "spec.json", "--steps", "120", "--db", database, "--json"}, shop / ".");
    const auto said = [&](const std::string& text) {
        for (int i = 0; i < 600 && program.running(); ++i) {
            for (const auto& entry : std::filesystem::directory_iterator(shop / ".")) {
                if (entry.path().filename().string().rfind("err-", 0) != 0) continue;
                std::ifstream file(entry.path());
                const std::string all{std::istreambuf_iterator<char>(file), {}};
                if (all.find(text) != std::string::npos) return true;
            }
            usleep(50'000);
        }
        return false;
    };
    ASSERT_TRUE(said("full") || said("space")) << program.wait(1).err;
    EXPECT_TRUE(program.running()) << "a full disk must not end the training";
    disk.enlarge();
    const auto result = program.wait();
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.json().at("state"), "completed");
    EXPECT_EQ(result.json().at("steps"), 120);
}

}  // namespace
}  // namespace heddle::integration
