// SPDX-License-Identifier: Apache-2.0
// A finished run is asked about examples without labels: what it learnt comes back, in the examples' order.
#include "engine/base/error.h"
#include "engine/data/readers/examples.h"
#include "engine/data/tokenizers/tokenizer.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "tests/unit/engine/spec/refusals.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

constexpr std::uint8_t kImageSide = 8;

class Labelling : public ::testing::Test {
protected:
    Labelling() : spec(test::toySpec(folder.path(), test::toyPairs(4), test::toyPairs(4))) {
        spec.train.epochs = 0;
        spec.train.lr = 0.01;
        spec.train.schedule = ScheduleKind::Constant;
    }

    /// Trains the spec and opens its last checkpoint.
    std::unique_ptr<InferenceSession> trained() {
        const auto engine = test::createEngine();
        const TrainOutcome outcome = engine->train(test::toyRequest(spec, folder.path(), "run"), sink, mailbox);
        EXPECT_EQ(outcome.state, RunState::Completed);
        return engine->openInference(spec, folder / "run", folder / "run/step-" + std::to_string(outcome.step), "cpu");
    }

    /// An image whose left or right half is white.
    static Unlabelled halfWhite(bool right) {
        Unlabelled image;
        image.height = image.width = kImageSide;
        for (std::int64_t i = 0; i < kImageSide * kImageSide; ++i)
            image.pixels.push_back((i % kImageSide >= kImageSide / 2) == right ? 255 : 0);
        return image;
    }
    void readImages() {
        constexpr std::uint8_t kCount = 16;
        std::string images, labels;
        for (std::size_t i = 0; i < kCount; ++i) {
            const Unlabelled image = halfWhite(i % 2 == 1);
            images.append(image.pixels.begin(), image.pixels.end());
            labels.push_back(static_cast<char>(i % 2));
        }
        test::writeIdx(folder / "images", {kCount, kImageSide, kImageSide}, images);
        test::writeIdx(folder / "labels", {kCount}, labels);
        spec.variant = VariantSpec::parse(
            {{"preset", "vit-tiny"},
             {"dims", {{"d", 16}, {"f", 16}, {"heads", 2}, {"layers_enc", 1}, {"classes", 2}, {"max_len", 5}}},
             {"embed", {{"size", 4}, {"channels", 1}}}},
            builtinCatalogue());
        spec.data.task = "image";
        spec.data.format = "idx";
        spec.data.train = spec.data.valid = {folder / "images", folder / "labels"};
    }

    /// A small encoder over a generated task; `variant` holds its number of classes, and its head.
    void readGenerated(const std::string& task, const std::string& format, Json variant) {
        variant["preset"] = "clue-transformer";
        variant["dims"].update(
            {{"d", 32}, {"f", 32}, {"heads", 2}, {"layers_enc", 1}, {"max_len", 24}, {"vocab_src", "from_data"}});
        spec.variant = VariantSpec::parse(variant, builtinCatalogue());
        spec.data.task = task;
        spec.data.format = format;
        spec.data.train = spec.data.valid = {};
        spec.data.generated = {.train = 64, .valid = 8, .test = 4};
        spec.train.steps = 5;
    }

    const TemporaryFolder folder;
    RunSpec spec;
    test::RecordingSink sink;
    Mailbox mailbox;
};

auto labelled(const std::string& name) { return ::testing::Field(&Labelled::label, name); }

TEST_F(Labelling, ImagesGetTheirClasses) {
    readImages();
    spec.train.steps = 40;
    const auto session = trained();
    EXPECT_THAT(session->classify({halfWhite(true), halfWhite(false), halfWhite(false), halfWhite(true)}),
                ElementsAre(labelled("1"), labelled("0"), labelled("0"), labelled("1")));
    EXPECT_TRUE(session->classify({}).empty());
}

TEST_F(Labelling, ImagesThatTheModelCannotTakeAreRefused) {
    readImages();
    spec.train.steps = 1;
    const auto session = trained();
    Unlabelled other = halfWhite(true);
    other.width = kImageSide / 2;
    other.pixels.resize(kImageSide * kImageSide / 2);
    EXPECT_THROW(session->classify({halfWhite(true), other}), Error) << "two sizes";
    Unlabelled large;
    large.height = large.width = 4 * kImageSide;
    large.pixels.resize(16 * kImageSide * kImageSide);
    EXPECT_THAT(whyRefused([&] { session->classify({large}); }), HasSubstr("max_len")) << "more patches than positions";
}

TEST_F(Labelling, TextsGetTheClassesOfTheirTask) {
    readGenerated("classify", "generated/agreement", {{"dims", {{"classes", 2}}}});
    const auto session = trained();
    const auto labels = session->classify({{"w1 w2", "", {}, {}}, {"w2 w1", "", {}, {}}, {"w1 w2", "", {}, {}}});
    ASSERT_EQ(labels.size(), 3u);
    EXPECT_EQ(labels[0].label, labels[2].label) << "equal texts, equal classes";
    ASSERT_EQ(labels[0].probabilities.size(), session->classNames().size());
    EXPECT_NEAR(std::accumulate(labels[0].probabilities.begin(), labels[0].probabilities.end(), 0.0), 1, 1e-6);
    const auto most = std::max_element(labels[0].probabilities.begin(), labels[0].probabilities.end());
    EXPECT_EQ(session->classNames()[static_cast<std::size_t>(most - labels[0].probabilities.begin())], labels[0].label);
    DecodeRequest request;
    request.lines = {"w1"};
    EXPECT_THROW(session->translate(request), Error) << "there is no decoder";

    const std::string classes = folder / "run/tokenizer/classes.json";
    Json names = readJsonFile(classes);
    std::swap(names[0], names[1]);
    test::writeFile(classes, canonicalJson(names) + "\n");
    EXPECT_THAT([&] { test::createEngine()->openInference(spec, folder / "run", folder / "run/step-5", "cpu"); },
                Throws<Error>(
                    AllOf(Property(&Error::code, ErrorCode::InvalidInput), Property(&Error::where, HasSubstr("classes.json")))))
        << "the names of the classes are exchanged";
}

// Before: a line of words had no words, and the model was given no position.
TEST_F(Labelling, LinesAreTaggedWordByWord) {
    readGenerated("tag", "generated/position", {{"head", {{"kind", "tag"}}}, {"dims", {{"classes", 8}}}});
    spec.data.generated.shortest = 4;
    spec.data.generated.longest = spec.data.generated.words = 8;
    const auto session = trained();
    const auto labels = session->classify({{"w1  w2 w3", "", {}, {}}, {"", "", {"w1", "w2", "w3"}, {}}});
    EXPECT_EQ(labels[0].label, labels[1].label) << "a line is its words";
    EXPECT_EQ(splitWords(labels[0].label, WordSplit::Whitespace).size(), 3u);
    EXPECT_THROW(session->classify({{" ", "", {}, {}}}), Error);
}

TEST_F(Labelling, WeightsThatAreNoNumbersAreNotAsked) {
    spec.train.steps = 2;
    trained();
    Checkpoint checkpoint = readCheckpoint(folder / "run/step-2");
    checkpoint.weights.begin()->second.fill_(std::nan(""));
    checkpoint.state.step = 3;
    writeCheckpoint(folder / "run", checkpoint);
    const auto open = [&] { test::createEngine()->openInference(spec, folder / "run", folder / "run/step-3", "cpu"); };
    EXPECT_THAT(whyRefused<ErrorCode::Diverged>(open), HasSubstr(checkpoint.weights.begin()->first))
        << "such a model would write words for ever";
}

}  // namespace
}  // namespace heddle
