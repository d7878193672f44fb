// SPDX-License-Identifier: Apache-2.0
// Frozen word vectors: every word of the vocabulary gets its own row of the file.
#include "engine/train/loop/word_table.h"

#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "engine/train/loop/setup.h"
#include "tests/unit/engine/tasks/task_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace heddle {
namespace {

using test::TaskRun;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

VariantSpec withVectors(std::int64_t d) {
    return VariantSpec::parse({{"topology", "encoder"},
                               {"dims", {{"d", d}, {"f", 8}, {"heads", 2}, {"layers_enc", 1}, {"max_len", 24}}},
                               {"embed", {{"source", "frozen_file"}}},
                               {"head", "classify"}},
                              builtinCatalogue());
}

TEST_F(TaskRun, WordVectorsStandInTheRowsOfTheirWords) {
    RunSpec spec = specFor("classify", "tsv", withVectors(4));
    spec.data.train.source = spec.data.valid.source = file("own.tsv", "alpha beta\tyes\nbeta gamma alpha\tno\n");
    spec.data.vectors = file("words.vec", "3 4\ngamma 1 2 3 4\nstranger 9 9 9 9\nalpha 5 6 7 8\n");  // no beta
    RunData data = loadRunData(spec, {}, {});
    const std::size_t files = data.dataHashes.size();
    const auto tokenizer = data.sourceTokenizer;
    const auto setup = setUp(spec, std::move(data));
    ASSERT_EQ(setup.model->parameters().frozen().size(), 1U);
    const at::Tensor table_VD = setup.model->parameters().frozen().front().tensor;
    ASSERT_EQ(table_VD.size(0), tokenizer->size());
    const std::map<std::string, at::Tensor> expected{{"gamma", at::tensor({1.F, 2.F, 3.F, 4.F})},
                                                     {"alpha", at::tensor({5.F, 6.F, 7.F, 8.F})}};
    for (std::int32_t id = 0; id < tokenizer->size(); ++id) {
        const auto known = expected.find(tokenizer->token(id));
        const at::Tensor row = known == expected.end() ? at::zeros({4}) : known->second;
        EXPECT_TRUE(at::equal(table_VD[id], row)) << tokenizer->token(id);
    }
    EXPECT_EQ(setup.data.dataHashes.size(), files + 1) << "a resume notices another file";
    EXPECT_THAT(setup.data.notes, Contains(HasSubstr("2 of the vocabulary's 3 words")));
}

TEST_F(TaskRun, WordVectorsOtherThanThoseOfTheRunAreRefusedAtEveryUse) {
    RunSpec spec = specFor("classify", "tsv", withVectors(4));
    spec.data.train.source = spec.data.valid.source = file("own.tsv", "alpha beta\tyes\nbeta gamma alpha\tno\n");
    spec.data.vectors = file("words.vec", "2 4\ngamma 1 2 3 4\nalpha 5 6 7 8\n");
    const std::string checkpoint = folder / "run/step-" + std::to_string(train(spec).step);
    const auto classify = [&] {
        test::createEngine()
            ->openInference(spec, folder / "run", checkpoint, "cpu")
            ->classify({Unlabelled{"alpha", "", {}, {}}});
    };
    EvaluationRequest request;
    request.spec = spec;
    request.checkpointFolder = checkpoint;
    request.cacheFolder = folder / "cache";
    request.device = "cpu";
    const auto evaluate = [&] { test::createEngine()->evaluate(request); };
    EXPECT_EQ(whyRefused(classify), "");
    EXPECT_EQ(whyRefused(evaluate), "");
    file("words.vec", "2 4\ngamma 8 7 6 5\nalpha 4 3 2 1\n");
    const auto named = AllOf(HasSubstr("the word vectors differ from those that the run was trained with"),
                             HasSubstr("data.vectors, " + spec.data.vectors + ": SHA-256 recorded"));
    EXPECT_THAT(whyRefused(classify), named);
    EXPECT_THAT(whyRefused(evaluate), named);
    request.otherFiles = true;
    EXPECT_THAT(whyRefused(evaluate), named) << "the model's, whatever it is measured on";
    EXPECT_THAT(whyRefused([&] { train(spec, "run", folder / "run/step-0"); }), HasSubstr("data.vectors, "));
}

TEST_F(TaskRun, TablesThatWereDrawnAreSavedWithTheWeights) {
    Json document = withVectors(4).compact();
    document["embed"] = {{"source", "frozen_file"}, {"vectors", "random"}};
    RunSpec spec = specFor("classify", "tsv", VariantSpec::parse(document, builtinCatalogue()));
    spec.data.train.source = spec.data.valid.source = file("own.tsv", "alpha beta\tyes\nbeta gamma alpha\tno\n");
    const std::string checkpoint = folder / "run/step-" + std::to_string(train(spec).step);
    const auto setup = setUp(spec, loadRunData(spec, {}, {}));
    const auto& table = setup.model->parameters().frozen().front();
    const NamedTensors weights = readCheckpointWeights(checkpoint);
    ASSERT_TRUE(weights.contains(table.path));
    EXPECT_TRUE(at::equal(weights.at(table.path), table.tensor));
    spec.seed += 1;
    const auto other = setUp(spec, loadRunData(spec, {}, {}));
    const at::Tensor drawn = other.model->parameters().frozen().front().tensor;
    EXPECT_FALSE(at::equal(drawn, table.tensor));
    NamedTensors older = weights;
    older.erase(table.path);
    loadWeights(*other.model, older, "an older checkpoint");
    EXPECT_FALSE(at::equal(drawn, table.tensor)) << "it stays as the seed drew it";
    loadWeights(*other.model, weights, checkpoint);
    EXPECT_TRUE(at::equal(drawn, table.tensor)) << "the checkpoint's, whatever the seed";
}

TEST_F(TaskRun, WordVectorsThatDoNotFitAreRefused) {
    RunSpec spec = specFor("classify", "tsv", withVectors(6));
    spec.data.train.source = spec.data.valid.source = file("own.tsv", "alpha beta\tyes\nbeta gamma alpha\tno\n");
    spec.data.vectors = file("words.vec", "1 4\ngamma 1 2 3 4\n");
    EXPECT_THAT(problemOf(spec), HasSubstr("set dims.d to 4"));
    spec.variant = withVectors(4);
    spec.data.vectors = file("others.vec", "1 4\nstranger 1 2 3 4\n");
    EXPECT_THAT(problemOf(spec), HasSubstr("no word of the vocabulary"));
    spec.data.vectors = "";
    EXPECT_THAT(problemOf(spec), HasSubstr("no data.vectors"));
}

}  // namespace
}  // namespace heddle
