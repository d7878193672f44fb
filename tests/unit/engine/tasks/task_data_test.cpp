// SPDX-License-Identifier: Apache-2.0
// What a run makes of its data: masks of evaluations, sizes that the data decide, windows of long contexts, warnings.
#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/tasks/task.h"
#include "tests/unit/engine/tasks/task_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace heddle {
namespace {

using test::encoder;
using test::TaskRun;
using ::testing::HasSubstr;

TEST_F(TaskRun, EvaluationMasksDependOnTheDataAlone) {
    std::string lines;
    for (int i = 0; i < 40; ++i) lines += "a b c d e f g h i j k l\n";
    RunSpec spec = specFor("mlm", "lines", encoder("mlm"), file("text", lines));
    const auto batchesOf = [&](std::uint64_t seed) {
        spec.seed = seed;
        const RunData data = loadRunData(spec, {}, {});
        const auto task = makeTask(spec, data);
        return std::pair{task->makeEvaluationBatch(data.valid, {0, 1, 2, 3}), task->makeBatch(data.train, {0, 1, 2, 3}, 0)};
    };
    const auto [first, drawn] = batchesOf(1);
    const auto [second, drawnToo] = batchesOf(2);
    EXPECT_EQ(first.source, second.source);
    EXPECT_EQ(first.positions, second.positions);
    EXPECT_NE(drawn.source, drawnToo.source) << "training draws anew for every seed";
    const RunData data = loadRunData(spec, {}, {});
    const auto task = makeTask(spec, data);
    EXPECT_NE(task->makeBatch(data.train, {0, 1, 2, 3}, 1).source, drawnToo.source) << "and for every epoch";

    spec.train.epochs = 1;
    train(spec);
    for (const EvaluationDone& done : sink.all<EvaluationDone>())
        for (const auto& value : done.values)
            EXPECT_TRUE((value.metric != "loss" && value.metric != "accuracy") ||
                        (value.signature.find("masks:of-data") != std::string::npos) == (done.split != "train"))
                << done.split << " " << value.signature;
}

TEST_F(TaskRun, EveryTaskIsListed) {
    const VariantSpec images = VariantSpec::parse({{"preset", "vit-tiny"}, {"embed", {{"channels", 1}}}}, builtinCatalogue());
    RunData data;
    TokenizerSpec words;
    words.minCount = 1;
    words.mask = true;
    data.sourceTokenizer = data.targetTokenizer = trainTokenizer({"a b"}, words);
    for (const TaskKind& kind : taskKinds()) {
        const bool readsImages = kind.input == TaskKind::Input::Image;
        EXPECT_NO_THROW(makeTask(specFor(kind.id, "lines", readsImages ? images : encoder("lm")), data)) << kind.id;
    }
}

TEST_F(TaskRun, ComputedSplitsShareNoExample) {
    const RunData data = loadRunData(specFor("tag", "generated/position", encoder("tag", 8)), {}, {});
    const auto rowsOf = [](const EncodedCorpus& corpus) {
        std::set<std::vector<std::int32_t>> rows;
        for (std::size_t i = 0; i + 1 < corpus.sourceBegin.size(); ++i)
            rows.emplace(corpus.source.begin() + corpus.sourceBegin[i], corpus.source.begin() + corpus.sourceBegin[i + 1]);
        return rows;
    };
    const auto train = rowsOf(data.train), valid = rowsOf(data.valid), test = rowsOf(data.test);
    EXPECT_GT(train.size(), 150U) << "of 200 rows of 4 to 8 words out of 8";
    const auto shared = [](const auto& a, const auto& b) {
        return std::count_if(a.begin(), a.end(), [&](const auto& row) { return b.contains(row); });
    };
    EXPECT_LT(shared(valid, train), 5) << "only what chance repeats";
    EXPECT_LT(shared(test, train), 5);
    EXPECT_LT(shared(test, valid), 5);
}

TEST_F(TaskRun, WhatTheDataDecideIsNotAskedFor) {
    std::string lines;
    for (int i = 0; i < 60; ++i) lines += "word" + std::to_string(i % 3) + " film\tclass" + std::to_string(i % 3) + "\n";
    Json document{{"variant",
                   {{"preset", "bert-base"},
                    {"dims", {{"d", 32}, {"f", 64}, {"heads", 2}, {"layers_enc", 1}, {"max_len", 24}}},
                    {"head", "classify"}}}};
    RunSpec spec = specFor("classify", "tsv", RunSpec::parse(document, builtinCatalogue()).variant, file("own.tsv", lines));
    EXPECT_FALSE(spec.variant.statedClasses()) << "nor are the 30522 words of the preset's paper";
    train(spec);
    EXPECT_EQ(last("accuracy"), 1);
    document["variant"]["dims"]["classes"] = 2;
    spec.variant = RunSpec::parse(document, builtinCatalogue()).variant;
    EXPECT_THAT(problemOf(spec), HasSubstr("the data have 3 classes, but the model has 2"));
}

/// A document of SQuAD with one question a context, whose answer stands after `before` filler words.
std::string squadOf(const std::vector<int>& before) {
    std::vector<test::SquadQuestion> questions;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const std::string room = "room" + std::to_string(i % 5);
        std::string context;
        for (int k = 0; k < before[i]; ++k) context += "filler ";
        context += room + " today.";
        for (int k = 0; k < 40 - before[i]; ++k) context += " filler";
        questions.push_back({context, "Where is the key?", room});
    }
    return test::squadDocument(questions);
}

TEST_F(TaskRun, AnAnswerIsAllOfItsWords) {
    RunSpec spec = specFor(
        "span", "squad", encoder("span"),
        file("squad.json", test::squadDocument({{"The key is in room 3 upstairs today", "Where is it?", "room 3 upstairs"}})));
    const RunData data = loadRunData(spec, {}, {});
    ASSERT_EQ(data.train.size(), 1);
    std::string words;
    const auto& labels = data.train.labelsAs<SpanLabels>();
    for (auto at = labels.first[0]; at <= labels.last[0]; ++at)
        words += (words.empty() ? "" : " ") + data.sourceTokenizer->token(data.train.source[static_cast<std::size_t>(at)]);
    EXPECT_EQ(words, "room 3 upstairs");
    const Batch batch = makeTask(spec, data)->makeBatch(data.train, {0}, 0);
    EXPECT_THAT(batch.labels, ::testing::ElementsAre(labels.first[0], labels.last[0]));
}

TEST_F(TaskRun, LongContextsAreReadInWindows) {
    std::vector<int> before;
    for (int i = 0; i < 60; ++i) before.push_back(i % 2 == 0 ? 3 : 35);
    RunSpec spec = specFor("span", "squad", encoder("span"), file("squad.json", squadOf(before)));
    spec.data.stride = 8;
    const RunData data = loadRunData(spec, {}, {});
    EXPECT_EQ(data.valid.sourceText.size(), 60U);
    ASSERT_GT(data.valid.size(), 120) << "42 words in rows of 24 with a question";
    const auto& labels = data.valid.labelsAs<SpanLabels>();
    EXPECT_EQ(labels.exampleOf.back(), 59);
    for (std::int64_t example = 0; example < 60; ++example) {  // one owner a word: the begins of all windows, once
        std::int64_t begins = 0, answers = 0;
        for (std::size_t row = 0; row < labels.exampleOf.size(); ++row) {
            if (labels.exampleOf[row] != example) continue;
            begins += labels.beginTo[row] - labels.beginFrom[row];
            answers += labels.first[row] > 0 ? 1 : 0;
        }
        EXPECT_EQ(begins, 42);
        EXPECT_GE(answers, 1) << example;
    }
    const DataFolders folders{folder / "cache", ""};
    loadRunData(spec, folders, {});
    const RunData cached = loadRunData(spec, folders, {});
    EXPECT_EQ(cached.valid.labelsAs<SpanLabels>().answers, labels.answers);
    EXPECT_EQ(cached.valid.labelsAs<SpanLabels>().first, labels.first);
    train(spec);
    EXPECT_GT(last("exact_match"), 0.9);
    const auto evaluations = sink.all<EvaluationDone>();
    EXPECT_TRUE(std::any_of(evaluations.begin(), evaluations.end(), [](const EvaluationDone& done) {
        return std::any_of(done.values.begin(), done.values.end(), [](const auto& value) {
            return value.signature.find("|stride:8|longest:30|") != std::string::npos;
        });
    })) << "the signature says how the windows lie";

    spec.data.stride = 0;
    train(spec, "cut");
    EXPECT_LT(last("exact_match"), 0.6) << "half of the answers are cut off";
    const auto warnings = sink.all<DataWarning>();
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const DataWarning& warning) {
        return warning.text.find("valid: 60 of 60 examples were cut") != std::string::npos;
    }));
}

// Before: equal images fell on both sides of a split, and nobody was told.
TEST_F(TaskRun, EqualImagesStayOnOneSideOfASplit) {
    constexpr std::uint8_t kCount = 60, kDifferent = 6, kSide = 4;
    std::string images, labels;
    for (std::uint8_t i = 0; i < kCount; ++i) {
        images.append(std::size_t{kSide} * kSide, static_cast<char>(i % kDifferent));
        labels.push_back(static_cast<char>(i % 2));
    }
    test::writeIdx(folder / "images", {kCount, kSide, kSide}, images);
    test::writeIdx(folder / "labels", {kCount}, labels);
    const Json variant{{"preset", "vit-tiny"},
                       {"dims", {{"d", 16}, {"f", 16}, {"heads", 2}, {"layers_enc", 1}, {"classes", 2}, {"max_len", 5}}},
                       {"embed", {{"size", 2}, {"channels", 1}}}};
    RunSpec spec = specFor("image", "idx", VariantSpec::parse(variant, builtinCatalogue()));
    spec.data.train = {folder / "images", folder / "labels"};
    spec.data.validShare = 0.2;
    const RunData split = loadRunData(spec, {}, {});
    const std::set<std::uint8_t> trained(split.train.images.pixels.begin(), split.train.images.pixels.end());
    ASSERT_EQ(split.valid.size(), 20) << "two of the six, whole";
    for (const std::uint8_t pixel : split.valid.images.pixels) EXPECT_FALSE(trained.contains(pixel));
    EXPECT_THAT(warningTexts(split.warnings), testing::Contains(HasSubstr("54 of 60 images repeat the input of another one")));

    spec.data.valid = spec.data.train;
    EXPECT_THAT(warningTexts(loadRunData(spec, {}, {}).warnings),
                testing::Contains(HasSubstr("60 of 60 images are also training images")));
}

}  // namespace
}  // namespace heddle
