// SPDX-License-Identifier: Apache-2.0
// Greedy and beam search whose positions a device repeats give the texts of the search that chooses on the host. On the CPU a
// recorder that does its work again stands in; on CUDA graphs are asked, where there is a device.
#include "engine/decode/decoding.h"
#include "engine/device/cuda_module.h"
#include "engine/device/device.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/verify/tiny_presets.h"
#include "tests/unit/engine/decode/decode_support.h"
#include "tests/unit/engine/replaying_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace heddle {
namespace {

using namespace decode_support;
using testing::ElementsAre;
using testing::HasSubstr;

/// What was asked of recorders, whichever thread asked.
struct Asked {
    std::atomic<int> recorded = 0, repeated = 0;
};

class CountingGraph final : public DeviceGraph {
public:
    CountingGraph(std::unique_ptr<DeviceGraph> inner, Asked& asked) : inner_(std::move(inner)), asked_(asked) {}
    void capture(const std::function<void()>& work) override {
        inner_->capture(work);
        ++asked_.recorded;
    }
    void replay() override {
        inner_->replay();
        ++asked_.repeated;
    }

private:
    std::unique_ptr<DeviceGraph> inner_;
    Asked& asked_;
};

class UncapturableDecoding final : public DeviceGraph {
public:
    void capture(const std::function<void()>&) override { TORCH_CHECK(false, "it waits for the device"); }
    void replay() override { FAIL() << "there is nothing to repeat"; }
};

MakeDeviceGraph counting(const MakeDeviceGraph& make, Asked& asked) {
    return [&asked, make] { return std::make_unique<CountingGraph>(make(), asked); };
}

struct Decoder {
    std::string name, preset;
    Json over;
};

std::vector<Decoder> decoders() {
    const auto gated = [](const Json& gate) {
        return Json{{"defaults", {{"score", {{"rule", "add"}, {"sites", {"dec_self", "cross"}}, {"gate", gate}}}}}};
    };
    const auto scorer = [](const char* id) { return Json{{"defaults", {{"scorer", id}}}, {"position", "none"}}; };
    return {
        {"EauFull", "eau-full", {}},
        {"RealFormer", "realformer", {{"topology", "encdec"}, {"head", "lm"}}},
        {"ThesisG1", "thesis-G1", {}},
        {"ThesisG3Separate", "thesis-G3-separate", {}},
        {"ThesisSkip2", "thesis-Gskip2", {}},
        {"GatesOnBothSites", "eau-base", gated({{"bias", "scalar"}})},
        {"LearnedPosition", "eau-base", {{"position", "learned"}}},
        {"SinusoidEveryLayer", "eau-base", {{"position", {{"kind", "sinusoid"}, {"where", "every_layer"}}}}},
        {"Gpt", "gpt", {}},
        {"GptRotary", "gpt", scorer("rotary")},
        {"GptAlibi", "gpt", scorer("alibi")},
        {"GptGrouped",
         "gpt",
         {{"defaults", {{"scorer", {{"kind", "grouped"}, {"groups", 1}}}, {"value", {{"kind", "grouped"}, {"groups", 1}}}}}}}};
}

struct DecodingCase {
    Decoder decoder;
    at::Device device;
};

std::vector<DecodingCase> on(const at::Device& device) {
    std::vector<DecodingCase> cases;
    for (const Decoder& decoder : decoders()) cases.push_back({decoder, device});
    return cases;
}

constexpr std::int64_t kWords = 13;  // of verify::tinyPreset

/// A small float32 model whose next-token distributions are far from even.
std::unique_ptr<Model> modelOf(const Decoder& decoder, const at::Device& device) {
    Json over{{"dims", {{"max_len", 40}}}};
    if (decoder.over.is_object()) over.merge_patch(decoder.over);
    auto model = buildModel(verify::tinyPreset(decoder.preset, over), 3);
    const at::NoGradGuard noGrad;
    std::uint64_t i = 0;
    for (const auto& [path, tensor] : model->parameters().entries()) {
        const double deviation = path.starts_with("head") || path.starts_with("embed") ? 0.35 : 0.15;
        tensor.add_(normal(randomKey(7, "stir", ++i), tensor.sizes(), 0, deviation).to(tensor.scalar_type()));
        if (tensor.dim() == 2 && tensor.size(0) == kWords) tensor[kEos].mul_(3);  // so that some texts end and some do not
    }
    model->to(device);
    return model;
}

/// Texts of 0 to 9 tokens below 13, in no order of length.
std::vector<Sentence> someTexts() {
    std::vector<Sentence> texts;
    for (std::int32_t i = 0; i < 24; ++i) {
        Sentence text;
        for (std::int32_t k = 0; k < (i * 7) % 10; ++k) text.push_back(4 + (i * i + 3 * k) % 9);
        texts.push_back(std::move(text));
    }
    return texts;
}

std::vector<DecodeOptions> searches(const at::Device& device) {
    std::vector<DecodeOptions> all{options(), beam(1), beam(4, 3), beam(6, 6)};
    all[2].search.lengthPenalty = 0.6;
    all[3].search.maxTokens = 9;
    for (DecodeOptions& each : all) {
        each.device = device;
        each.batchTokens = 400;
    }
    return all;
}

std::vector<NBest> decode(const Model& model, const DecodeOptions& options) {
    return model.variant().encoder.empty() ? *decodeContinuations(model, someTexts(), options)
                                           : *decodeTranslations(model, someTexts(), options);
}

class CapturedDecoding : public testing::TestWithParam<DecodingCase> {
protected:
    void SetUp() override {
        configureComputeThread({2, true});
        if (GetParam().device.is_cpu()) return;
        if (!cudaTable() || cudaTable()->deviceCount() == 0) GTEST_SKIP() << "no CUDA device: " << cudaModuleStatus();
        if (!cudaKernelsOn(0)) GTEST_SKIP() << "the CUDA module has no kernels for this device";
    }
};

std::string nameOf(const testing::TestParamInfo<DecodingCase>& tested) { return tested.param.decoder.name; }
INSTANTIATE_TEST_SUITE_P(Cpu, CapturedDecoding, testing::ValuesIn(on(at::kCPU)), nameOf);
INSTANTIATE_TEST_SUITE_P(Cuda, CapturedDecoding, testing::ValuesIn(on(at::Device(at::kCUDA, 0))), nameOf);

TEST_P(CapturedDecoding, GivesTheTextsOfTheHost) {
    const auto& [decoder, device] = GetParam();
    const auto onHost = modelOf(decoder, at::kCPU), model = modelOf(decoder, device);
    ASSERT_EQ(model->stepCaptureObstacle(), "");
    const MakeDeviceGraph make = device.is_cpu() ? test::replayingGraphs() : deviceGraphsOf(device);
    const auto plain = searches(at::kCPU);
    auto captured = searches(device);
    std::size_t ended = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        SCOPED_TRACE("search " + std::to_string(i));
        const auto expected = decode(*onHost, plain[i]);
        const auto eager = device.is_cpu() ? expected : decode(*model, captured[i]);
        expectEqual(eager, expected, 1e-4);
        Asked asked;
        captured[i].makeGraph = counting(make, asked);
        captured[i].onCaptureFailure = [](const std::string& why) { ADD_FAILURE() << why; };
        expectEqual(decode(*model, captured[i]), eager);
        EXPECT_GT(asked.recorded, 0);
        EXPECT_GT(asked.repeated, 2 * asked.recorded);
        for (const NBest& found : expected)
            for (const Decoded& text : found) ended += text.ended ? 1 : 0;
    }
    EXPECT_GT(ended, 0U) << "every text reached its limit: the test says little";
}

/// Equal scores everywhere: only the rule for ties decides.
std::unique_ptr<Model> undecided(const Json& over = Json::object()) {
    auto model = testing_support::buildTiny(over);
    const at::NoGradGuard noGrad;
    for (const char* path : {"head.weight", "head.bias"}) model->parameters().find(path).zero_();
    return model;
}

TEST(CapturedDecodingSearch, TiesGoToTheEarlierTextAndTheSmallerToken) {
    const auto model = undecided();
    for (const std::int64_t width : {1, 3, 5}) {
        DecodeOptions wide = beam(width, width);
        wide.search.maxTokens = 4;
        const auto expected = decodeTranslations(*model, {{4, 5}, {7}}, wide);
        wide.makeGraph = test::replayingGraphs();
        expectEqual(*decodeTranslations(*model, {{4, 5}, {7}}, wide), *expected);
    }
    DecodeOptions greedy = options();
    greedy.makeGraph = test::replayingGraphs();
    EXPECT_EQ(tokensOf(*decodeTranslations(*model, {{4, 5}}, greedy)), (std::vector<Sentence>{Sentence(14, kUnk)}));
}

/// There are fewer tokens than paths, and texts of at most four: all can be listed.
TEST(CapturedDecodingSearch, AWideBeamFindsWhatTheHostFinds) {
    const auto model = sharpModel({{"dims", {{"vocab_tgt", 6}}}});
    DecodeOptions wide = beam(60, 12);
    wide.search.maxTokens = 4;
    wide.search.lengthPenalty = 2;
    const auto expected = decodeTranslations(*model, someSources(), wide);
    wide.makeGraph = test::replayingGraphs();
    expectEqual(*decodeTranslations(*model, someSources(), wide), *expected);
}

TEST(CapturedDecodingSearch, BatchesOfOneShapeShareARecording) {
    const auto model = modelOf({"", "gpt", {}}, at::kCPU);
    configureComputeThread({1, true});
    Asked asked;
    DecodeOptions each = options();
    each.batchTokens = 40;
    const std::vector<Sentence> prompts(5, Sentence{4, 5});
    const auto expected = decodeContinuations(*model, prompts, each);
    each.makeGraph = counting(test::replayingGraphs(), asked);
    expectEqual(*decodeContinuations(*model, prompts, each), *expected);
    EXPECT_EQ(asked.recorded, 1);
}

TEST(CapturedDecodingSearch, StopsWithinEightPositions) {
    Asked asked;
    DecodeOptions each = options();
    each.makeGraph = counting(test::replayingGraphs(), asked);
    int times = 0;
    each.interrupted = [&] { return ++times > 2; };
    const auto model = undecided({{"topology", "decoder"}, {"dims", {{"max_len", 40}}}});
    EXPECT_FALSE(decodeContinuations(*model, {{4}, {5, 6}}, each));
    EXPECT_EQ(times, 3);
    EXPECT_LE(asked.repeated, 16);
    EXPECT_GT(asked.repeated, 8);
    each.interrupted = [] { return false; };
    EXPECT_EQ(decodeContinuations(*model, {{4}, {5, 6}}, each)->back().front().tokens, Sentence(38, kUnk));
}

TEST(CapturedDecodingSearch, WhatCannotBeRecordedIsDoneAndSaid) {
    configureComputeThread({1, true});
    const auto model = modelOf(decoders().front(), at::kCPU);
    DecodeOptions each = options();
    each.batchTokens = 100;  // several shapes
    const auto expected = decodeTranslations(*model, someTexts(), each);
    each.makeGraph = [] { return std::make_unique<UncapturableDecoding>(); };
    std::vector<std::string> said;
    each.onCaptureFailure = [&](const std::string& why) { said.push_back(why); };
    expectEqual(*decodeTranslations(*model, someTexts(), each), *expected);
    EXPECT_THAT(said, ElementsAre(HasSubstr("it waits for the device")));
}

TEST(CapturedDecodingSearch, OthersChooseOnTheHost) {
    const auto gated = [](const Json& gate) {
        return Json{{"defaults", {{"score", {{"rule", "add"}, {"sites", {"dec_self"}}, {"gate", gate}}}}}};
    };
    DecodeOptions each = options(), sampling = options();
    sampling.search.method = SearchOptions::Method::Sample;
    std::vector<std::string> said;
    for (DecodeOptions* const one : {&each, &sampling}) {
        one->makeGraph = []() -> std::unique_ptr<DeviceGraph> {
            ADD_FAILURE() << "was tried";
            return std::make_unique<UncapturableDecoding>();
        };
        one->onCaptureFailure = [&](const std::string& why) { said.push_back(why); };
    }
    EXPECT_TRUE(decodeTranslations(*sharpModel(), someSources(), sampling));
    EXPECT_TRUE(decodeTranslations(*sharpModel(gated({{"mask_prev", "raw"}})), someSources(), each));
    EXPECT_TRUE(said.empty()) << "that there is no cache is said elsewhere";
    const auto fullBias = sharpModel(gated({{"bias", "full"}}));
    EXPECT_TRUE(decodeTranslations(*fullBias, someSources(), each));
    EXPECT_THAT(said, ElementsAre(HasSubstr("bias full")));
    EXPECT_EQ(said.front(), fullBias->stepCaptureObstacle());
}

}  // namespace
}  // namespace heddle
