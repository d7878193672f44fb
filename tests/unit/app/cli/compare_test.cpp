// SPDX-License-Identifier: Apache-2.0
// `heddle compare` on groups of seeds, in-process, on a database made with a fake engine.
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CompareCommand : public testing::Test, protected SessionFixture {
protected:
    CommandResult on(std::vector<std::string> arguments) const { return runOn(file_, std::move(arguments)); }
};

TEST_F(CompareCommand, MakesMeansOfSeedsAndWarnsOfValuesOfAnotherCount) {
    engine_->evaluations = [](const RunSpec& spec) {
        EvaluationDone done;
        done.split = "valid";
        done.values = {{"bleu", static_cast<double>(10 * spec.seed), "bleu|13a", spec.evaluate.bleuSentences > 0 ? 10 : 1014}};
        return std::vector{done};
    };
    std::vector<std::string> runs;
    const auto add = [&](std::uint64_t seed, double lr, std::int64_t sentences) {
        const auto session = open();
        RunSpec spec = smallSpec("base", 4);
        spec.seed = seed;
        spec.train.lr = lr;
        spec.evaluate.bleuSentences = sentences;
        runs.push_back(session->submit(spec));
        ASSERT_TRUE(ends(*session, runs.back()));
    };
    add(1, 0.1, 0);
    add(1, 0.1, 0);  // again
    add(2, 0.1, 0);
    add(9, 0.7, 10);
    std::vector<std::string> words{"compare"};
    words.insert(words.end(), runs.begin(), runs.end());
    const std::string text = on(words).out;
    EXPECT_THAT(text, AllOf(HasSubstr("base · lr 0.1"), HasSubstr("base · lr 0.7"), HasSubstr("90.00 †"),
                            HasSubstr("valid bleu of base cannot be compared: n differs")));
    words.emplace_back("--json");
    const auto compared = on(words).json();
    EXPECT_EQ(compared.at("metrics").at(0).at("comparable"), (std::vector<bool>{true, true, true, false}));
    EXPECT_EQ(compared.at("warnings").size(), 1U);
    const auto& groups = compared.at("groups");
    ASSERT_EQ(groups.size(), 2U) << "another learning rate is another group";
    EXPECT_EQ(groups[0].at("runs").size(), 3U);
    EXPECT_EQ(groups[0].at("counted"), (std::vector<std::string>{runs[1], runs[2]})) << "a seed that stands twice counts once";
    const auto& bleu = groups[0].at("metrics").at(0).at("last");
    EXPECT_EQ(bleu.at("n"), 2);
    EXPECT_EQ(bleu.at("mean"), 15);
    EXPECT_EQ(bleu.at("min"), 10);
    EXPECT_EQ(bleu.at("max"), 20);
    EXPECT_EQ(groups[0].at("metrics").at(0).at("comparable"), true);
    EXPECT_EQ(groups[1].at("metrics").at(0).at("comparable"), false);
    EXPECT_THAT(text, HasSubstr("90.00 (1) †")) << "the mean is marked as its run is";
}

TEST_F(CompareCommand, DrawsGroupsAndNamesThemByWhatSetsThemApart) {
    std::vector<std::string> words{"compare"};
    const auto add = [&](std::uint64_t seed, double lr) {
        const auto session = open();
        RunSpec spec = smallSpec("", 20);
        spec.seed = seed;
        spec.train.lr = lr;
        words.push_back(session->submit(spec));
        ASSERT_TRUE(ends(*session, words.back()));
    };
    add(1, 0.1);
    add(2, 0.1);
    add(9, 0.7);
    const auto svg = folder_ / "groups.svg", latex = folder_ / "groups.tex";
    words.insert(words.end(), {"--json", "--svg", svg, "--table", latex});
    const auto compared = on(words).json();
    EXPECT_EQ(compared.at("groups").at(0).at("name"), "lr 0.1");
    EXPECT_EQ(compared.at("groups").at(1).at("name"), "lr 0.7");
    std::ifstream file(svg);
    const std::string picture{std::istreambuf_iterator<char>(file), {}};
    std::ifstream tableFile(latex);
    const std::string table{std::istreambuf_iterator<char>(tableFile), {}};
    EXPECT_THAT(table, AllOf(HasSubstr("\\toprule\n & lr 0.1 & lr 0.7 \\\\"), HasSubstr("$\\pm$")));
    words.back() = folder_ / "groups.doc";
    EXPECT_EQ(on(words).code, 2);
    EXPECT_THAT(picture, AllOf(HasSubstr("lr 0.1, mean of 2 seeds"), HasSubstr("lr 0.7, seed 9"), Not(HasSubstr("seed 1<"))));
    const auto times = [&](const std::string& part) {
        std::size_t found = 0;
        for (auto at = picture.find(part); at != std::string::npos; at = picture.find(part, at + 1)) ++found;
        return found;
    };
    const std::size_t panels = times(">step (optimizer updates)<");
    ASSERT_GE(panels, 1U);
    EXPECT_EQ(times("fill=\"none\" stroke=\"#0072B2\" stroke-width=\"1.6\""), panels) << "one line for both seeds";
    EXPECT_EQ(times("stroke-width=\"1.6\""), 2 * panels);
}

}  // namespace
}  // namespace heddle::app
