// SPDX-License-Identifier: Apache-2.0
// Intervals over seeds and sentences of a study of BLEU: pairs, Welch's test, looks, and what the outputs are compared with.
#include "app/study/item_differences.h"
#include "app/study/study_runs.h"
#include "engine/analysis/distributions.h"
#include "engine/analysis/sequential.h"
#include "engine/metrics/bleu.h"
#include "tests/unit/app/study/recorded_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

namespace heddle::app {
namespace {

using testing::HasSubstr;

class TextDifferences : public testing::Test, protected RecordedRuns {
protected:
    /// Sentences and what two and three seeds made of them: the first case of BLEU of tests/oracle/items_oracle.py.
    TextDifferences() {
        std::ifstream file(HEDDLE_SOURCE_DIR "/tests/unit/app/cli/cases/item_cases.json");
        const Json all = Json::parse(file);
        for (const Json& one : all.at("cases"))
            if (case_.is_null() && one.at("metric") == "bleu") case_ = one;
        wanted_ = case_.at("wanted").get<std::vector<std::string>>();
        std::filesystem::create_directories(folder_ / "outputs");
        write("valid.txt", wanted_);
    }
    void write(const std::string& name, const std::vector<std::string>& lines) const {
        std::ofstream out(folder_ / name);
        for (const std::string& line : lines) out << line << "\n";
    }
    RunSpec spec(double rate) const {
        RunSpec made = smallSpec("run", 40);
        made.train.lr = rate;
        made.data.valid = {folder_ / "valid.txt", folder_ / "valid.txt"};
        return made;
    }
    void addRun(const std::string& row, std::uint64_t seed, std::vector<std::string> outputs, const BleuOptions& options = {}) {
        const std::string id =
            record(seeded(spec(row == "base" ? 0.001 : 0.002), seed), {"completed", {}, "hash " + row, "", 1.0});
        write(fmt::format("outputs/{}-{}.txt", row, seed), outputs);
        const BleuScore score = corpusBleu(outputs, wanted_, options);
        const auto store = storage::RunStore::open(file_, {"test", 0});
        store->add(
            storage::EvaluationRecord{id, 1, 40, 0, "valid", "bleu", score.signature, score.bleu, std::ssize(wanted_), 0});
    }
    void addRuns(const std::string& row, std::size_t seeds) {
        for (std::size_t seed = 1; seed <= seeds; ++seed)
            addRun(row, seed, case_.at(row == "base" ? "baseline" : "variant").at(seed - 1));
    }
    void failRun(const std::string& row, std::uint64_t seed) {
        record(seeded(spec(row == "base" ? 0.001 : 0.002), seed), {"failed", {}, "hash " + row, "", 0});
    }
    StudyVerdict verdict(const Json& changes) {
        const auto row = [this](const char* name, double rate) { return Json{{"name", name}, {"spec", spec(rate).toJson()}}; };
        Json study{{"schema", "heddle.study/1"},
                   {"rows", {row("base", 0.001), row("gated", 0.002)}},
                   {"metric", {{"split", "valid"}, {"name", "bleu"}, {"value", "last"}, {"better", "higher"}}},
                   {"outputs", "outputs"}};
        study.merge_patch(changes);
        StudyRuns runs(Study::parse(study, "study.json"), folder_ / "study.json", "");
        runs.refresh(*query(), file_);
        return runs.toldVerdict(*query());
    }

    Json case_;
    std::vector<std::string> wanted_;
};

// Of the same pseudovalues as in items_oracle.py, of pairs (sacrebleu 2.5.1, scipy 1.17.1, numpy 2.4.6).
TEST_F(TextDifferences, OfPairsAreThoseOfTheAnalysisOfVariance) {
    addRuns("base", 2);
    addRuns("gated", 2);
    const TwoLevelDifference items = verdict({{"seeds", {1, 2}}}).items.at("gated");
    ASSERT_TRUE(items.interval) << items.whyNone;
    EXPECT_EQ(items.test, SeedTest::Paired);
    EXPECT_NEAR(items.difference, 28.40314959438471, 1e-9);
    EXPECT_NEAR(items.seedError, 6.033781195681151, 1e-8);
    EXPECT_NEAR(items.itemError, 3.788406901224782, 1e-8);
    EXPECT_NEAR(items.error, 6.033781195681151, 1e-8) << "single answers explain all scatter of the sentences";
    EXPECT_NEAR(items.freedom, 1, 1e-9);
    EXPECT_NEAR(items.interval->low, -48.26330961122093, 1e-6);
    EXPECT_NEAR(items.interval->high, 105.06960879999036, 1e-6);
    EXPECT_NEAR(*items.p, 0.13325838990290442, 1e-8);
}

TEST_F(TextDifferences, OfWelchsTestTakeEverySeedThatEnded) {
    addRuns("base", 3);
    addRuns("gated", 2);
    failRun("gated", 3);
    const TwoLevelDifference items = verdict({{"seeds", {1, 2, 3}}, {"test", "welch"}}).items.at("gated");
    ASSERT_TRUE(items.interval) << items.whyNone;
    EXPECT_EQ(items.test, SeedTest::Welch);
    EXPECT_EQ(items.n, 2U);
    EXPECT_EQ(items.nBaseline, 3U);
    EXPECT_TRUE(items.alone.empty());
    for (const auto& [found, key] :
         {std::pair(items.difference, "difference"), std::pair(items.error, "error"), std::pair(items.seedError, "seed_error"),
          std::pair(items.itemError, "item_error"), std::pair(items.freedom, "freedom"), std::pair(*items.p, "p"),
          std::pair(items.interval->low, "low"), std::pair(items.interval->high, "high")})
        EXPECT_NEAR(found, case_.at(key).get<double>(), 1e-7) << key;
}

TEST_F(TextDifferences, OfPairsLeaveOutASeedThatFailedInOneRow) {
    addRuns("base", 3);
    addRuns("gated", 2);
    failRun("gated", 3);
    const TwoLevelDifference items = verdict({{"seeds", {1, 2, 3}}}).items.at("gated");
    ASSERT_TRUE(items.interval) << items.whyNone;
    EXPECT_EQ(items.nBaseline, 2U);
    EXPECT_NEAR(items.difference, 28.40314959438471, 1e-9);
}

TEST_F(TextDifferences, OfALookHaveTheLevelOfASingleLookAndItsSeeds) {
    addRuns("base", 3);  // one more than the look has
    addRuns("gated", 1);
    const Json looks = Json::parse(R"({"seeds": {"first": 2, "last": 3}})");  // as a file has them: not signed
    EXPECT_EQ(verdict(looks).items.at("gated").whyNone, "not all seeds of the look are there");

    addRun("gated", 2, case_.at("variant").at(1));
    const StudyVerdict told = verdict(looks);
    const TwoLevelDifference& items = told.items.at("gated");
    ASSERT_TRUE(items.interval) << items.whyNone;
    EXPECT_EQ(items.n, 2U);
    EXPECT_EQ(items.nBaseline, 2U);
    EXPECT_TRUE(items.alone.empty()) << "the third seed of the baseline is of a look to come";
    EXPECT_NEAR(items.difference, 28.40314959438471, 1e-9);
    const double level = levelOfLooks(SeedTest::Paired, {2, 3}, 0.05);
    EXPECT_LT(level, 0.05);
    EXPECT_NEAR(items.interval->high - items.difference, studentQuantile(1 - level / 2, items.freedom) * items.error, 1e-9);
    ASSERT_TRUE(told.rows.at(0).difference.interval);
    EXPECT_EQ(told.rows.at(0).difference.n, items.n) << "the seeds of the test over seeds";
}

TEST_F(TextDifferences, OfAFamilyAreSimultaneous) {
    addRuns("base", 2);
    addRuns("gated", 2);
    const Json third{{"name", "third"}, {"spec", spec(0.003).toJson()}};
    const Json rows{Json{{"name", "base"}, {"spec", spec(0.001).toJson()}},
                    Json{{"name", "gated"}, {"spec", spec(0.002).toJson()}}, third};
    const TwoLevelDifference items = verdict({{"seeds", {1, 2}}, {"rows", rows}}).items.at("gated");
    ASSERT_TRUE(items.interval) << items.whyNone;
    EXPECT_NEAR(items.interval->high - items.difference, studentQuantile(1 - 0.05 / 2 / 2, items.freedom) * items.error, 1e-9);
}

TEST_F(TextDifferences, AreOfTextsComparedAsTheRunComparedThem) {
    BleuOptions options;
    options.lowercase = true;
    options.tokenize = "none";
    for (const char* row : {"base", "gated"})
        for (std::size_t seed = 1; seed <= 2; ++seed) {
            std::vector<std::string> outputs = case_.at(row == std::string("base") ? "baseline" : "variant").at(seed - 1);
            for (std::string& line : outputs)
                for (char& c : line) c = char(std::toupper(static_cast<unsigned char>(c)));
            addRun(row, seed, outputs, options);
        }
    const TwoLevelDifference items = verdict({{"seeds", {1, 2}}}).items.at("gated");
    ASSERT_TRUE(items.interval) << items.whyNone;
    EXPECT_NEAR(items.difference, 28.40314959438471, 1e-9) << "words and full stops stand apart in these sentences";
}

TEST_F(TextDifferences, SayWhichFileDoesNotBelongToTheTestSet) {
    addRuns("base", 2);
    addRuns("gated", 2);
    std::vector<std::string> fewer = case_.at("variant").at(1);
    fewer.pop_back();
    write("outputs/gated-2.txt", fewer);
    EXPECT_THAT(verdict({{"seeds", {1, 2}}}).items.at("gated").whyNone, HasSubstr("the file has 39 items"));
    fewer.push_back("another sentence");
    write("outputs/gated-2.txt", fewer);
    EXPECT_THAT(verdict({{"seeds", {1, 2}}}).items.at("gated").whyNone, HasSubstr("gated-2.txt: the outputs have the bleu"));
}

}  // namespace
}  // namespace heddle::app
