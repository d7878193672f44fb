// SPDX-License-Identifier: Apache-2.0
// Classifiers with one output: trained with the binary hinge loss, score > 0 is the second class (variants.md S11).
#include "engine/base/error.h"
#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/tasks/task.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "tests/unit/engine/tasks/task_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class OneOutput : public test::TaskRun {
protected:
    /// A small encoder over files in the form of CLUE's AFQMC; the second sentence of a pair says which class it is of.
    RunSpec spec(std::int64_t outputs, const std::string& loss) const {
        std::string lines;
        for (int i = 0; i < 60; ++i) {
            const std::string second = i % 2 == 0 ? "相同" : "不一样";
            lines += R"({"sentence1": "花呗如何还款)" + std::to_string(i % 7) + R"(", "sentence2": ")" + second +
                     R"(", "label": ")" + (i % 2 == 0 ? "1" : "0") + "\"}\n";
        }
        RunSpec made = specFor("classify", "clue/afqmc", test::encoder("classify", outputs), file("pairs.json", lines));
        made.data.tokenizer.kind = TokenizerKind::Characters;
        made.train.loss = choiceNamed<LossKind>(loss).value();
        made.train.lr = 1e-2;
        made.train.epochs = 12;
        return made;
    }
};

TEST_F(OneOutput, LearnsTwoClassesWithAHingeLoss) {
    const RunSpec one = spec(1, "hinge");
    train(one);
    EXPECT_EQ(last("accuracy"), 1);
    EXPECT_EQ(last("matthews"), 1);
    EXPECT_LT(last("loss"), 0.3);
    EXPECT_EQ(sink.all<EvaluationDone>().back().values.front().signature, "hinge:binary|per:example");
    const auto checkpoint = sink.all<CheckpointWritten>().back();
    const std::string run = folder / "run";
    const std::string step = run + "/" + std::filesystem::path(checkpoint.folder).filename().string();
    EXPECT_EQ(readCheckpointWeights(step).at("head.out.weight").size(0), 1);
    const auto session = test::createEngine()->openInference(one, run, step, "cpu");
    const auto labels = session->classify({{"花呗如何还款1", "相同", {}, {}}, {"花呗如何还款1", "不一样", {}, {}}});
    ASSERT_EQ(labels.size(), 2u);
    EXPECT_EQ(labels[0].label, "1");
    EXPECT_EQ(labels[1].label, "0");
    EXPECT_TRUE(labels[0].probabilities.empty()) << "a margin is no probability";
}

TEST_F(OneOutput, CountsWhatItsLossCounts) {
    const RunSpec one = spec(1, "hinge");
    const RunData data = loadRunData(one, {}, {});
    const auto task = makeTask(one, data);
    DeviceBatch batch;
    batch.labels_N = at::tensor({1, 0, 1, 0}, at::kLong);
    const at::Tensor scores_B1 = at::tensor({2.0F, -0.5F, -1.0F, 0.0F}).unsqueeze(1);
    const LossSums sums = task->loss(scores_B1, batch);
    EXPECT_FLOAT_EQ(sums.nll.item<float>(), 0 + 0.5F + 2 + 1);  // max(0, 1 − t z) with t = +1, −1, +1, −1
    EXPECT_EQ(sums.correct.item<float>(), 3) << "a score of 0 is the first class";
    const LossSums withGradient = task->lossWithGradient(scores_B1, batch, {.scale = 0.25});
    EXPECT_TRUE(at::allclose(withGradient.gradient, at::tensor({0.0F, 0.25F, -0.25F, 0.25F}).unsqueeze(1)));
}

TEST_F(OneOutput, NeedsAHingeLossAndSaysSo) {
    const auto problem = [&](const RunSpec& wrong) { return whyRefused([&] { test::createEngine()->rehearse(wrong, {}); }); };
    EXPECT_THAT(problem(spec(1, "ce")), AllOf(HasSubstr("2 classes, but the model has 1"), HasSubstr("train.loss to hinge")));
    EXPECT_THAT(problem(spec(3, "hinge")), HasSubstr("to 2 (0, 1)"));
    EXPECT_EQ(problem(spec(1, "hinge")), "");
    EXPECT_EQ(problem(spec(2, "hinge")), "");
}

/// Data read for a hinge loss lie in the cache under the same sizes: another loss must not slip by.
TEST_F(OneOutput, NeedsAHingeLossAlsoWhereTheCacheHasTheData) {
    const auto engine = test::createEngine();
    EXPECT_NO_THROW(engine->rehearse(spec(1, "hinge"), {folder / "cache", "", ""}));
    EXPECT_THROW(engine->rehearse(spec(1, "ce"), {folder / "cache", "", ""}), Error);
}

// Before: a run that starts from another's checkpoint was refused in a dry run where its own text is too small for the
// vocabulary, which it takes from the other.
TEST_F(OneOutput, ARehearsalTakesTheTokenizersThatAnotherLeft) {
    const auto engine = test::createEngine();
    RunSpec pretraining = spec(1, "hinge");
    ASSERT_NO_THROW(engine->rehearse(pretraining, {"", "", folder / "left"}));
    RunSpec tuning = spec(1, "hinge");
    tuning.train.start.checkpoint = "checkpoint of pretraining";
    tuning.data.tokenizer.kind = TokenizerKind::SentencePiece;
    tuning.data.tokenizer.vocabSize = 8000;
    EXPECT_THROW(engine->rehearse(tuning, {}), Error);
    EXPECT_NO_THROW(engine->rehearse(tuning, {"", folder / "left", ""}));
}

// Before: the same warning was told twice, once as accuracy's and once as nobody's.
TEST_F(OneOutput, OneClassForAllIsToldOnce) {
    RunSpec two = spec(2, "ce");
    std::string lines;
    for (const char* const label : {"1", "1", "0", "1"})
        lines += std::string(R"({"sentence1": "花呗", "sentence2": "花呗", "label": ")") + label + "\"}\n";
    two.data.train.source = two.data.valid.source = file("alike.json", lines);
    two.train.epochs = 1;
    const std::string step = folder / "run/" + checkpointName(train(two).step);
    const auto count = [](const std::vector<std::string>& warnings) {
        return std::count_if(warnings.begin(), warnings.end(), [](const std::string& warning) {
            return warning.find("the model does not distinguish the classes") != std::string::npos;
        });
    };
    std::vector<std::string> told;
    for (const Remark& remark : sink.all<Remark>()) told.push_back(remark.text);
    EXPECT_EQ(count(told), 1);
    const EvaluationRequest request{.spec = two, .checkpointFolder = step, .cacheFolder = folder / "cache", .device = "cpu"};
    EXPECT_EQ(count(test::createEngine()->evaluate(request).warnings), 1);
}

}  // namespace
}  // namespace heddle
