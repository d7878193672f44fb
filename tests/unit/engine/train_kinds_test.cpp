// SPDX-License-Identifier: Apache-2.0
// Which variants the trainer takes: every encoder–decoder preset trains, everything else is refused before data are read.
#include "engine/device/torch_pch.h"
#include "engine/spec/error.h"
#include "tests/unit/engine/train_support.h"

#include <gtest/gtest.h>

#include <functional>

namespace heddle {
namespace {

bool isEncoderDecoder(const std::string& preset) { return presetDocument(preset).value("topology", "encdec") == "encdec"; }

std::vector<std::string> trainedPresets() {
    std::vector<std::string> names = presetNames();
    std::erase_if(names, std::not_fn(isEncoderDecoder));
    return names;
}

std::vector<std::string> refusedPresets() {
    std::vector<std::string> names = presetNames();
    std::erase_if(names, isEncoderDecoder);
    return names;
}

std::string nameOf(const ::testing::TestParamInfo<std::string>& tested) {
    std::string name = std::to_string(tested.index) + "_" + tested.param;
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

/// Two steps of a toy run with this variant.
struct Attempt {
    explicit Attempt(const Json& variant) : spec(test::toySpec(folder.path(), test::toyPairs(16), test::toyPairs(4))) {
        spec.variant = VariantSpec::parse(variant, builtinCatalogue());
        spec.train.epochs = 0;
        spec.train.steps = 2;
    }
    TrainOutcome run() { return test::createEngine()->train(test::toyRequest(spec, folder.path(), "run"), sink, mailbox); }

    test::TemporaryFolder folder;
    RunSpec spec;
    test::RecordingSink sink;
    Mailbox mailbox;
};

class TrainedPreset : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Train, TrainedPreset, ::testing::ValuesIn(trainedPresets()), nameOf);

TEST_P(TrainedPreset, TakesItsSteps) {
    const Json dims{{"d", 16},       {"f", 32},         {"heads", 2},     {"key_dim", nullptr}, {"value_dim", nullptr},
                    {"max_len", 24}, {"layers_enc", 2}, {"layers_dec", 2}};
    Attempt attempt(Json{{"preset", GetParam()}, {"dims", dims}});
    const TrainOutcome outcome = attempt.run();
    EXPECT_EQ(outcome.state, RunState::Completed);
    EXPECT_EQ(outcome.step, 2);
    const auto losses = attempt.sink.series("loss");
    EXPECT_EQ(losses.size(), 2u);
    for (const float loss : losses) EXPECT_TRUE(std::isfinite(loss));
}

class RefusedPreset : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Train, RefusedPreset, ::testing::ValuesIn(refusedPresets()), nameOf);

TEST_P(RefusedPreset, SaysWhatCanBeTrained) {
    Attempt attempt(Json{{"preset", GetParam()}});
    try {
        attempt.run();
        FAIL() << "was trained";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidInput);
        EXPECT_EQ(error.where(), "variant, topology");
        EXPECT_NE(error.next().find("encdec"), std::string::npos);
    }
    ASSERT_EQ(attempt.sink.all<Failure>().size(), 1u);
    EXPECT_TRUE(attempt.sink.all<Note>().empty()) << "data were read first";
}

}  // namespace
}  // namespace heddle
