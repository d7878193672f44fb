// SPDX-License-Identifier: Apache-2.0
// `heddle compare --scaling`: the law of scipy's cases (tests/oracle/comparisons_oracle.py), and of runs of a database.
#include "app/cli/comparison.h"

#include "engine/spec/catalogue.h"
#include "engine/spec/run_spec.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"
#include "tests/unit/engine/analysis/comparison_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CompareScaling : public testing::Test, protected SessionFixture {
protected:
    /// Runs of three widths, whose loss falls with the width, with two seeds of each.
    std::vector<std::string> compareWidths() {
        engine_->evaluations = [](const RunSpec& spec) {
            const double width = std::stod(spec.name.substr(1));
            EvaluationDone done;
            done.split = "valid";
            done.values = {{"loss", 8 / width + 0.01 * double(spec.seed), "ce:nats", 100}};
            return std::vector{done};
        };
        std::vector<std::string> words{"compare"};
        for (const char* width : {"16", "32", "64"})
            for (const std::uint64_t seed : {1, 2}) {
                Json document = smallSpec("w" + std::string(width), 4).toJson();
                for (const std::string& set : {"dims.d=" + std::string(width), std::string("dims.vocab_src=50"),
                                               std::string("dims.vocab_tgt=60"), "seed=" + std::to_string(seed)})
                    applySet(document, set);
                const auto session = open();
                words.push_back(session->submit(RunSpec::parse(document, builtinCatalogue())));
                if (!ends(*session, words.back())) throw std::runtime_error("a run does not end");
            }
        return words;
    }
};

TEST_F(CompareScaling, IsTheLawOfScipy) {
    for (const Json& one : comparisonCases().at("scaling")) {
        if (one.at("has_floor").get<bool>()) continue;
        const std::vector<double> sizes = one.at("sizes"), losses = one.at("losses");
        Comparison comparison;
        MetricRow loss;
        loss.split = "valid";
        loss.metric = "loss";
        GroupColumn group;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            storage::RunRecord run;
            run.id = std::to_string(i);
            run.parameters = std::int64_t(sizes[i]);
            if (double(run.parameters) != sizes[i]) break;  // a case of sizes that are no numbers of parameters
            comparison.runs.push_back(run);
            MetricSummary value;
            value.last = losses[i];
            loss.values.emplace_back(value);
            group.counted.push_back(i);
        }
        if (comparison.runs.size() < sizes.size()) continue;
        comparison.runs.push_back({});  // of unknown size
        loss.values.emplace_back(MetricSummary{});
        group.counted.push_back(sizes.size());
        loss.doubts.resize(loss.values.size());
        comparison.metrics = {loss};
        comparison.groups = {group};
        const auto session = open();
        const ComparedScaling scaling = scalingOf(comparison, "parameters", *query());
        if (scaling.fit.floor) continue;  // scatter that bends: the law with a floor is another one
        const Json told = scalingDocument(scaling);
        EXPECT_EQ(told.at("n"), sizes.size());
        EXPECT_EQ(told.at("left_out").size(), 1U);
        EXPECT_TRUE(isNear(told.at("exponent").at("value"), one.at("exponent")));
        EXPECT_TRUE(isNear(told.at("exponent").at("interval").at(1), one.at("high")));
        EXPECT_THAT(scalingText(scaling), AllOf(HasSubstr("95 % intervals"), HasSubstr("valid loss = ")));
        return;
    }
    FAIL() << "no case without a floor";
}

TEST_F(CompareScaling, OfRunsOfADatabase) {
    std::vector<std::string> words = compareWidths();
    words.insert(words.end(), {"--scaling", "flops"});
    const CommandResult text = runOn(file_, words);
    EXPECT_THAT(text.out, AllOf(HasSubstr("power law over training FLOPs a token"), HasSubstr("6 runs of 3 sizes"),
                                HasSubstr("no irreducible loss c: an irreducible loss needs runs of at least four sizes")))
        << text.err;
    words.emplace_back("--json");
    const Json scaling = runOn(file_, words).json().at("scaling");
    EXPECT_EQ(scaling.at("n"), 6);
    EXPECT_GT(scaling.at("exponent").at("value").get<double>(), 0);
    EXPECT_EQ(scaling.at("metric"), "valid loss");
    words.pop_back();
    words.back() = "parameters";  // the fake engine counts none
    EXPECT_THAT(runOn(file_, words).out, AllOf(HasSubstr("no law: "), HasSubstr("left out, without size")));
    words.back() = "weight";
    EXPECT_EQ(runOn(file_, words).code, 2);
}

}  // namespace
}  // namespace heddle::app
