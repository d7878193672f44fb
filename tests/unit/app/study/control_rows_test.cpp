// SPDX-License-Identifier: Apache-2.0
#include "app/study/control_rows.h"

#include "tests/unit/app/session/session_fixture.h"

#include <gtest/gtest.h>

namespace heddle::app {
namespace {

class ControlRowsTest : public testing::Test, protected SessionFixture {
protected:
    std::optional<AssumedVocabulary> foundBy(const Json& context) {
        storage::RunRecord run = killedRecord("0123456789ab");
        storage::AttemptRecord attempt;
        attempt.run = run.id;
        attempt.context = context.dump();
        const std::string file = folder_ / (std::to_string(++count_) + ".heddle");
        {
            const auto store = storage::RunStore::open(file, {"test", 0});
            store->addRun(run);
            store->addAttempt(attempt);
        }
        return sizesFoundBy(*storage::RunQuery::open(file), run.id);
    }
    /// The control of a variant, with sizes that nobody knows yet.
    static ControlSize sized(const Json& base, const Json& variant, bool isKnown = false) {
        const Json document{
            {"schema", "heddle.study/1"},
            {"rows",
             {{{"name", "base"}, {"spec", {{"variant", base}}}}, {{"name", "gated"}, {"spec", {{"variant", variant}}}}}},
            {"controls", {{{"of", "gated"}}}},
            {"baseline", "base"},
            {"seeds", {1, 2}}};
        Study study = Study::parse(document, "study.json");
        return sizeControls(study, {0, 0, 10}, isKnown, "study.json").at(0);
    }

private:
    int count_ = 0;
};

TEST_F(ControlRowsTest, SizesAreKnownOnceARunHasReadItsData) {
    EXPECT_EQ(foundBy({{"vocab_source", 50}, {"vocab_target", 60}}), (AssumedVocabulary{50, 60, 0}));
    EXPECT_EQ(foundBy({{"vocab_source", 50}, {"vocab_target", 0}, {"classes", 3}}), (AssumedVocabulary{50, 50, 3}));
    EXPECT_EQ(foundBy({{"vocab_source", 0}, {"vocab_target", 0}, {"classes", 10}}), (AssumedVocabulary{0, 0, 10}))
        << "images have no vocabulary";
    EXPECT_EQ(foundBy(Json::object()), std::nullopt) << "it has not read them";
}

TEST_F(ControlRowsTest, TheControlOfAModelOfImagesWaitsForTheBaselineAlone) {
    const Json base{{"preset", "vit-tiny"}}, gated{{"preset", "vit-tiny+grc"}};
    EXPECT_TRUE(sized(base, gated).isAssumed);
    EXPECT_FALSE(sized(base, gated, true).isAssumed);
}

TEST_F(ControlRowsTest, ClassesThatOnlyTheDataTellAreAssumed) {
    const auto variant = [](const char* preset, Json dims) {
        dims["vocab_src"] = 50;
        return Json{{"preset", preset}, {"dims", std::move(dims)}, {"head", {{"kind", "classify"}}}};
    };
    EXPECT_TRUE(sized(variant("bert-base", {}), variant("bert-base+grc", {})).isAssumed);
    const Json two{{"classes", 2}};
    EXPECT_FALSE(sized(variant("bert-base", two), variant("bert-base+grc", two)).isAssumed);
}

}  // namespace
}  // namespace heddle::app
