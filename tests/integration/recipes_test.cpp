// SPDX-License-Identifier: Apache-2.0
// Every recipe's dry run builds its models against small files in the form in which the publishers give them away.
#include "engine/analysis/recipe.h"
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>

namespace heddle::integration {
namespace {

using testing::HasSubstr;

constexpr int kLines = 24;        ///< of files whose characters are read one by one
constexpr int kTextLines = 6000;  ///< of text that gives as many pieces as a tokenizer is asked for
constexpr int kDifferentWords = 12000;

using Line = std::function<std::string(int)>;

std::string lines(const Line& line, const std::string& header = "", int count = kLines) {
    std::string text = header;
    for (int i = 0; i < count; ++i) text += line(i) + "\n";
    return text;
}

/// Ten words of seven letters; every word comes five times in kTextLines lines.
std::string words(int i) {
    std::string line;
    for (int j = 0; j < 10; ++j) {
        auto state = static_cast<std::uint32_t>((10 * i + j) * 7919 % kDifferentWords);
        if (j > 0) line += ' ';
        for (int letter = 0; letter < 7; ++letter) {
            state = state * 1664525U + 1013904223U;
            line += static_cast<char>('a' + (state >> 24U) % 26);
        }
    }
    return line;
}

std::string sentences(const std::string& ofLine = "") {
    return lines([&](int i) { return ofLine + words(i) + ofLine; }, "", kTextLines);
}

std::string clue(const std::string& task, const std::string& file) {
    static const std::map<std::string, std::vector<std::string>> kLabels{
        {"afqmc", {"0", "1"}},
        {"tnews", {"100", "101", "102", "103", "104", "106", "107", "108", "109", "110", "112", "113", "114", "115", "116"}},
        {"cmnli", {"neutral", "entailment", "contradiction"}}};
    return lines([&](int i) {
        Json line = task == "tnews" ? Json{{"sentence", "上课时学生手机响个不停" + std::to_string(i)}, {"keywords", ""}}
                                    : Json{{"sentence1", "花呗如何还款"}, {"sentence2", "怎么还" + std::to_string(i)}};
        const auto& labels = kLabels.at(task);
        if (file == "test")
            line["id"] = i;
        else
            line["label"] = labels[static_cast<std::size_t>(i) % labels.size()];
        return line.dump();
    });
}

std::string glue(const std::string& file) {
    const std::string task = file.substr(0, file.find('/'));
    const auto label = [](int i) { return std::to_string(i % 2); };
    if (task == "CoLA") return lines([&](int i) { return "gj04\t" + label(i) + "\t\t" + words(i); }, "", kTextLines);
    if (task == "SST-2") return lines([&](int i) { return words(i) + "\t" + label(i); }, "sentence\tlabel\n", kTextLines);
    if (task == "MRPC")
        return lines([&](int i) { return label(i) + "\t1\t2\t" + words(i) + "\t" + words(i + 1); },
                     "\xEF\xBB\xBFQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n", kTextLines);
    if (task == "STS-B")
        return lines(
            [&](int i) { return std::to_string(i) + "\tg\tf\t2012\t1\tn\tn\t" + words(i) + "\t" + words(i + 1) + "\t3.800"; },
            "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n", kTextLines);
    const bool isWnli = task == "WNLI";
    const std::string names = task == "QNLI" ? "index\tquestion\tsentence\tlabel\n" : "index\tsentence1\tsentence2\tlabel\n";
    return lines(
        [&](int i) {
            return std::to_string(i) + "\t" + words(i) + "\t" + words(i + 1) + "\t" +
                   (isWnli       ? label(i)
                    : i % 2 == 0 ? "entailment"
                                 : "not_entailment");
        },
        names, kTextLines);
}

/// MNIST's IDX: two zeros, type 8, dimensions, big-endian sizes, bytes.
std::string idx(bool isImages) {
    const auto size = [](int n) { return std::string("\0\0\0", 3) + static_cast<char>(n); };
    std::string text = std::string("\0\0\x08", 3) + (isImages ? '\3' : '\1') + size(kLines);
    if (isImages) text += size(28) + size(28);
    for (int i = 0; i < kLines; ++i)
        text += isImages ? std::string(28 * 28, static_cast<char>(i)) : std::string(1, static_cast<char>(i % 10));
    return text;
}

std::string vocabulary() {
    std::string text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (char c = 'a'; c <= 'z'; ++c) text += std::string(1, c) + "\n##" + c + "\n";
    return text;
}

/// word2vec's text format: words and numbers, then a word and its numbers a line.
std::string vectors() {
    std::string text = "2 300\n";
    for (const char* word : {"花", "学"}) {
        text += word;
        for (int i = 0; i < 300; ++i) text += " 0.5";
        text += "\n";
    }
    return text;
}

std::string contents(const std::string& data, const std::string& file) {
    if (data == "afqmc" || data == "tnews" || data == "cmnli") return clue(data, file);
    if (data == "glue") return glue(file);
    if (data == "mnist") return idx(file.ends_with("images"));
    if (data == "bert") return vocabulary();
    if (data == "vectors") return vectors();
    if (data == "wikitext") return " = House = \n" + sentences(" ");
    return sentences();
}

/// Writes every file of a recipe by the first of its names that is not compressed.
void writeData(const Workshop& shop, const Recipe& recipe) {
    for (const RecipeData& data : recipe.data)
        for (const auto& [file, names] : data.files) {
            std::string name = names.front();
            if (name.ends_with(".gz")) name.resize(name.size() - 3);  // told by content, not by name
            for (const auto& other : names)
                if (!other.ends_with(".gz")) name = other;
            name = "data/" + data.folders.front() + "/" + name;
            std::filesystem::create_directories((shop / name).parent_path());
            shop.write(name, contents(data.id, file));
        }
}

class EveryRecipe : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, EveryRecipe, testing::ValuesIn(recipeIds()), [](const auto& tested) {
    std::string name = tested.param;
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
});

TEST_P(EveryRecipe, QuickVersionBuildsItsModelsAgainstPublishersFiles) {
    const Recipe recipe = readRecipe(GetParam());
    if (!recipe.quick) GTEST_SKIP() << "nothing is run: " << recipe.why;
    const Workshop shop;
    writeData(shop, recipe);
    const auto plan = shop.run({"reproduce", recipe.id, "--quick", "--dry-run", "--data", shop / "data"});
    EXPECT_EQ(plan.code, 0) << plan.err;
    const Json document = plan.json();
    for (const Json& run : document.at("runs")) {
        EXPECT_EQ(run.at("problem").get<std::string>(), "") << run.at("name");
        EXPECT_THAT(run.at("missing"), testing::IsEmpty()) << run.at("name");
    }
}

/// The rows that the quick versions leave out: AFQMC with its one output, and CMNLI.
TEST(FullRecipe, OfClueBuildsItsModels) {
    for (const char* id : {"starsaber-table3", "starsaber-table5"}) {
        const Workshop shop;
        writeData(shop, readRecipe(id));
        const auto plan = shop.run({"reproduce", id, "--dry-run", "--seeds", "1", "--data", shop / "data"});
        EXPECT_EQ(plan.code, 0) << plan.err;
        const Json document = plan.json();
        for (const Json& run : document.at("runs")) EXPECT_EQ(run.at("problem").get<std::string>(), "") << run.at("name");
    }
}

TEST(InspectedRecipe, CountsTheExamplesOfPublishersFiles) {
    const Workshop shop;
    writeData(shop, readRecipe("starsaber-table2"));
    const Json document = shop.must({"reproduce", "starsaber-table2", "--data", shop / "data"});
    int measured = 0;
    for (const Json& column : document.at("columns"))
        for (const Json& row : column.at("rows"))
            if (row.at("state") == "measured") {
                EXPECT_EQ(row.at("measured").at("mean"), kLines) << row.at("row");
                ++measured;
            }
    EXPECT_EQ(measured, 9);
}

}  // namespace
}  // namespace heddle::integration
