// SPDX-License-Identifier: Apache-2.0
// A user's own tables with the built program and the real engine: what is recognised, told, refused, measured and predicted.
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::integration {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

/// A table of sixty reviews with six different texts below `header`; the label is the first column.
std::string reviews(const std::string& header) {
    std::string table = header;
    for (int i = 0; i < 60; ++i)
        table += std::string(i % 2 == 0 ? "yes" : "no") + "\t" + (i % 2 == 0 ? "good" : "bad") + " film number" +
                 std::to_string(i % 6) + "\n";
    return table;
}

/// The options of the README's classifier, with small sizes.
std::vector<std::string> classifier(const std::string& name, const std::string& file,
                                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"train", "bert-base", "--name", name, "--steps", "30", "--set", "data.task=classify"};
    for (const std::string& assignment :
         {std::string("data.format=tsv"), std::string("head.kind=classify"), "data.train.source=" + file,
          std::string("data.split.valid=0.2"), std::string("dims.d=32"), std::string("dims.f=64"), std::string("dims.heads=2"),
          std::string("dims.layers_enc=1"), std::string("dims.max_len=16"), std::string("train.threads=1"),
          std::string("train.device=cpu"), std::string("data.tokenizer.min_count=1")})
        all.insert(all.end(), {"--set", assignment});
    for (const std::string& assignment : more) all.insert(all.end(), {"--set", assignment});
    return all;
}

TEST(OwnData, AShortRunTellsItsWarningsAndASplitIsListed) {
    const Workshop shop;
    const std::string file = shop.write("own.tsv", reviews("label\ttext\n"));
    const auto trained = shop.run(classifier("own", file));
    ASSERT_EQ(trained.code, 0) << trained.err;
    EXPECT_THAT(trained.json().at("warnings").get<std::vector<std::string>>(),
                Contains(HasSubstr("54 of 60 examples repeat the input of another one")));
    EXPECT_THAT(trained.err, HasSubstr("warning: split by data.split: 54 of 60")) << "however short the run is";
    EXPECT_THAT(trained.err, HasSubstr("text from column \"text\", the label from column \"label\""));

    std::string spec =
        R"({"schema":1,"variant":{"preset":"bert-base","head":"classify"},"data":{"task":"classify","format":"tsv",)";
    spec += R"("train":{"source":"own.tsv"},"split":{"valid":0.2}}})";
    const Json split = shop.must({"data", "split", shop.write("split.json", spec), "--list"});
    const auto numbers = split.at("examples").at("valid").get<std::vector<int>>();
    EXPECT_EQ(numbers.size(), 20U) << "two of six texts, ten times each";
    for (const int number : numbers) EXPECT_TRUE(number % 6 == numbers[0] % 6 || number % 6 == numbers[1] % 6);
}

TEST(OwnData, FilesOfOnesOwnAreMeasuredAndPredicted) {
    const Workshop shop;
    const std::string file = shop.write("own.tsv", reviews("verdict\topinion\n"));
    const auto unnamed = shop.run(classifier("unnamed", file));
    EXPECT_EQ(unnamed.code, 3) << "columns of unknown names are not guessed";
    shop.must(classifier("own", file, {"data.columns.text=opinion", "data.columns.label=verdict"}));

    const std::string other = shop.write("other.tsv", "opinion\tverdict\ngood film\tyes\nbad film\tno\nbad bad film\tno\n");
    const Json report = shop.must({"evaluate", "--run", "own", "--file", other});
    for (const Json& value : report.at("values")) EXPECT_TRUE(value.at("metric") != "accuracy" || value.at("n") == 3) << value;

    const auto classified = shop.run({"classify", "--run", "own", "--file", other, "--predictions", shop / "out.tsv"});
    ASSERT_EQ(classified.code, 0) << classified.err;
    EXPECT_THAT(shop.read("out.tsv"),
                AllOf(HasSubstr("example\ttext\tlabel\tprediction\tp:no\tp:yes\n"), HasSubstr("3\tbad bad film\tno\t")));
    const auto one = shop.run({"classify", "--run", "own", "good film\tindeed"});
    EXPECT_EQ(one.code, 3);
    EXPECT_THAT(one.err, HasSubstr("expects single texts"));
    const Json line = shop.run({"classify", "--run", "own", "good film"}).json().at("lines").at(0);
    EXPECT_NEAR(line.at("probabilities").at("yes").get<double>() + line.at("probabilities").at("no").get<double>(), 1, 1e-6);
}

// Before: --predictions wrote a table of SQuAD's questions, which no script of SQuAD reads.
TEST(OwnData, AnswersAreWrittenAsSquadsScriptsReadThem) {
    const Workshop shop;
    Json paragraphs = Json::array(), wanted;
    for (int i = 0; i < 24; ++i) {
        const std::string id = "q\"" + std::to_string(i), room = "room" + std::to_string(i % 4);
        const Json answers = Json::array({{{"text", room}, {"answer_start", 16}}});
        const Json question{{"question", "Where is it?"}, {"id", id}, {"answers", answers}};
        paragraphs.push_back({{"context", "The key lies in " + room + " today."}, {"qas", Json::array({question})}});
        wanted[id] = room;
    }
    const Json document{{"version", "1.1"}, {"data", Json::array({{{"title", "Keys"}, {"paragraphs", paragraphs}}})}};
    const std::string file = shop.write("squad.json", document.dump());
    shop.must(classifier("answers", file,
                         {"data.task=span", "data.format=squad", "head.kind=span", "data.split.valid=0",
                          "data.valid.source=" + file, "train.lr=0.01", "train.batch.sentences=8", "train.batch.tokens=0"}));
    const auto told = shop.run({"classify", "--run", "answers", "--file", file, "--predictions", shop / "predicted.json"});
    ASSERT_EQ(told.code, 0) << told.err;
    EXPECT_EQ(told.out, "");
    EXPECT_THAT(told.err, HasSubstr("24 predictions in"));
    const Json predicted = Json::parse(shop.read("predicted.json"));
    EXPECT_EQ(predicted.size(), 24U);
    EXPECT_EQ(predicted, wanted) << "learned by heart";
    const auto printed = shop.run({"classify", "--run", "answers", "--file", file});
    EXPECT_EQ(printed.json(), predicted);
}

TEST(OwnData, ARegressionReadsATable) {
    const Workshop shop;
    std::string table = "text,stars\n";
    for (int i = 0; i < 40; ++i) table += "\"word" + std::to_string(i % 4) + ", film\"," + std::to_string(i % 4) + ".5\n";
    const std::string file = shop.write("stars.csv", table);
    auto arguments = classifier(
        "stars", file,
        {"data.format=csv", "data.task=regress", "head.kind=regress", "data.split.valid=0", "data.valid.source=" + file});
    const Json run = shop.must(arguments);
    EXPECT_THAT(run.at("warnings").get<std::vector<std::string>>(),
                Contains(HasSubstr("valid: 40 of 40 examples have the input of a training example")));
    bool hasPearson = false;
    for (const Json& e : run.at("evaluations")) hasPearson = hasPearson || e.at("metric") == "pearson";
    EXPECT_TRUE(hasPearson);
}

TEST(OwnData, TranslationsComeWithTheirScoresAndAreMeasuredOnOwnPairs) {
    const Workshop shop;
    shop.must({"train", shop / "spec.json", "--name", "tiny", "--steps", "40"});
    const Json report = shop.must({"evaluate", "--run", "tiny", "--source", shop.write("mine.a", "ana sees birds .\n"),
                                   "--target", shop.write("mine.b", "birdse anao seest .\n")});
    std::vector<std::string> metrics;
    for (const Json& value : report.at("values")) metrics.push_back(value.at("metric"));
    EXPECT_THAT(metrics, AllOf(Contains("bleu"), Contains("chrf")));
    EXPECT_EQ(shop.run({"evaluate", "--run", "tiny", "--file", shop / "mine.a"}).code, 2);
    EXPECT_EQ(shop.run({"evaluate", "--run", "tiny", "--source", shop / "mine.a"}).code, 2);
}

}  // namespace
}  // namespace heddle::integration
