// SPDX-License-Identifier: Apache-2.0
// `heddle average` and what its checkpoint is good for, with the built program and the real engine.
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>

namespace heddle::integration {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// The float32 tensors of a safetensors file, read without Heddle's reader.
std::map<std::string, std::vector<float>> weightsOf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    std::map<std::string, std::vector<float>> weights;
    const Json header = Json::parse(bytes.substr(8, length));
    for (const auto& [name, entry] : header.items()) {
        EXPECT_EQ(entry.at("dtype"), "F32") << name;
        const std::size_t begin = entry.at("data_offsets").at(0), end = entry.at("data_offsets").at(1);
        weights[name].resize((end - begin) / sizeof(float));
        std::memcpy(weights[name].data(), bytes.data() + 8 + length + begin, end - begin);
    }
    return weights;
}

/// A run of 120 steps that keeps those of steps 80, 100 and 120, made once.
class Average : public testing::Test {
protected:
    static void SetUpTestSuite() {
        shop_ = std::make_unique<Workshop>();
        run_ = shop_->must({"train", *shop_ / "spec.json", "--name", "tiny", "--steps", "120", "--set", "train.keep_last=3"})
                   .at("run");
    }
    static void TearDownTestSuite() { shop_.reset(); }

    static std::string refusal(std::vector<std::string> arguments, int code = 2) {
        const Result result = shop_->run(std::move(arguments));
        EXPECT_EQ(result.code, code) << result.err;
        EXPECT_EQ(result.json().at("schema"), "heddle.error/1");
        return result.err;
    }
    static fs::path folder(const std::string& name) { return *shop_ / (Workshop::database() + ".d/" + run_ + "/" + name); }
    static Json shown() { return shop_->must({"runs", "show", "tiny"}); }
    static std::vector<std::string> kinds() {
        std::vector<std::string> all;
        const Json run = shown();
        for (const Json& checkpoint : run.at("checkpoints")) all.push_back(checkpoint.at("kind"));
        return all;
    }

    static std::unique_ptr<Workshop> shop_;
    static std::string run_;
};
std::unique_ptr<Workshop> Average::shop_;
std::string Average::run_;

TEST_F(Average, IsTheMeanOfTheLastCheckpointsInEveryWeight) {
    const Json made = shop_->must({"average", "tiny", "--last", "3"});
    EXPECT_EQ(made.at("schema"), "heddle.average/1");
    EXPECT_EQ(made.at("steps"), Json::parse("[80,100,120]"));
    EXPECT_EQ(made.at("checkpoint"), "average-80-100-120");
    EXPECT_EQ(made.at("path"), folder("average-80-100-120").string());
    EXPECT_THAT(kinds(), Contains("average-80-100-120"));

    const auto a = weightsOf(folder("step-80/weights.safetensors")), b = weightsOf(folder("step-100/weights.safetensors")),
               c = weightsOf(folder("step-120/weights.safetensors")),
               mean = weightsOf(folder("average-80-100-120/weights.safetensors"));
    ASSERT_EQ(mean.size(), a.size());
    std::size_t moved = 0;
    for (const auto& [name, values] : mean)
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double exact = (double(a.at(name)[i]) + double(b.at(name)[i]) + double(c.at(name)[i])) / 3;
            ASSERT_EQ(values[i], static_cast<float>(exact)) << name << " " << i;
            moved += values[i] != c.at(name)[i];
        }
    EXPECT_GT(moved, 100U);
}

TEST_F(Average, IsReadByWhatReadsCheckpoints) {
    shop_->must({"average", "tiny", "--steps", "120,80"});
    const std::string kind = "average-80-120";
    const Json last = shop_->must({"evaluate", "--run", "tiny", "--checkpoint", "last"});
    const Json mean = shop_->must({"evaluate", "--run", "tiny", "--checkpoint", kind});
    EXPECT_EQ(mean.at("checkpoint"), kind);
    EXPECT_EQ(mean.at("step"), 120);
    EXPECT_NE(mean.at("values").at(0).at("value"), last.at("values").at(0).at("value"));
    const Json translated = shop_->must({"translate", "--run", "tiny", "--checkpoint", kind, "ana sees birds ."});
    EXPECT_FALSE(translated.at("lines").at(0).at("translation").get<std::string>().empty());
    const Json inspected = shop_->must({"inspect", "tiny", "--checkpoint", kind, "--examples", "0"});
    EXPECT_EQ(inspected.at("values").at(0).at("trained"), mean.at("values").at(0).at("value"));
    const Json fork = shop_->must({"fork", "tiny", "--at", kind, "--set", "train.steps=1", "--name", "from the mean"});
    EXPECT_EQ(fork.at("state"), "completed");
}

TEST_F(Average, ItsValuesAreRecordedBesideThoseOfTheLastCheckpoint) {
    const Json measured = shop_->must({"evaluate", "--run", "tiny", "--average", "2"});
    EXPECT_EQ(measured.at("split"), "valid-average-2");
    EXPECT_EQ(measured.at("checkpoint"), "average-100-120");
    std::map<std::string, Json> recorded, own;
    const Json run = shown();
    for (const Json& one : run.at("evaluations")) {
        if (one.at("split") == "valid-average-2") recorded[one.at("metric")] = one;
        if (one.at("split") == "valid" && one.at("step") == 120) own[one.at("metric")] = one;
    }
    ASSERT_FALSE(recorded.empty());
    for (const Json& value : measured.at("values")) {
        const Json& row = recorded.at(value.at("metric"));
        EXPECT_EQ(row.at("value"), value.at("value"));
        EXPECT_EQ(row.at("step"), 120);
        EXPECT_THAT(row.at("signature").get<std::string>(), HasSubstr("averaged 2 checkpoints"));
        EXPECT_EQ(row.at("n"), own.at(value.at("metric")).at("n"));
    }
    EXPECT_NE(recorded.at("loss").at("value"), own.at("loss").at("value"));
    EXPECT_THAT(own.at("loss").at("signature").get<std::string>(), Not(HasSubstr("averaged")));
    const Json mean = shop_->must({"evaluate", "--run", "tiny", "--checkpoint", "average-100-120"});
    EXPECT_EQ(mean.at("values").at(0).at("value"), measured.at("values").at(0).at("value"));
}

TEST_F(Average, IsVerifiedAndNeverResumed) {
    const Workshop shop;
    shop.must({"train", shop / "spec.json", "--name", "tiny", "--steps", "40", "--set", "train.keep_last=3"});
    shop.must({"average", "tiny", "--last", "2"});
    EXPECT_EQ(shop.run({"runs", "verify"}).code, 0);
    const std::string run = shop.onlyRun().at("run");
    const fs::path average = shop / (Workshop::database() + ".d/" + run + "/average-20-40");
    const Json resumed = shop.must({"resume", "tiny", "--steps", "80"});
    EXPECT_EQ(resumed.at("attempts").at(1).at("first_step"), 40);
    EXPECT_TRUE(fs::exists(average)) << "retention keeps it";
    std::ofstream(average / "weights.safetensors", std::ios::app) << "x";
    const Result damaged = shop.run({"runs", "verify"});
    EXPECT_EQ(damaged.code, 3);
    EXPECT_THAT(damaged.out, HasSubstr("average-20-40/weights.safetensors"));
    EXPECT_EQ(shop.run({"translate", "--run", "tiny", "--checkpoint", "average", "ana"}).code, 3);
}

TEST_F(Average, GoesToAFileAlone) {
    const std::vector<std::string> before = kinds();
    const Json made = shop_->must({"average", "tiny", "--steps", "100,120", "--output", *shop_ / "mean.safetensors"});
    EXPECT_TRUE(made.at("checkpoint").is_null());
    EXPECT_EQ(weightsOf(*shop_ / "mean.safetensors").size(), weightsOf(folder("step-120/weights.safetensors")).size());
    EXPECT_EQ(kinds(), before);
}

TEST_F(Average, SaysWhatIsWrongWithARequest) {
    EXPECT_THAT(refusal({"average", "tiny"}), HasSubstr("--last K or --steps"));
    EXPECT_THAT(refusal({"average", "tiny", "--last", "9"}),
                AllOf(HasSubstr("has 3 of its last checkpoints (steps 80, 100, 120), not 9"), HasSubstr("train.keep_last=9")));
    EXPECT_THAT(refusal({"average", "tiny", "--last", "1"}), HasSubstr("average 2 to 20"));
    EXPECT_THAT(refusal({"average", "tiny", "--last", "0"}), HasSubstr("average 2 to 20"));
    EXPECT_THAT(refusal({"average", "tiny", "--steps", "80,90"}), HasSubstr("no checkpoint of step 90"));
    for (const char* no : {"80", "80,80", "80;100", "80,", "-80,100", "99999999999999999999,100"})
        refusal({"average", "tiny", "--steps", no});
    refusal({"average", "tiny", "--steps", "80,100", "--last", "2"});
    refusal({"average", "nobody", "--last", "2"});
    refusal({"evaluate", "--run", "tiny", "--average", "2", "--set", "train.lr=1"});
    refusal({"evaluate", "--run", "tiny", "--average", "2", "--checkpoint", "last"});
    EXPECT_THAT(refusal({"average", "tiny", "--steps", "80,100", "--output", *shop_ / "train.src/y"}, 1),
                HasSubstr("train.src"));
}

}  // namespace
}  // namespace heddle::integration
