// SPDX-License-Identifier: Apache-2.0
// Every preset takes its steps at the task that it is made for; a task that a variant cannot do is refused before data are
// read.
#include "engine/base/error.h"
#include "engine/device/torch_pch.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

/// The task that a preset is made for.
std::string taskOf(const ResolvedVariant& variant) {
    if (variant.topology == Topology::EncoderDecoder) return "translation";
    if (variant.topology == Topology::Decoder) return "causal_lm";
    if (variant.globals.at("embed").id == "patches") return "image";
    return variant.globals.at("head").id == "classify" ? "classify" : "mlm";
}

/// 0 and 1 by turns.
std::string alternating(std::size_t count) {
    std::string values(count, '\0');
    for (std::size_t i = 1; i < count; i += 2) values[i] = 1;
    return values;
}

std::string nameOf(const ::testing::TestParamInfo<std::string>& tested) {
    std::string name = std::to_string(tested.index) + "_" + tested.param;
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

/// Two steps of a toy run with this variant, doing what it is made for.
struct VariantAttempt : test::Attempt {
    explicit VariantAttempt(const Json& variant) : test::Attempt(16, 4) {
        spec.variant = VariantSpec::parse(variant, builtinCatalogue());
        spec.data.task = taskOf(spec.variant.resolve());
        spec.train.epochs = 0;
        spec.train.steps = 2;
        if (spec.data.task == "classify") spec.data.format = "generated/agreement";
        spec.data.generated = {.train = 16, .valid = 4, .test = 4};
        if (spec.data.task != "image") return;
        test::writeIdx(folder / "images", {6, 32, 32}, alternating(6 * 32 * 32));
        test::writeIdx(folder / "labels", {6}, alternating(6));
        spec.data.format = "idx";
        spec.data.train = spec.data.valid = {folder / "images", folder / "labels"};
    }
};

class TrainedPreset : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Train, TrainedPreset, ::testing::ValuesIn(presetNames()), nameOf);

TEST_P(TrainedPreset, TakesItsSteps) {
    const Json dims{{"d", 16},
                    {"f", 32},
                    {"heads", 2},
                    {"key_dim", nullptr},
                    {"value_dim", nullptr},
                    {"kv_heads", nullptr},
                    {"max_len", 24},
                    {"layers_enc", 2},
                    {"layers_dec", 2},
                    {"classes", 2},
                    {"vocab_src", "from_data"},
                    {"vocab_tgt", "from_data"}};
    Json variant{{"preset", GetParam()}, {"dims", dims}};
    std::vector<Problem> problems;
    VariantSpec::parse(variant, builtinCatalogue(), problems);
    if (!problems.empty()) variant["dims"].update({{"heads", 1}, {"layers_enc", 1}});  // a bilinear form; a fixed point
    const std::string embed = VariantSpec::parse(variant, builtinCatalogue()).resolve().globals.at("embed").id;
    if (embed == "frozen_file") variant["embed"] = {{"vectors", "random"}};
    if (embed == "patches") variant["embed"] = {{"channels", 1}};
    VariantAttempt attempt(variant);
    attempt.spec.data.tokenizer.shared = embed == "tied_all";
    const TrainOutcome outcome = attempt.run();
    EXPECT_EQ(outcome.state, RunState::Completed);
    EXPECT_EQ(outcome.step, 2);
    const auto losses = attempt.sink.series("loss");
    EXPECT_EQ(losses.size(), 2u);
    for (const float loss : losses) EXPECT_TRUE(std::isfinite(loss));
}

TEST(RefusedTask, SaysWhatTheVariantCanDo) {
    VariantAttempt attempt(Json{{"preset", "bert-base"}});
    attempt.spec.data.task = "translation";
    EXPECT_THAT([&] { attempt.run(); }, Throws<Error>(AllOf(Property(&Error::code, ErrorCode::InvalidInput),
                                                            Property(&Error::where, "variant, topology"),
                                                            Property(&Error::next, HasSubstr("mlm, denoise")))));
    ASSERT_EQ(attempt.sink.all<Failure>().size(), 1u);
    EXPECT_TRUE(attempt.sink.all<AttemptDescribed>().empty()) << "data were read first";
}

}  // namespace
}  // namespace heddle
