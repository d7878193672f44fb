// SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/loss.h"
#include "engine/base/error.h"

#include "engine/data/tokenizers/tokenizer.h"
#include "engine/device/random.h"
#include "engine/device/torch_pch.h"
#include "engine/spec/schedules.h"
#include "tests/unit/engine/closeness.h"
#include "tests/unit/engine/draws.h"
#include "tests/unit/engine/thread_counts.h"
#include "tests/unit/engine/train/train_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace heddle {
namespace {

using testing_support::drawnFloats;
using testing_support::leaf;
using testing_support::relative;

constexpr double kLossTolerance = 1e-5;  // float32 against float64

at::Tensor matrix(const Json& rows) {
    std::vector<double> values;
    for (const Json& row : rows)
        for (const Json& value : row) values.push_back(value.get<double>());
    const auto count = static_cast<std::int64_t>(rows.size());
    return at::tensor(values).view({count, -1});
}

struct GoldenCase {
    at::Tensor logits, targets;  // no target is kPad
};
GoldenCase goldenCase() {
    const Json inputs = test::golden().at("losses").at("inputs");
    return {matrix(inputs.at("logits")).to(at::kFloat), at::tensor(inputs.at("targets").get<std::vector<std::int64_t>>())};
}

TEST(Loss, CrossEntropyEqualsGolden) {
    const auto [logits, targets] = goldenCase();
    const Json expected = test::golden().at("losses").at("outputs");
    const auto sums = crossEntropy(logits, targets, {0, 1.0 / 4});
    EXPECT_NEAR(sums.objective.item<double>(), expected.at("ce").get<double>(), 1e-6);
    EXPECT_NEAR(sums.nll.item<double>() / 4, expected.at("ce").get<double>(), 1e-6);
    EXPECT_FALSE(sums.gradient.defined());
}

TEST(Loss, PaddedRowsDoNotCount) {
    const auto [logits, targets] = goldenCase();
    auto masked = targets.clone();
    masked[3] = kPad;  // the golden case ignores the last row
    const auto sums = crossEntropyWithGradient(logits, masked, {0, 1.0 / 3, kPad});
    EXPECT_NEAR(sums.objective.item<double>(), test::golden()["losses"]["outputs"]["masked_ce"].get<double>(), 1e-6);
    EXPECT_EQ(sums.gradient[3].abs().sum().item<double>(), 0);
    EXPECT_LE(sums.correct.item<double>(), 3);
}

TEST(Loss, LabelSmoothingEqualsGolden) {
    const auto [logits, targets] = goldenCase();
    const auto sums = crossEntropyWithGradient(logits, targets, {0.1, 1.0 / 4});
    EXPECT_NEAR(sums.objective.item<double>(), test::golden()["losses"]["outputs"]["label_smoothed_ce"].get<double>(), 1e-6);
}

TEST(Loss, GradientEqualsAutogradInDouble) {
    const std::int64_t rows = 700, classes = 1031;  // more than one block of rows
    const auto numbers = at::arange(rows * classes, at::kDouble);
    const auto logits = (numbers * 0.7).sin().mul(3).view({rows, classes}).to(at::kFloat);
    auto targets = at::arange(rows).mul(7).remainder(classes);
    targets.masked_fill_(targets.remainder(11).eq(0), kPad);
    const double tokens = targets.ne(kPad).sum().item<double>();
    const auto sums = crossEntropyWithGradient(logits, targets, {0.1, 1 / tokens, kPad});

    auto reference = logits.to(at::kDouble).requires_grad_(true);
    const auto loss = at::cross_entropy_loss(reference, targets, {}, at::Reduction::Mean, kPad, 0.1);
    loss.backward();
    EXPECT_NEAR(sums.objective.item<double>(), loss.item<double>(), 1e-5);
    EXPECT_LT((sums.gradient - reference.grad()).abs().max().item<double>(), 1e-8);
}

TEST(Loss, ZLossIsItsDefinitionInValueAndGradient) {
    constexpr double kZ = 1e-2;
    const auto logits = (at::arange(9 * 13, at::kDouble) * 0.7).sin().mul(3).add(2).view({9, 13});
    auto targets = at::arange(9);
    targets[4] = kIgnoredLabel;
    const auto counted = targets.ne(kIgnoredLabel).to(at::kDouble);
    LossOptions options{0.1, 0.125};
    options.zLoss = kZ;
    auto reference = logits.clone().requires_grad_(true);
    const auto logZ = reference.logsumexp(1, false);
    const auto loss = at::cross_entropy_loss(reference, targets, {}, at::Reduction::Sum, kIgnoredLabel, 0.1) +
                      (logZ.square() * counted).sum() * kZ;
    (loss * 0.125).backward();
    const auto exact = crossEntropyWithGradient(logits, targets, options);
    EXPECT_NEAR(exact.objective.item<double>(), loss.item<double>() * 0.125, 1e-12);
    EXPECT_LT((exact.gradient - reference.grad()).abs().max().item<double>(), 1e-14);
    const auto reduced = crossEntropyWithGradient(logits.to(at::kFloat), targets, options);
    EXPECT_LT((reduced.gradient - reference.grad()).abs().max().item<double>(), 1e-7);
    EXPECT_NEAR(reduced.nll.item<double>(), crossEntropy(logits, targets, {}).nll.item<double>(), 1e-5)
        << "what is reported as the loss has no part of it";
}

TEST(Loss, OfEqualLogitsTheFirstIsThePrediction) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16}) {
        const at::Tensor equal = at::zeros({20, 5}, type), targets = at::arange(20).remainder(5);
        EXPECT_EQ(crossEntropy(equal, targets, {}).correct.item<double>(), 4) << "a model of zeros guesses the first class";
        EXPECT_EQ(crossEntropyWithGradient(equal, targets, {}).correct.item<double>(), 4) << type;
    }
    const at::Tensor coarse = drawnFloats(3, "logits", {400, 300}).to(at::kBFloat16), targets = at::arange(400).remainder(300);
    const at::Tensor best = coarse.amax(1, true).eq(coarse).to(at::kInt).argmax(1);  // the first of equals
    at::Tensor last = coarse.flip(1).argmax(1).neg().add(299);
    ASSERT_FALSE(at::equal(best, last)) << "there are ties";
    EXPECT_EQ(crossEntropy(coarse, best, {}).correct.item<double>(), 400);
    EXPECT_EQ(crossEntropy(coarse, last, {}).correct.item<double>(), last.eq(best).sum().item<double>());
}

TEST(Loss, CountsTheTokensThatNoOtherClassOutscores) {
    const auto logits = at::tensor({0.F, 0.F, 1.F, 2.F, 0.F, 0.F, 5.F, 2.F, 9.F, 0.F, 0.F, 0.F}).view({3, 4});
    const auto targets = at::tensor({std::int64_t{3}, std::int64_t{3}, std::int64_t{kPad}});
    const auto sums = crossEntropy(logits, targets, {0, 1, kPad});
    EXPECT_EQ(sums.correct.item<double>(), 1);                               // row 0 right, row 1 wrong, row 2 padding
    EXPECT_EQ(crossEntropy(logits, targets, {}).correct.item<double>(), 1);  // row 2 counts, and is wrong
}

TEST(Loss, RowsAddUpToTheWhole) {
    const auto logits = at::arange(900 * 1031, at::kFloat).sin().view({900, 1031});  // more than one block of rows
    const auto targets = at::arange(900);
    const auto sums = crossEntropy(logits, targets, {});
    ASSERT_EQ(sums.nll_N.sizes(), at::IntArrayRef{900});
    EXPECT_NEAR(sums.nll_N.sum().item<double>(), sums.nll.item<double>(), 1e-2);
    const double last = (logits[899].logsumexp(0, false) - logits[899][899]).item<double>();
    EXPECT_NEAR(sums.nll_N[899].item<double>(), last, 1e-5);
}

TEST(Loss, SaysWhatEachRowIsTakenFor) {
    auto logits = at::arange(300 * 1031, at::kFloat).mul(0.7).sin().mul(6).view({300, 1031});
    logits[7].fill_(2);  // the first of equals
    auto targets = at::arange(300).mul(3);
    targets.masked_fill_(targets.remainder(11).eq(0), kPad);
    targets[8] = logits[8].argmax();
    const LossOptions options{0, 0.5, kPad};
    const auto rows = crossEntropy(logits, targets, options), whole = crossEntropy(logits.to(at::kDouble), targets, options);
    EXPECT_TRUE(at::equal(rows.best_N, logits.argmax(-1)));
    EXPECT_TRUE(at::equal(whole.best_N, rows.best_N));
    EXPECT_LT((rows.nll_N - whole.nll_N).abs().max().item<double>(), 1e-5);
    EXPECT_NEAR(rows.nll.item<double>() / whole.nll.item<double>(), 1, 1e-6);
    EXPECT_NEAR(rows.objective.item<double>() / whole.objective.item<double>(), 1, 1e-6);
    EXPECT_EQ(rows.correct.item<double>(), whole.correct.item<double>());
    EXPECT_GE(rows.correct.item<double>(), 1);
    EXPECT_THROW(crossEntropy(logits, at::full({300}, 1031, at::kLong), {}), c10::Error);
}

TEST(Loss, DoesNotDependOnTheNumberOfThreads) {
    const auto logits = at::arange(700 * 1031, at::kFloat).sin().view({700, 1031});
    const auto targets = at::arange(700);
    testing_support::expectTheSameByAnyThreads([&] {
        const LossSums trained = crossEntropyWithGradient(logits, targets, {0.1, 0.5});
        const LossSums scored = crossEntropy(logits, targets, {});
        return std::vector<at::Tensor>{trained.gradient, trained.objective, scored.nll, scored.nll_N};
    });
}

/// The smoothed loss by its definition, in float64.
struct DefinedLoss {
    double objective, nll;
    at::Tensor gradient;
};
DefinedLoss defined(const at::Tensor& logits_NV, const at::Tensor& labels_N, const LossOptions& options) {
    const at::Tensor z = leaf(logits_NV, at::kDouble), logs = z.log_softmax(1);
    const at::Tensor counted = labels_N.ne(options.ignored).to(at::kDouble);
    const at::Tensor nll = -logs.gather(1, labels_N.clamp_min(0).unsqueeze(1)).squeeze(1) * counted;
    const at::Tensor objective =
        ((nll * (1 - options.smoothing) - logs.mean(1) * counted * options.smoothing).sum() * options.scale);
    objective.backward();
    return {objective.item<double>(), nll.sum().item<double>(), z.grad()};
}

TEST(Loss, IsItsDefinitionForAnyNumberOfClasses) {
    for (const std::int64_t classes : {2, 15, 16, 37, 7853})
        for (const double smoothing : {0.0, 0.1}) {
            const at::Tensor logits = drawnFloats(3, "logits", {67, classes}) * 5;
            at::Tensor targets = at::arange(67).remainder(classes);
            targets[3] = -1;
            const LossOptions options{smoothing, 1.0 / 66};
            const DefinedLoss expected = defined(logits, targets, options);
            const LossSums sums = crossEntropyWithGradient(logits, targets, options);
            EXPECT_NEAR(sums.objective.item<double>(), expected.objective, kLossTolerance * expected.objective);
            EXPECT_NEAR(sums.nll.item<double>(), expected.nll, kLossTolerance * expected.nll);
            EXPECT_LT(relative(sums.gradient, expected.gradient), kLossTolerance) << classes;
            EXPECT_EQ(sums.gradient[3].abs().max().item<float>(), 0);
            const at::Tensor right = logits.argmax(1).eq(targets);
            EXPECT_EQ(sums.correct.item<float>(), right.sum().item<float>());

            LossOptions over = options;
            over.gradient = LossOptions::Gradient::OverLogits;
            const at::Tensor given = logits.clone();
            const LossSums same = crossEntropyWithGradient(given, targets, over);
            EXPECT_EQ(same.gradient.data_ptr(), given.data_ptr());
            EXPECT_TRUE(at::equal(same.gradient, sums.gradient));
        }
}

TEST(Loss, ShowsWhatIsNotFiniteAndRefusesStrangeTargets) {
    at::Tensor logits = drawnFloats(3, "logits", {2, 40});
    const at::Tensor targets = at::zeros({2}, at::kLong);
    EXPECT_ANY_THROW(crossEntropyWithGradient(logits, targets + 40, {}));
    EXPECT_ANY_THROW(crossEntropyWithGradient(logits, targets - 2, {}));
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        at::Tensor broken = logits.clone();
        broken[1][17] = value;
        EXPECT_FALSE(std::isfinite(crossEntropyWithGradient(broken, targets, {}).objective.item<double>())) << value;
    }
    logits[0][5] = -1e30;  // a hidden class
    EXPECT_TRUE(std::isfinite(crossEntropyWithGradient(logits, targets, {}).objective.item<double>()));
}

TEST(Loss, LogitsThatAutogradKeptAreNotSilentlyOverwritten) {
    const at::Tensor x = leaf(drawnFloats(3, "x", {3, 16}), at::kFloat), logits = at::tanh(x);  // its gradient reads its output
    LossOptions over;
    over.gradient = LossOptions::Gradient::OverLogits;
    const LossSums sums = crossEntropyWithGradient(logits, at::zeros({3}, at::kLong), over);
    EXPECT_ANY_THROW(logits.backward(sums.gradient));
}

TEST(Loss, TakesBFloat16Logits) {
    const auto logits = at::arange(24, at::kFloat).sin().view({4, 6}).to(at::kBFloat16);
    const auto targets = at::tensor({std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, std::int64_t{5}});
    const auto half = crossEntropyWithGradient(logits, targets, {0.1, 0.25});
    const auto full = crossEntropyWithGradient(logits.to(at::kFloat), targets, {0.1, 0.25});
    EXPECT_EQ(half.gradient.scalar_type(), at::kBFloat16);
    EXPECT_EQ(half.objective.item<float>(), full.objective.item<float>());
}

TEST(Loss, TakesRowsThatLieApart) {
    const auto targets = at::tensor({std::int64_t{2}, std::int64_t{-1}, std::int64_t{36}, std::int64_t{5}});
    for (const auto type : {at::kFloat, at::kDouble, at::kBFloat16}) {
        const auto logits = at::arange(4 * 37, at::kFloat).sin().mul(3).view({4, 37}).to(type);
        const auto expected = crossEntropyWithGradient(logits.clone(), targets, {0.1, 0.25});
        for (const auto gradient : {LossOptions::Gradient::Own, LossOptions::Gradient::OverLogits}) {
            const auto memory = at::full({4, 64}, 7, logits.options());
            const auto apart = memory.narrow(1, 0, 37).copy_(logits);
            LossOptions options{0.1, 0.25};
            const auto scored = crossEntropy(apart, targets, {}), whole = crossEntropy(logits, targets, {});
            EXPECT_TRUE(at::equal(scored.nll_N, whole.nll_N) && at::equal(scored.best_N, whole.best_N));
            options.gradient = gradient;
            const auto sums = crossEntropyWithGradient(apart, targets, options);
            EXPECT_TRUE(at::equal(sums.gradient, expected.gradient)) << type;
            EXPECT_TRUE(at::equal(sums.objective, expected.objective)) << type;
            const bool isOver = gradient == LossOptions::Gradient::OverLogits;
            EXPECT_EQ(sums.gradient.data_ptr() == memory.data_ptr(), isOver);
            EXPECT_TRUE(memory.narrow(1, 37, 27).eq(7).all().item<bool>()) << "somebody wrote behind the rows";
        }
    }
}

TEST(Schedule, EqualsGolden) {
    const Json outputs = test::golden().at("schedules").at("outputs");
    TrainSpec noam;
    noam.schedule = ScheduleKind::Noam;
    TrainSpec warm;
    warm.schedule = ScheduleKind::ConstantAfterWarmup;
    warm.lr = 1e-3;
    const auto expectAll = [&](const char* name, const TrainSpec& spec, std::int64_t d) {
        for (const auto& [step, value] : outputs.at(name).items())
            EXPECT_NEAR(learningRate(spec, {std::stoll(step), d}) / value.get<double>(), 1, 1e-12) << name << " " << step;
    };
    expectAll("noam_d128", noam, 128);
    expectAll("noam_d512", noam, 512);
    expectAll("linear_warmup_peak_0_001", warm, 512);
}

TEST(Schedule, NoamPeakReachesItsPeakAtTheEndOfTheWarmup) {
    TrainSpec spec;
    spec.schedule = ScheduleKind::NoamPeak;
    spec.lr = 2e-3;
    spec.warmup = 100;
    EXPECT_DOUBLE_EQ(learningRate(spec, {50, 128}), 1e-3);
    EXPECT_DOUBLE_EQ(learningRate(spec, {100, 128}), 2e-3);
    EXPECT_DOUBLE_EQ(learningRate(spec, {400, 128}), 1e-3);
    spec.schedule = ScheduleKind::Constant;
    EXPECT_DOUBLE_EQ(learningRate(spec, {400, 128}), 2e-3);
    for (const ScheduleKind kind : {ScheduleKind::Linear, ScheduleKind::Cosine}) {
        const std::string falling = wordOf(kind);
        spec.schedule = kind;
        EXPECT_DOUBLE_EQ(learningRate(spec, {50, 128, 500}), 1e-3) << falling;
        EXPECT_DOUBLE_EQ(learningRate(spec, {100, 128, 500}), 2e-3) << falling;
        EXPECT_NEAR(learningRate(spec, {300, 128, 500}), 1e-3, 1e-12) << falling;
        EXPECT_NEAR(learningRate(spec, {500, 128, 500}), 0, 1e-12) << falling;
        EXPECT_THROW(learningRate(spec, {200, 128}), Error) << falling << " without an end";
    }
    spec.scheduleEnd = 0.1;
    EXPECT_NEAR(learningRate(spec, {500, 128, 500}), 2e-4, 1e-12);
    spec.schedule = ScheduleKind::Plateau;
    EXPECT_DOUBLE_EQ(learningRate(spec, {200, 128, 0, 2}), 5e-4);
    EXPECT_DOUBLE_EQ(learningRate(spec, {200, 128, 0, 20}), 2e-4);
    spec.schedule = ScheduleKind::Constant;
    EXPECT_THROW(learningRate(spec, {0, 128}), Error);
}

TEST(Schedule, WsdStaysAndFallsInItsLastSteps) {
    TrainSpec spec;
    spec.schedule = ScheduleKind::Wsd;
    spec.lr = 2e-3;
    spec.warmup = 100;
    spec.scheduleDecay = 0.25;
    const auto at = [&](std::int64_t step) { return learningRate(spec, {step, 128, 400}); };
    EXPECT_DOUBLE_EQ(at(50), 1e-3);
    for (const std::int64_t step : {100, 200, 300}) EXPECT_DOUBLE_EQ(at(step), 2e-3) << step;
    EXPECT_NEAR(at(325), 1.5e-3, 1e-12);
    EXPECT_NEAR(at(350), 1e-3, 1e-12);
    EXPECT_NEAR(at(400), 0, 1e-12);
    spec.decayShape = DecayShape::Sqrt;
    EXPECT_DOUBLE_EQ(at(300), 2e-3);
    EXPECT_NEAR(at(325), 2e-3 * (1 - std::sqrt(0.25)), 1e-12);
    EXPECT_NEAR(at(400), 0, 1e-12);
    spec.scheduleEnd = 0.1;
    EXPECT_NEAR(at(325), 2e-3 * (0.1 + 0.9 * 0.5), 1e-12);
    spec.scheduleSteps = 800;
    EXPECT_DOUBLE_EQ(at(400), 2e-3) << "the fall ends where the spec says";
    spec.scheduleSteps = 0;
    EXPECT_TRUE(endsWithRun(spec));
    EXPECT_THROW(learningRate(spec, {200, 128}), Error) << "without an end";
    spec.scheduleDecay = 0;
    EXPECT_DOUBLE_EQ(learningRate(spec, {200, 128}), 2e-3) << "a trunk has no end";
    EXPECT_FALSE(endsWithRun(spec));
}

TEST(Schedule, WarnsOfAWarmUpThatDoesNotEndAndOfARateOfZero) {
    TrainSpec spec;
    for (const std::string& schedule : wordsOf<ScheduleKind>()) {
        spec.schedule = *choiceNamed<ScheduleKind>(schedule);
        if (spec.schedule == ScheduleKind::Constant) continue;
        const auto warnings = scheduleWarnings(spec, 10);
        ASSERT_EQ(warnings.size(), 1U) << schedule;
        EXPECT_THAT(warnings.front(), testing::HasSubstr("the warm-up is longer than the run"));
        EXPECT_THAT(warnings.front(), testing::HasSubstr("0.25 %"));
        EXPECT_TRUE(scheduleWarnings(spec, 0).empty()) << "a run without a known end";
        EXPECT_TRUE(scheduleWarnings(spec, 4000).empty());
    }
    spec.schedule = ScheduleKind::Constant;
    EXPECT_TRUE(scheduleWarnings(spec, 10).empty());
    spec.schedule = ScheduleKind::Linear;
    spec.warmup = 3;
    spec.scheduleSteps = 20;
    EXPECT_TRUE(scheduleWarnings(spec, 20).empty());
    ASSERT_EQ(scheduleWarnings(spec, 40).size(), 1U);
    EXPECT_THAT(scheduleWarnings(spec, 40).front(), testing::HasSubstr("0 from step 20 to the run's last step, 40"));
    spec.scheduleEnd = 0.1;
    EXPECT_TRUE(scheduleWarnings(spec, 40).empty());
}

}  // namespace
}  // namespace heddle
