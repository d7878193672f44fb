// SPDX-License-Identifier: Apache-2.0
// What every task must show on data small enough to be learned by heart: that it learns, scores what it should, starts from
// another run's weights, and resumes to the bit.
#include "engine/data/loading/run_data.h"
#include "engine/device/torch_pch.h"
#include "engine/train/checkpoint/checkpoint.h"
#include "tests/unit/engine/tasks/task_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using test::encoder;
using test::TaskRun;

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

TEST_F(TaskRun, TaggingLearnsPositions) {
    train(specFor("tag", "generated/position", encoder("tag", 8)));
    EXPECT_GT(last("accuracy"), 0.95);
    EXPECT_GT(last("accuracy", "test"), 0.95);
    EXPECT_FALSE(sink.all<MapTaken>().empty());
    EXPECT_EQ(sink.all<SampleText>().back().reference.substr(0, 5), "p0 p1");
}

TEST_F(TaskRun, TranslationLearnsToCopy) {
    const auto variant = VariantSpec::parse(
        {{"preset", "eau-base"},
         {"dims", {{"d", 32}, {"f", 64}, {"heads", 2}, {"layers_enc", 1}, {"layers_dec", 1}, {"max_len", 24}}},
         {"defaults", {{"dropout", {{"kind", "standard"}, {"sublayer", 0}}}}},
         {"embed", {{"dropout", 0}}}},
        builtinCatalogue());
    RunSpec spec = specFor("translation", "generated/copy", variant);
    spec.train.epochs = 60;
    train(spec);
    EXPECT_GT(last("accuracy"), 0.95);
    EXPECT_GT(last("bleu"), 80);
    EXPECT_THAT(problemOf(specFor("translation", "generated/position", variant)), HasSubstr("set data.task to tag"));
}

TEST_F(TaskRun, PairsAreSplitAndFilteredAsTold) {
    const auto pairs = test::toyPairs(60);
    RunSpec spec = test::toySpec(folder.path(), pairs, {});
    spec.data.valid = {};
    spec.data.validShare = 0.1;
    spec.data.testShare = 0.2;
    const RunData split = loadRunData(spec, {}, {});
    EXPECT_EQ(split.train.size(), 42);
    EXPECT_EQ(split.valid.size(), 6);
    EXPECT_EQ(split.valid.sourceText.size(), 6U);
    EXPECT_EQ(split.test.size(), 12);
    EXPECT_EQ(split.reports.size(), 2U);

    spec.data.validShare = spec.data.testShare = 0;
    const std::string longer = pairs[0].first + " " + pairs[0].first;
    spec.data.train = {file("long.source", pairs[0].first + "\n" + longer + "\n" + pairs[1].first + "\n"),
                       file("long.target", pairs[0].second + "\n" + pairs[0].second + "\nword\n")};
    spec.data.maxWords = std::ssize(splitWords(pairs[0].first, WordSplit::Whitespace));
    spec.data.minWords = 2;
    const RunData filtered = loadRunData(spec, {}, {});
    EXPECT_EQ(filtered.train.size(), 1);
    EXPECT_THAT(filtered.notes, Contains(HasSubstr("2 of 3 examples left out: 1 shorter than 2 words, 1 longer than")));
}

TEST_F(TaskRun, ClassificationScoresWithItsMajorityRate) {
    RunSpec spec = specFor("classify", "generated/agreement", encoder("classify"));
    spec.train.epochs = 1;
    train(spec);
    for (const char* metric : {"accuracy", "f1", "matthews", "majority_rate", "predicted/agrees"})
        EXPECT_FALSE(std::isnan(last(metric))) << metric;
    EXPECT_NEAR(last("majority_rate"), 0.5, 0.2);
}

TEST_F(TaskRun, AHingeLossSeparatesWhatWordsTell) {
    std::string lines;
    for (int i = 0; i < 60; ++i)
        lines += std::string(i % 2 == 0 ? "good film" : "bad film") + " number" + std::to_string(i % 7) +
                 (i % 2 == 0 ? "\tyes\n" : "\tno\n");
    for (const char* loss : {"hinge", "hinge_max", "ce"}) {
        RunSpec spec = specFor("classify", "tsv", encoder("classify"), file("reviews.tsv", lines));
        spec.train.loss = choiceNamed<LossKind>(loss).value();
        train(spec, loss);
        EXPECT_EQ(last("accuracy"), 1) << loss;
        EXPECT_LT(last("loss"), 0.3) << loss;
        const auto done = sink.all<EvaluationDone>().back();
        EXPECT_THAT(done.values.front().signature, HasSubstr(std::string(loss) == "ce" ? "ce:nats" : "hinge")) << loss;
    }
}

TEST_F(TaskRun, RegressionCorrelatesAndHasNoAccuracy) {
    std::string lines = "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n";
    for (int i = 0; i < 60; ++i)
        lines += std::to_string(i) + "\tg\tf\t2012\t0\ta\tb\tw" + std::to_string(i % 6) + " x\tw" + std::to_string(i % 6) +
                 " y\t" + std::to_string(i % 6) + ".0\n";
    RunSpec spec = specFor("regress", "glue/sts-b", encoder("regress"), file("sts.tsv", lines));
    spec.train.epochs = 20;
    train(spec);
    EXPECT_GT(last("pearson"), 0.9);
    EXPECT_GT(last("spearman"), 0.9);
    EXPECT_NEAR(last("pearson_spearman"), (last("pearson") + last("spearman")) / 2, 1e-12) << "what GLUE and its tables report";
    EXPECT_TRUE(sink.metric("valid", "accuracy").empty());
    EXPECT_TRUE(sink.series("accuracy").empty());
}

TEST_F(TaskRun, MaskedAndDenoisingModelsRestoreARule) {
    std::string lines;
    for (int i = 0; i < 120; ++i) lines += i % 2 == 0 ? "a b a b a b a b\n" : "c d c d c d c d\n";
    for (const char* task : {"mlm", "denoise"}) {
        RunSpec spec = specFor(task, "lines", encoder("mlm"), file("text", lines));
        spec.train.epochs = 60;
        train(spec, task);
        EXPECT_GT(last("accuracy"), 0.8) << task;
    }
}

TEST_F(TaskRun, ACausalModelComesNearTheEntropyOfItsText) {
    std::string lines;
    for (int i = 0; i < 120; ++i) lines += i % 2 == 0 ? "a b a b a b\n" : "c d c d c d\n";
    const auto variant = VariantSpec::parse(
        {{"preset", "atinuke-text"}, {"dims", {{"d", 32}, {"f", 64}, {"heads", 2}, {"layers_dec", 1}, {"max_len", 24}}}},
        builtinCatalogue());
    for (const char* packing : {"lines", "blocks", "documents"}) {
        RunSpec spec = specFor("causal_lm", "lines", variant, file("text", lines));
        spec.data.packing = choiceNamed<Packing>(packing).value();
        spec.train.batchSentences = 4;
        spec.train.epochs = 20;
        train(spec, packing);
        // One bit a line is not to be known: whether it begins with a or c. 7 tokens a line.
        EXPECT_LT(last("perplexity"), 1.4) << packing;
        EXPECT_NEAR(std::log(last("perplexity")), last("loss"), 1e-6) << packing;
        EXPECT_NEAR(last("loss") / std::log(2), last("bits_per_token"), 1e-6) << packing;
    }
}

TEST_F(TaskRun, SpansAreFoundAndWritten) {
    std::vector<test::SquadQuestion> questions;
    for (int i = 0; i < 60; ++i) {
        const std::string room = "room" + std::to_string(i % 5);
        questions.push_back({"The key lies in " + room + " today.", "Where is the key?", room});
    }
    RunSpec spec = specFor("span", "squad", encoder("span"), file("squad.json", test::squadDocument(questions)));
    train(spec);
    EXPECT_GT(last("exact_match"), 0.95);
    EXPECT_THAT(sink.all<SampleText>().back().hypothesis, HasSubstr("room"));
}

TEST_F(TaskRun, TagsBelongToTheirSentencesWhateverTheOrderInABatch) {
    std::string text;
    for (int i = 0; i < 40; ++i) {
        const std::string name = "name" + std::to_string(i % 4);
        for (int k = 0; k < i % 5; ++k) text += "then O\n";
        text += name + " B-P\n" + name + "s I-P\nwent O\n\n";
    }
    RunSpec spec = specFor("tag", "conll", encoder("tag", 3), file("train.conll", text));
    spec.train.epochs = 20;
    train(spec);
    EXPECT_EQ(last("accuracy"), 1);
    EXPECT_EQ(last("span_f1"), 1);
    EXPECT_EQ(sink.all<SampleText>().back().hypothesis, sink.all<SampleText>().back().reference);
}

TEST_F(TaskRun, FineTuningTakesTheEncoderAndItsTokenizer) {
    std::string text, reviews;
    for (int i = 0; i < 40; ++i) text += i % 2 == 0 ? "good film indeed\n" : "bad film again\n";
    for (int i = 0; i < 40; ++i) reviews += i % 2 == 0 ? "good film\tyes\n" : "bad film\tno\n";
    RunSpec pretraining = specFor("mlm", "lines", encoder("mlm"), file("text", text));
    pretraining.train.epochs = 2;
    const auto step = train(pretraining, "pretrained").step;

    RunSpec spec = specFor("classify", "tsv", encoder("classify"), file("reviews.tsv", reviews));
    spec.train.start.checkpoint = folder / "pretrained/" + checkpointName(step);
    spec.train.start.freeze = {"embed"};
    spec.train.start.layerDecay = 0.5;
    spec.train.epochs = 4;
    train(spec, "tuned");
    const auto starts = sink.all<StartedFrom>();
    ASSERT_EQ(starts.size(), 1U);
    EXPECT_EQ(starts.front().run, "pretrained");
    EXPECT_THAT(starts.front().drawn, Contains("head.out.weight"));
    EXPECT_THAT(starts.front().frozen, Contains("embed.shared.weight"));
    EXPECT_EQ(last("accuracy"), 1);
    EXPECT_EQ(test::readFile(folder / "tuned/tokenizer/source.json"),
              test::readFile(folder / "pretrained/tokenizer/source.json"));

    const auto before = readCheckpointWeights(spec.train.start.checkpoint);
    const auto after = readCheckpointWeights(
        folder / "tuned/" + std::filesystem::path(sink.all<CheckpointWritten>().back().folder).filename().string());
    EXPECT_TRUE(at::equal(before.at("embed.shared.weight"), after.at("embed.shared.weight")));
    for (const auto& [path, weight] : before)
        EXPECT_TRUE(!path.starts_with("encoder.") || !at::equal(weight, after.at(path))) << path;
}

TEST_F(TaskRun, AModelThatIsShownTheAnswerIsMarked) {
    std::string text;
    for (int i = 0; i < 30; ++i) text += "one two three four\n";
    const Json decoder{
        {"topology", "decoder"},
        {"dims", {{"d", 16}, {"f", 16}, {"heads", 2}, {"layers_dec", 1}, {"max_len", 8}, {"vocab_tgt", "from_data"}}},
        {"head", "lm"}};
    const auto specWith = [&](const char* mask) {
        Json variant = decoder;
        variant["defaults"]["mask"] = mask;
        RunSpec spec = specFor("causal_lm", "lines", VariantSpec::parse(variant, builtinCatalogue()), file("text", text));
        spec.train.epochs = 1;
        return spec;
    };
    train(specWith("causal"), "causal");
    EXPECT_THAT(sink.all<DataWarning>(), testing::IsEmpty());
    for (const auto& value : sink.all<EvaluationDone>().back().values)
        EXPECT_THAT(value.signature, testing::Not(HasSubstr("answer"))) << value.metric;
    train(specWith("none"), "none");  // as preset atinuke-listing has it
    ASSERT_EQ(sink.all<DataWarning>().size(), 1U);
    EXPECT_THAT(sink.all<DataWarning>()[0].text, AllOf(HasSubstr("decoder.layers.0.self.mask"), HasSubstr("do not measure")));
    for (const auto& value : sink.all<EvaluationDone>().back().values)
        EXPECT_THAT(value.signature, HasSubstr("|answer:visible")) << value.metric;
    EXPECT_THAT(problemOf(specWith("padding")), AllOf(HasSubstr("perplexity would be meaningless"), HasSubstr("causal")));
}

TEST_F(TaskRun, ExamplesComeOutOfTheCacheAsTheyWentIn) {
    RunSpec spec = specFor("tag", "conll", encoder("tag", 3));
    spec.data.train.source = file("train.conll", "EU B-X\nrejects O\n\nGerman B-X\ncall I-X\n");
    spec.data.valid.source = file("valid.conll", "EU B-X\ncall O\n");
    const DataFolders folders{folder / "cache", ""};
    const RunData fresh = loadRunData(spec, folders, {}), cached = loadRunData(spec, folders, {});
    for (const auto corpus : {&RunData::train, &RunData::valid}) {
        EXPECT_EQ((fresh.*corpus).source, (cached.*corpus).source);
        EXPECT_EQ((fresh.*corpus).labelsAs<TagLabels>().classes, (cached.*corpus).labelsAs<TagLabels>().classes);
        EXPECT_EQ((fresh.*corpus).labelsAs<TagLabels>().tags, (cached.*corpus).labelsAs<TagLabels>().tags);
        EXPECT_EQ((fresh.*corpus).sourceText, (cached.*corpus).sourceText);
    }
    EXPECT_EQ(cached.test.size(), 0);
    EXPECT_EQ(cached.test.labels.index(), fresh.test.labels.index());
    EXPECT_EQ(cached.train.size(), 2);
    EXPECT_EQ(fresh.classes, cached.classes);
    EXPECT_EQ(fresh.notes, cached.notes);
    EXPECT_EQ(fresh.dataHashes, cached.dataHashes);
    ASSERT_EQ(cached.reports.size(), 1U);
    EXPECT_EQ(cached.reports[0].line(), fresh.reports[0].line());
    EXPECT_THAT(cached.reports[0].line(), HasSubstr("train: 4 tokens in 2 lines"));

    file("valid.conll", "call O\n");  // changed: read anew
    EXPECT_EQ(loadRunData(spec, folders, {}).valid.sourceText, std::vector<std::string>{"call"});
}

TEST_F(TaskRun, TranslationFineTunesWithItsParentsWordsAndResumesWithoutIt) {
    const auto pairs = test::toyPairs(40);
    RunSpec parent = test::toySpec(folder.path(), pairs, test::toyPairs(8));
    parent.train.epochs = 1;
    const auto step = train(parent, "parent").step;

    RunSpec child = parent;
    child.data.train = {file("other.source", "wholly other words\nand more\n"),
                        file("other.target", "ganz anders\nund mehr\n")};
    child.train.start.checkpoint = folder / "parent/" + checkpointName(step);
    child.train.epochs = 4;
    child.train.checkpointEvery = 2;
    child.train.keepLast = 100;
    train(child, "child");
    for (const char* side : {"/source.json", "/target.json"})
        EXPECT_EQ(test::readFile(folder / "child/tokenizer" + side), test::readFile(folder / "parent/tokenizer" + side));
    const std::string whole = sink.all<CheckpointWritten>().back().weightsSha256;

    std::filesystem::remove_all(folder / "parent");
    train(child, "child", folder / "child/" + checkpointName(2));
    EXPECT_EQ(sink.all<CheckpointWritten>().back().weightsSha256, whole);
}

TEST_F(TaskRun, AForkWithNewBlocksBeginsWhereItsParentStood) {
    const auto pairs = test::toyPairs(40);
    RunSpec parent = test::toySpec(folder.path(), pairs, test::toyPairs(8));
    parent.variant = VariantSpec::parse(
        {{"preset", "eau-base"},
         {"dims", {{"d", 16}, {"f", 32}, {"heads", 2}, {"layers_enc", 1}, {"layers_dec", 1}, {"max_len", 24}}}},
        builtinCatalogue());
    parent.train.epochs = 3;
    const auto step = train(parent, "parent").step;
    const double loss = last("loss");

    RunSpec fork = parent;
    fork.variant = VariantSpec::parse(
        {{"preset", "eau-full"},
         {"dims", {{"d", 16}, {"f", 32}, {"heads", 2}, {"layers_enc", 1}, {"layers_dec", 1}, {"max_len", 24}}}},
        builtinCatalogue());
    fork.train.start.checkpoint = folder / "parent/" + checkpointName(step);
    fork.train.start.neutral = true;
    fork.train.lr = 0;
    fork.train.schedule = ScheduleKind::Constant;
    fork.train.epochs = 1;
    train(fork, "fork");
    EXPECT_NEAR(last("loss"), loss, 5e-3);  // a gate of 1 − 3·10⁻⁴ in place of 1

    fork.train.start.neutral = false;
    train(fork, "unlike");
    EXPECT_GT(std::abs(last("loss") - loss), 5e-3);
}

TEST_F(TaskRun, MaskedTrainingResumesToTheBit) {
    std::string lines;
    for (int i = 0; i < 50; ++i) lines += "a b c d e f w" + std::to_string(i % 9) + "\n";
    RunSpec spec = specFor("mlm", "lines", encoder("mlm"), file("text", lines));
    spec.train.batchSentences = 8;
    spec.train.epochs = 3;
    spec.train.checkpointEvery = 5;
    spec.train.keepLast = 100;
    spec.train.schedule = ScheduleKind::Plateau;
    spec.train.plateauPatience = 0;
    train(spec, "straight");
    const auto whole = sink.all<CheckpointWritten>();
    train(spec, "straight", folder / "straight/" + checkpointName(5));
    EXPECT_EQ(sink.all<CheckpointWritten>().back().weightsSha256, whole.back().weightsSha256);
    EXPECT_EQ(sink.all<CheckpointWritten>().back().stateSha256, whole.back().stateSha256);
}

TEST_F(TaskRun, APlateauLowersTheRateAndAResumeKeepsItLow) {
    std::string lines;
    for (int i = 0; i < 50; ++i) lines += "a b c d e f w" + std::to_string(i % 9) + "\n";
    RunSpec spec = specFor("mlm", "lines", encoder("mlm"), file("text", lines));
    spec.train.batchSentences = 10;  // five steps an epoch
    spec.train.epochs = 5;
    spec.train.checkpointEvery = 2;
    spec.train.keepLast = 100;
    spec.train.lr = 1e-30;  // nothing changes, so that nothing improves after the first evaluation
    spec.train.schedule = ScheduleKind::Plateau;
    spec.train.warmup = 0;
    spec.train.plateauPatience = 1;
    train(spec, "straight");
    const auto rates = sink.series("lr");
    ASSERT_EQ(rates.size(), 25U);
    EXPECT_FLOAT_EQ(static_cast<float>(rates[14] / rates[0]), 1) << "the best, and one that is waited for";
    EXPECT_FLOAT_EQ(static_cast<float>(rates[15] / rates[0]), 0.5F) << "after the third evaluation";
    train(spec, "straight", folder / "straight/" + checkpointName(18));
    const auto resumed = sink.series("lr");
    ASSERT_EQ(resumed.size(), 7U);
    for (std::size_t i = 0; i < resumed.size(); ++i) EXPECT_EQ(resumed[i], rates[18 + i]) << i;
}

TEST_F(TaskRun, EveryAttemptTellsOnceWhenItsFirstStepWasDone) {
    RunSpec spec = specFor("tag", "generated/position", encoder("tag", 8));
    spec.train.epochs = 0;
    spec.train.steps = 3;
    spec.train.checkpointEvery = 2;
    const auto starts = [&] {
        std::vector<double> seconds;
        for (const FirstStepDone& done : sink.all<FirstStepDone>()) seconds.push_back(done.seconds);
        return seconds;
    };
    train(spec, "run");
    ASSERT_EQ(starts().size(), 1);
    EXPECT_GT(starts().front(), 0);
    train(spec, "run", folder / "run/" + checkpointName(2));
    EXPECT_EQ(starts().size(), 1);
}

TEST_F(TaskRun, SyntheticDataAreCalledSo) {
    RunSpec spec = specFor("tag", "generated/position", encoder("tag", 8));
    spec.train.epochs = 0;
    spec.train.steps = 1;
    train(spec);
    const auto attempts = sink.all<AttemptDescribed>();
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_THAT(attempts.front().synthetic, HasSubstr("generated/position"));
}

TEST_F(TaskRun, WrongClassesAndFormatsAreNamed) {
    EXPECT_THAT(problemOf(specFor("tag", "generated/position", encoder("tag", 3))),
                HasSubstr("set dims.classes to from_data, or to 8"));
    EXPECT_THAT(problemOf(specFor("classify", "generated/position", encoder("classify"))), HasSubstr("set data.task to tag"));
    EXPECT_THAT(problemOf(specFor("classify", "generated/agreemnt", encoder("classify"))), HasSubstr("generated/agreement"));
}

}  // namespace
}  // namespace heddle
