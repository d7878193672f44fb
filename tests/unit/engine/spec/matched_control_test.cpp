// SPDX-License-Identifier: Apache-2.0
#include "engine/spec/match.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace heddle {
namespace {

Json run(const char* preset) {
    return {{"schema", 1},
            {"name", preset},
            {"variant",
             {{"preset", preset}, {"dims", {{"d", 64}, {"f", 256}, {"heads", 4}, {"layers_enc", 2}, {"layers_dec", 2}}}}},
            {"train", {{"steps", 60}}}};
}

}  // namespace

TEST(MatchedControl, ItIsTheBaselineInTheSameExperimentAtTheNearestSize) {
    const Json draft = run("eau-full"), control = controlDocument(draft, run("eau-base"));
    EXPECT_EQ(control["train"], draft["train"]);
    EXPECT_FALSE(control.contains("name"));
    const std::int64_t wanted = factsOf(draft, {})->cost.parameters;
    const auto found = matchedControl(control, double(wanted), {});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->document["variant"]["dims"]["f"], found->width);
    EXPECT_EQ(factsOf(found->document, {})->cost.parameters, found->parameters);
    const std::int64_t perWidth = 4 * (2 * 64 + 1);  // one unit of f in each of 4 layers
    EXPECT_LE(std::abs(found->parameters - wanted), perWidth / 2 + 1);
}

TEST(MatchedControl, ItCanBeMatchedInFlops) {
    const Json draft = run("eau-full"), control = controlDocument(draft, run("eau-base"));
    const double wanted = factsOf(draft, {})->flops;
    const auto found = matchedControl(control, wanted, {}, Budget::FlopsPerToken);
    ASSERT_TRUE(found);
    const double perWidth = 4 * 2 * 2 * 64;  // two products of 64 × f in each of 4 layers, a multiply-add counts as 2
    EXPECT_LE(std::abs(factsOf(found->document, {})->flops - wanted), perWidth / 2 + 1);
    EXPECT_NE(found->width, matchedControl(control, double(factsOf(draft, {})->cost.parameters), {})->width);
}

TEST(MatchedControl, WhereNoWidthFitsThereIsNone) {
    EXPECT_FALSE(matchedControl(controlDocument(run("eau-full"), run("eau-base")), 1000, {}));
}

}  // namespace heddle
