// SPDX-License-Identifier: Apache-2.0
// `heddle compare --items`, in-process: differences over seeds and test items of outputs in files.
#include "engine/base/json.h"
#include "engine/base/temporary_folder.h"
#include "tests/unit/app/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CompareItems : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        return folder_ / name;
    }
    static bool isRight(int variant, int seed, int item) {
        return (item * item * 7 + item * 3 * seed + seed * 11 + variant * 5) % 13 < 6 + 2 * variant;
    }
    /// As heddle classify --predictions writes them, of 40 examples.
    std::string predictions(int variant, int seed) const {
        std::string text = "example\ttext\tlabel\tprediction\tp:a\tp:b\n";
        for (int item = 0; item < 40; ++item)
            text += std::to_string(item + 1) + "\tx\ta\t" + (isRight(variant, seed, item) ? "a" : "b") + "\t0.5\t0.5\n";
        return write("p" + std::to_string(variant) + std::to_string(seed), text);
    }
    /// A right item is the reference, another one is a word short and a word longer.
    std::string texts(int variant, int seed) const {
        std::string text;
        for (int item = 0; item < 40; ++item)
            text += isRight(variant, seed, item) ? "a man sleeps in the garden .\n" : "a man sleeps garden the in house .\n";
        return write("t" + std::to_string(variant) + std::to_string(seed), text);
    }
    static CommandResult on(std::vector<std::string> arguments, bool json = false) {
        arguments.insert(arguments.begin(), {"compare", "--items"});
        if (json) arguments.emplace_back("--json");
        return runCommand(arguments);
    }

    /// The files of one side of a case of item_cases.json: "base=FILE,FILE".
    std::string side(const Json& one, const std::string& key, const std::string& name) const {
        std::string argument = name + "=";
        for (std::size_t run = 0; run < one.at(key).size(); ++run) {
            std::string text;
            if (!one.at("classes").empty()) text += "example\tlabel\tprediction";
            for (const auto& label : one.at("classes")) text += "\tp:" + label.get<std::string>();
            if (!one.at("classes").empty()) text += "\n";
            for (std::size_t item = 0; item < one.at("wanted").size(); ++item) {
                const auto answer = one.at(key).at(run).at(item).get<std::string>();
                const auto wanted = one.at("wanted").at(item).get<std::string>();
                text +=
                    one.at("classes").empty() ? answer + "\n" : std::to_string(item + 1) + "\t" + wanted + "\t" + answer + "\n";
            }
            argument += (run > 0 ? "," : "") + write(name + std::to_string(run), text);
        }
        return argument;
    }

    TemporaryFolder folder_;
};

/// Of scikit-learn, sacreBLEU and statsmodels (tests/oracle/items_oracle.py).
TEST_F(CompareItems, EqualThoseOfTheirOwnPrograms) {
    const char* const given = std::getenv("HEDDLE_ITEM_CASES");
    std::ifstream stream(given ? given : HEDDLE_SOURCE_DIR "/tests/unit/app/cli/cases/item_cases.json");
    const Json document = Json::parse(stream);
    ASSERT_GE(document.at("cases").size(), 5U);
    for (const Json& one : document.at("cases")) {
        SCOPED_TRACE(one.at("metric").dump() + one.at("classes").dump());
        std::vector<std::string> arguments{side(one, "baseline", "base"), side(one, "variant", "full"), "--metric",
                                           one.at("metric").get<std::string>()};
        if (one.at("classes").empty()) {
            std::string reference;
            for (const auto& line : one.at("wanted")) reference += line.get<std::string>() + "\n";
            arguments.insert(arguments.begin(), write("reference", reference));
        }
        const CommandResult result = on(arguments, true);
        ASSERT_EQ(result.code, 0) << result.err;
        const Json told = result.json().at("outputs").at(0);
        ASSERT_TRUE(told.at("p").is_number()) << told;
        for (const char* number : {"score", "difference", "error", "seed_error", "item_error", "freedom", "p"}) {
            const double wanted = one.at(number).get<double>();
            EXPECT_NEAR(told.at(number).get<double>(), wanted, 1e-7 * std::max(1.0, std::abs(wanted))) << number;
        }
        EXPECT_NEAR(told.at("interval").at(0).get<double>(), one.at("low").get<double>(), 1e-6);
        EXPECT_NEAR(told.at("interval").at(1).get<double>(), one.at("high").get<double>(), 1e-6);
    }
}

/// A table whose labels and predictions are of the classes that its header names.
std::string tableOf(const std::string& classes, const std::string& labels, const std::string& predicted) {
    std::string text = "example\tlabel\tprediction";
    for (const char name : classes) text += std::string("\tp:") + name;
    text += "\n";
    for (std::size_t i = 0; i < labels.size(); ++i) text += std::string("1\t") + labels[i] + "\t" + predicted[i] + "\n";
    return text;
}

TEST_F(CompareItems, SayWhichF1TheyAre) {
    std::string labels, good, poor;
    for (int item = 0; item < 40; ++item) {
        labels += item % 2 == 0 ? 'y' : 'n';
        good += item % 5 == 0 ? 'y' : labels.back();
        poor += item % 3 == 0 ? 'n' : labels.back();
    }
    const std::string base =
        "base=" + write("b1", tableOf("ny", labels, poor)) + "," + write("b2", tableOf("ny", labels, good));
    const CommandResult two = on({base, "full=" + write("f1", tableOf("ny", labels, good)), "--metric", "f1"});
    EXPECT_THAT(two.out, AllOf(HasSubstr("F1 of y"), HasSubstr("f1|average:binary|positive:y|zero_division:0|n:40")));
    const std::string three =
        "base=" + write("c1", tableOf("nyx", labels, poor)) + "," + write("c2", tableOf("nyx", labels, good));
    EXPECT_THAT(on({three, "full=" + write("g1", tableOf("nyx", labels, good)), "--metric", "f1"}).out,
                AllOf(HasSubstr("macro F1"), HasSubstr("f1|average:macro|zero_division:0|n:40")));
    EXPECT_THAT(on({base, "full=" + write("turned", tableOf("yn", labels, good)), "--metric", "f1"}).err,
                AllOf(HasSubstr("the classes of the table differ"), HasSubstr("turned")));
    EXPECT_THAT(on({base, "full=" + write("else", tableOf("ny", labels, "?" + good.substr(1))), "--metric", "f1"}).err,
                AllOf(HasSubstr("\"?\" is not one of the classes n, y"), HasSubstr("else, line 2"),
                      HasSubstr("give a table of heddle classify --predictions that has this class")));
}

TEST_F(CompareItems, GiveF1OfARareClassNoInterval) {
    std::string labels(40, 'n'), good = labels, poor = labels;
    for (std::size_t item = 0; item < 9; ++item) labels[item] = good[item] = 'y';
    for (std::size_t item = 20; item < 31; ++item) poor[item] = 'y';
    const std::string base =
        "base=" + write("b1", tableOf("ny", labels, poor)) + "," + write("b2", tableOf("ny", labels, poor));
    EXPECT_THAT(on({base, "full=" + write("f1", tableOf("ny", labels, good)) + "," + write("f2", tableOf("ny", labels, poor)),
                    "--metric", "f1"})
                    .out,
                HasSubstr("no test: 9 items belong to class y; an interval needs at least 10"));
}

TEST_F(CompareItems, RefuseAMetricThatTheFilesDoNotHave) {
    const std::string base = "base=" + predictions(0, 1), full = "full=" + predictions(1, 1);
    EXPECT_EQ(on({base, full, "--metric", "bleu"}).code, 2);
    EXPECT_THAT(on({base, full, "--metric", "bleu"}).err, HasSubstr("accuracy or f1"));
    EXPECT_THAT(on({write("ref", "a\n"), base, full, "--metric", "f1"}).err, HasSubstr("bleu or chrf"));
    EXPECT_THAT(runCommand({"compare", "one", "two", "--metric", "f1"}).err, HasSubstr("--metric needs --items"));
}

TEST_F(CompareItems, OfPredictionsIsTheAnalysisOfVariance) {
    const std::string base = "base=" + predictions(0, 1) + "," + predictions(0, 2);
    const std::string full = "full=" + predictions(1, 1) + "," + predictions(1, 2) + "," + predictions(1, 3);
    const CommandResult result = on({base, full}, true);
    ASSERT_EQ(result.code, 0) << result.err;
    const Json document = result.json();
    EXPECT_EQ(document.at("metric"), "accuracy");
    EXPECT_EQ(document.at("items"), 40);
    EXPECT_NEAR(document.at("base").at("score").get<double>(), 0.3, 1e-12);
    // By the formulas of tests/oracle/comparisons_oracle.py (statsmodels' analysis of variance) from the same answers
    const Json& told = document.at("outputs").at(0);
    EXPECT_NEAR(told.at("difference").get<double>(), 0.2666666666666668, 1e-9);
    EXPECT_NEAR(told.at("error").get<double>(), 0.14307370642464487, 1e-9);
    EXPECT_NEAR(told.at("seed_error").get<double>(), 0.1379412113103904, 1e-9);
    EXPECT_NEAR(told.at("item_error").get<double>(), 0.06979824404521126, 1e-9);
    EXPECT_NEAR(told.at("freedom").get<double>(), 3.449957293215702, 1e-9);
    EXPECT_NEAR(told.at("p").get<double>(), 0.14710387182563667, 1e-9);
    EXPECT_NEAR(told.at("interval").at(1).get<double>(), 0.690171444225558, 1e-9);
    EXPECT_THAT(on({base, full}).out,
                AllOf(HasSubstr("40 items"), HasSubstr("0.1471"), HasSubstr("covers seeds and test items")));
    EXPECT_THAT(on({base, "one=" + predictions(1, 1)}).out, HasSubstr("one: no test: ")) << "one seed";
}

TEST_F(CompareItems, OfTextsIsBleu) {
    std::string lines;
    for (int item = 0; item < 40; ++item) lines += "a man sleeps in the garden .\n";
    const std::string reference = write("ref", lines);
    const Json document =
        on({reference, "base=" + texts(0, 1) + "," + texts(0, 2), "full=" + texts(1, 1) + "," + texts(1, 2)}, true).json();
    EXPECT_EQ(document.at("metric"), "bleu");
    const Json scores = runCommand({"compare", "--texts", reference, texts(0, 1), texts(0, 2), "--json"}).json();
    const double first = scores.at("base").at("metrics").at(0).at("score"),
                 second = scores.at("outputs").at(0).at("metrics").at(0).at("score");
    EXPECT_NEAR(document.at("base").at("score").get<double>(), (first + second) / 2, 1e-9);
    EXPECT_TRUE(document.at("outputs").at(0).at("p").is_number()) << document;
}

TEST_F(CompareItems, AnEmptyLastCellIsACell) {
    const std::string table = "example\tp:a\tlabel\tprediction\n1\t1\ta\ta\n2\t1\ta\t\n";
    const CommandResult result = on({"base=" + write("empty", table), "full=" + write("empty2", table)}, true);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NEAR(result.json().at("base").at("score").get<double>(), 0.5, 1e-12);
}

TEST_F(CompareItems, NamesWhatCannotBeCompared) {
    const std::string good = predictions(0, 1);
    const std::string shorter = write("short", "example\ttext\tlabel\tprediction\tp:a\n1\tx\ta\ta\t1\n");
    std::string other = "example\ttext\tlabel\tprediction\tp:a\n";
    for (int item = 0; item < 40; ++item) other += "1\tx\tb\ta\t1\n";
    EXPECT_EQ(on({"base=" + good, "full=" + shorter}).code, 3);
    EXPECT_THAT(on({"base=" + good, "full=" + shorter}).err, AllOf(HasSubstr("has 1 items"), HasSubstr(shorter)));
    EXPECT_THAT(on({"base=" + good, "full=" + write("other", other)}).err,
                AllOf(HasSubstr("the label of an item differs"), HasSubstr("line 2")));
    EXPECT_THAT(on({"base=" + good, "full=" + write("plain", "a\n")}).err, HasSubstr("no column label"));
    EXPECT_THAT(on({"base=" + good, "full=" + write("scores", "example\tlabel\tprediction\n1\t2.5\t2.4\n")}).err,
                HasSubstr("does not contain classes"));
    EXPECT_EQ(on({"base=" + good}).code, 2);
    EXPECT_EQ(on({good, "base="}).code, 2);
    for (const std::string& files : {good + ",", "," + good, good + ",," + good}) {
        EXPECT_EQ(on({"base=" + files, "full=" + good}).code, 2) << files;
        EXPECT_THAT(on({"base=" + files, "full=" + good}).err, HasSubstr("empty file name")) << files;
    }
}

}  // namespace
}  // namespace heddle::app
