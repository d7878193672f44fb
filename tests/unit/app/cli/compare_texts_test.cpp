// SPDX-License-Identifier: Apache-2.0
// `heddle compare --texts`, in-process, on pairs of outputs that sacreBLEU has tested (tests/oracle/significance_oracle.py).
#include "engine/base/temporary_folder.h"
#include "tests/unit/app/command.h"
#include "tests/unit/engine/analysis/comparison_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CompareTexts : public testing::Test {
protected:
    std::string file(const std::string& name, const std::vector<std::string>& lines) const {
        std::ofstream stream(folder_ / name);
        for (const std::string& line : lines) stream << line << "\n";
        return folder_ / name;
    }
    static CommandResult on(std::vector<std::string> files, bool json = false) {
        files.insert(files.begin(), {"compare", "--texts"});
        if (json) files.emplace_back("--json");
        return runCommand(files);
    }
    /// The first pair of a metric with sacreBLEU's default options.
    static Json pairOf(const std::string& metric) {
        const Json all = oracleCases("HEDDLE_SIGNIFICANCE_CASES", "significance_cases.json");
        for (const Json& one : all.at("pairs"))
            if (one.at("metric") == metric) return one;
        throw std::runtime_error("no pair of " + metric);
    }

    TemporaryFolder folder_;
};

TEST_F(CompareTexts, GivesTheNumbersOfSacreBleu) {
    const std::vector<std::string> metrics{"bleu", "chrf"};
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const Json pair = pairOf(metrics[i]);
        const std::vector<std::string> files{file("ref", pair.at("references")), file("base", pair.at("baseline")),
                                             file("other", pair.at("variant"))};
        const CommandResult result = on(files, true);
        ASSERT_EQ(result.code, 0) << result.err;
        const Json document = result.json();
        const Json& told = document.at("outputs").at(0).at("metrics").at(i);
        EXPECT_EQ(told.at("metric"), metrics[i]);
        EXPECT_TRUE(isNear(told.at("score"), pair.at("bs").at("score")));
        EXPECT_TRUE(isNear(document.at("base").at("metrics").at(i).at("score"), pair.at("bs").at("score_baseline")));
        EXPECT_EQ(told.at("bootstrap").at("p"), pair.at("bs").at("p"));
        EXPECT_TRUE(isNear(told.at("bootstrap").at("resampled").at("reach"), pair.at("bs").at("reach"), 1e-4));
        EXPECT_EQ(told.at("randomisation").at("p"), pair.at("ar").at("p"));
        EXPECT_THAT(told.at("randomisation").at("signature").get<std::string>(), HasSubstr("ar:10000|seed:12345|case:mixed"));
        EXPECT_EQ(document.at("sentences"), pair.at("references").size());
        EXPECT_THAT(on(files).out, AllOf(HasSubstr("bs:1000|seed:12345"), HasSubstr("covers test sentences alone")));
    }
}

TEST_F(CompareTexts, WithholdsPWhereNothingSpeaksForADifference) {
    const std::vector<std::string> lines(25, "a man sleeps in the garden .");
    std::vector<std::string> few = lines;
    few.back() = "a dog";
    const std::string reference = file("ref", lines), base = file("base", lines), other = file("other", few);
    const CommandResult equal = on({reference, base, base}, true);
    const Json bleu = equal.json().at("outputs").at(0).at("metrics").at(0);
    EXPECT_EQ(bleu.at("equal"), true);
    EXPECT_TRUE(bleu.at("bootstrap").at("p").is_null() && bleu.at("randomisation").at("p").is_null());
    EXPECT_THAT(on({reference, base, base}).out, AllOf(HasSubstr("equal: no sentence differs"), Not(HasSubstr("< 0.0"))));
    // sacreBLEU's randomisation prints 0.0001 for any single sentence.
    const std::string text = on({reference, base, other, base}).out;
    EXPECT_THAT(text, AllOf(HasSubstr("no p from 1 sentences that differ, 10 at least"), HasSubstr("for 2 outputs")));
    const std::string one = file("one", {"a man sleeps ."}), two = file("two", {"a dog runs ."});
    EXPECT_THAT(on({one, one, two}).out, HasSubstr("no p from 1 sentences, 20 at least"));
}

TEST_F(CompareTexts, NamesTheFileThatCannotBeCompared) {
    const std::string three = file("three", {"a", "b", "c"}), two = file("two", {"a", "b"}), empty = file("empty", {});
    const CommandResult shorter = on({three, three, two});
    EXPECT_EQ(shorter.code, 3);
    EXPECT_THAT(shorter.err, AllOf(HasSubstr("has 2 lines, but the reference has 3"), HasSubstr(two)));
    EXPECT_THAT(on({empty, empty, empty}).err, HasSubstr("the file is empty"));
    EXPECT_EQ(on({three, three, folder_ / "none"}).code, 3);
    EXPECT_EQ(on({three, three}).code, 2);
    EXPECT_EQ(on({three, three, three, "--svg", "x.svg"}).code, 2);
}

}  // namespace
}  // namespace heddle::app
