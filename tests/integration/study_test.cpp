// SPDX-License-Identifier: Apache-2.0
// `heddle study` with the built program and the real engine.
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

namespace heddle::integration {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// A variant that learns, beside one whose learning rate is too low for so few steps.
std::string writeStudy(const Workshop& shop, const Json& changes = Json::object()) {
    const Json spec = Json::parse(shop.read("spec.json"));
    Json study{{"schema", "heddle.study/1"},
               {"question", "Does it learn?"},
               {"rows",
                {{{"name", "slow"}, {"spec", spec}, {"set", {"train.steps=30", "train.lr=0.00001"}}},
                 {{"name", "fast"}, {"spec", spec}, {"set", {"train.steps=30", "train.lr=0.01"}}}}},
               {"baseline", "slow"},
               {"seeds", {1, 2, 3}},
               {"claim", {{"row", "fast"}, {"verdict", "better"}}}};
    study.merge_patch(changes);
    return shop.write("study.json", study.dump());
}

TEST(StudyCommand, TrainsWhatIsMissingAndSaysWhatIsShown) {
    const Workshop shop;
    const std::string file = writeStudy(shop);
    EXPECT_THAT(shop.must({"study", file, "--plan"}).at("runs"), SizeIs(6));
    {
        const auto program = shop.start({"study", file});
        shop.waitForStep(5);
        program->signal(SIGINT);
        EXPECT_EQ(program->wait().code, 130);
    }
    EXPECT_EQ(shop.run({"study", file, "--check"}).code, 10) << "nothing is shown yet";
    const Json verdict = shop.must({"study", file});
    const Json& row = verdict.at("rows").at(0);
    EXPECT_EQ(row.at("verdict"), "better");
    EXPECT_EQ(row.at("n"), 3);
    EXPECT_LT(row.at("interval").at(1), 0);
    EXPECT_EQ(verdict.at("next_seeds"), Json::array());
    EXPECT_EQ(shop.run({"study", file, "--check"}).code, 0);
    EXPECT_EQ(shop.run({"runs", "list"}).json().at("runs").size(), 6U) << "the first one went on, nothing was trained twice";
    EXPECT_THAT(shop.must({"study", file, "--next"}).at("runs"), SizeIs(0));

    writeStudy(shop, {{"claim", {{"verdict", "worse"}}}});
    EXPECT_EQ(shop.run({"study", file, "--check"}).code, 11) << "the opposite is shown";
    writeStudy(shop, {{"seeds", {1, 2, 3, 4}}});
    EXPECT_THAT(shop.must({"study", file, "--next"}).at("runs"), SizeIs(2)) << "one seed more of both";
}

TEST(StudyCommand, RefusesWhatCannotBeAnswered) {
    const Workshop shop;
    const Result unknown = shop.run({"study", writeStudy(shop, {{"baseline", "nobody"}})});
    EXPECT_EQ(unknown.code, 3);
    EXPECT_THAT(unknown.err, HasSubstr("the baseline \"nobody\" is no row of the study"));
    const Result noClaim = shop.run({"study", writeStudy(shop, {{"claim", nullptr}}), "--check"});
    EXPECT_EQ(noClaim.code, 3);
    EXPECT_THAT(noClaim.err, HasSubstr("claims nothing that could be checked"));
    EXPECT_EQ(shop.run({"study", (shop / "spec.json").string()}).code, 3) << "a spec is no study";
}

}  // namespace
}  // namespace heddle::integration
