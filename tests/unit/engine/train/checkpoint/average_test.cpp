// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint/average.h"

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/base/temporary_folder.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace heddle {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::map<std::string, at::ScalarType> kTypes{{"float32", at::kFloat}, {"float16", at::kHalf}, {"float64", at::kDouble}};

at::Tensor tensorOf(const Json& values, at::ScalarType type) {
    const auto numbers = values.get<std::vector<double>>();
    return at::tensor(numbers, at::kDouble).to(type);
}

/// tests/oracle/average_oracle.py.
TEST(WeightMean, IsNumpysToTheBit) {
    const Json document = readJsonFile(HEDDLE_SOURCE_DIR "/tests/unit/engine/train/checkpoint/cases/average_cases.json");
    ASSERT_EQ(document.at("cases").size(), 9U);
    for (const Json& one : document.at("cases")) {
        const at::ScalarType type = kTypes.at(one.at("type"));
        WeightMean mean;
        for (const Json& weights : one.at("weights")) mean.add({{"w", tensorOf(weights, type)}}, "test");
        const at::Tensor found = mean.mean().at("w");
        EXPECT_EQ(found.scalar_type(), type);
        EXPECT_TRUE(at::equal(found, tensorOf(one.at("mean"), type))) << one.dump() << found;
    }
}

TEST(WeightMean, ChangesNoneOfTheWeights) {
    const at::Tensor first = at::ones({2}, at::kDouble), second = at::full({2}, 3, at::kDouble);
    WeightMean mean;
    mean.add({{"w", first}}, "test");
    mean.add({{"w", second}}, "test");
    EXPECT_TRUE(at::equal(mean.mean().at("w"), at::full({2}, 2, at::kDouble)));
    EXPECT_TRUE(at::equal(first, at::ones({2}, at::kDouble)));
    EXPECT_TRUE(at::equal(second, at::full({2}, 3, at::kDouble)));
}

TEST(WeightMean, WholeNumbersAreTheLastOnes) {
    WeightMean mean;
    for (const int value : {1, 2, 6}) mean.add({{"table", at::full({2}, value, at::kLong)}}, "test");
    EXPECT_TRUE(at::equal(mean.mean().at("table"), at::full({2}, 6, at::kLong)));
}

/// What is said of weights that are added after {"w": [2] float}.
std::string refusal(const NamedTensors& weights) {
    WeightMean mean;
    mean.add({{"w", at::ones({2})}}, "first");
    try {
        mean.add(weights, "second");
        return "none";
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(WeightMean, RefusesWeightsOfAnotherModel) {
    EXPECT_EQ(refusal({{"w", at::ones({2})}}), "none");
    EXPECT_THAT(refusal({}), AllOf(HasSubstr("\"w\" is missing"), HasSubstr("second")));
    EXPECT_THAT(refusal({{"w", at::ones({3})}}), HasSubstr("has shape [3], expected [2]"));
    EXPECT_THAT(refusal({{"w", at::ones({2}, at::kHalf)}}), HasSubstr("is Half, expected Float"));
    EXPECT_THAT(refusal({{"w", at::ones({2})}, {"v", at::ones({2})}}), HasSubstr("\"v\""));
    EXPECT_THAT(refusal({{"w", at::full({2}, std::numeric_limits<float>::infinity())}}),
                AllOf(HasSubstr("NaN or infinite"), HasSubstr("second")));
}

Checkpoint checkpoint(std::int64_t step, float value) {
    Checkpoint made;
    made.weights = {{"w", at::full({3}, value)}, {"rows", at::full({1}, step, at::kLong)}};
    made.optimizer = {{"w.exp_avg", at::zeros({3})}};
    made.state.step = step;
    made.state.epoch = step / 10;
    made.identity = {{"variant_hash", "abc"}, {"tokenizer_hashes", {"a", "b"}}};
    return made;
}

class AverageCheckpoints : public testing::Test {
protected:
    AverageCheckpoints() {
        for (const std::int64_t step : {10, 20, 30}) writeCheckpoint(run_, checkpoint(step, static_cast<float>(step)));
    }
    std::string refusalOf(const AverageRequest& request) {
        try {
            averageCheckpoints(request);
            return "none";
        } catch (const Error& error) {
            return error.what();
        }
    }
    TemporaryFolder folder_;
    const std::string run_ = folder_ / "run";
};

TEST_F(AverageCheckpoints, MakesACheckpointOfItsOwn) {
    const std::string before = sha256OfFile(run_ + "/step-30/weights.safetensors");
    const CheckpointWritten written = averageCheckpoints({run_, {10, 30}, ""});
    EXPECT_EQ(written.folder, "run/average-10-30");
    EXPECT_THAT(written.kinds, ElementsAre("average-10-30"));
    EXPECT_EQ(written.weightsSha256, sha256OfFile(run_ + "/average-10-30/weights.safetensors"));
    EXPECT_EQ(written.optimizerSha256, sha256OfFile(run_ + "/average-10-30/optimizer.safetensors"));
    EXPECT_EQ(written.stateSha256, sha256OfFile(run_ + "/average-10-30/state.json"));
    EXPECT_EQ(sha256OfFile(run_ + "/step-30/weights.safetensors"), before);

    const Checkpoint read = readCheckpoint(run_ + "/average-10-30");
    EXPECT_TRUE(at::equal(read.weights.at("w"), at::full({3}, 20.F)));
    EXPECT_TRUE(at::equal(read.weights.at("rows"), at::full({1}, 30, at::kLong)));
    EXPECT_TRUE(read.optimizer.empty());
    EXPECT_EQ(read.state, checkpoint(30, 30).state);
    EXPECT_EQ(read.identity, checkpoint(30, 30).identity);
    EXPECT_EQ(readJsonFile(run_ + "/average-10-30/state.json").at("averaged"), Json::parse("[10,30]"));
    EXPECT_FALSE(readJsonFile(run_ + "/step-10/state.json").contains("averaged"));
}

TEST_F(AverageCheckpoints, WritesTheWeightsAloneToAFile) {
    const std::string file = folder_ / "mean.safetensors";
    const CheckpointWritten written = averageCheckpoints({run_, {10, 20, 30}, file});
    EXPECT_EQ(written.weightsSha256, sha256OfFile(file));
    EXPECT_EQ(written.bytes, fs::file_size(file));
    EXPECT_TRUE(at::equal(readSafetensors(file).at("w"), at::full({3}, 20.F)));
    EXPECT_FALSE(fs::exists(run_ + "/average-10-20-30"));
}

TEST_F(AverageCheckpoints, ReadsNoOptimizerState) {
    fs::remove(run_ + "/step-30/optimizer.safetensors");
    EXPECT_EQ(refusalOf({run_, {10, 30}, ""}), "none");
    EXPECT_TRUE(readCheckpoint(run_ + "/average-10-30").optimizer.empty());
    const Checkpoint state = readCheckpointState(run_ + "/step-30");
    EXPECT_EQ(state.state, checkpoint(30, 30).state);
    EXPECT_EQ(state.identity, checkpoint(30, 30).identity);
    EXPECT_TRUE(state.weights.empty());
}

TEST_F(AverageCheckpoints, RefusesThoseOfAnotherModelAndDamagedOnes) {
    Checkpoint other = checkpoint(40, 40);
    other.identity["tokenizer_hashes"] = {"a", "c"};
    writeCheckpoint(run_, other);
    EXPECT_THAT(refusalOf({run_, {30, 40}, ""}), AllOf(HasSubstr("differ in tokenizer_hashes"), HasSubstr("step-30")));
    Checkpoint larger = checkpoint(50, 50);
    larger.weights["w"] = at::ones({4});
    writeCheckpoint(run_, larger);
    EXPECT_THAT(refusalOf({run_, {30, 50}, ""}), HasSubstr("has shape [4], expected [3]"));
    EXPECT_THAT(refusalOf({run_, {30, 60}, ""}), HasSubstr("step-60"));
    fs::resize_file(run_ + "/step-10/weights.safetensors", 100);
    EXPECT_THAT(refusalOf({run_, {10, 20}, ""}), AllOf(HasSubstr("is damaged"), HasSubstr("step-10")));
    fs::rename(run_ + "/step-20", folder_ / "elsewhere");
    fs::create_directory_symlink(folder_ / "elsewhere", run_ + "/step-20");
    EXPECT_THAT(refusalOf({run_, {20, 30}, ""}), HasSubstr("is a link"));
    for (const auto& entry : fs::directory_iterator(run_))
        EXPECT_THAT(entry.path().filename().string(), testing::StartsWith("step-"));
}

TEST_F(AverageCheckpoints, FollowsNoLinkInItsOwnPlace) {
    fs::create_directory(folder_ / "elsewhere");
    fs::create_directory_symlink(folder_ / "elsewhere", run_ + "/average-10-20");
    EXPECT_THAT(refusalOf({run_, {10, 20}, ""}), HasSubstr("is a link"));
    EXPECT_TRUE(fs::is_empty(folder_ / "elsewhere"));
}

}  // namespace
}  // namespace heddle
