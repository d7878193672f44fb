// SPDX-License-Identifier: GPL-3.0-or-later
// Studies that were asked beforehand: which runs answer them, what stands beside the verdict, which of them the page shows.
#include "app/study/asked_study.h"
#include "storage/run_query.h"
#include "tests/ui/compare/facts.h"
#include "tests/ui/support/bare_studio.h"
#include "tests/ui/support/offscreen.h"
#include "ui/data/study_comparer.h"
#include "ui/data/study_detail.h"

#include <gmock/gmock.h>
#include <QSignalSpy>

namespace heddle::ui::test {
namespace {

using testing::Each;

/// Puts a question into the database: is "wide" better than "base" with the seeds 1 to `seeds`? Returns its body.
std::string ask(Database& database, int seeds, const std::string& key = "width") {
    Json rows = Json::array(), all = Json::array();
    for (const auto& [name, d] : {std::pair("base", 64), std::pair("wide", 128)})
        rows.push_back({{"name", name}, {"spec", {{"schema", 1}, {"variant", {{"dims", {{"d", d}, {"heads", 4}}}}}}}});
    for (int seed = 1; seed <= seeds; ++seed) all.push_back(seed);
    app::AskedStudy asked;
    asked.study = {{"schema", "heddle.study/1"},
                   {"question", "Is wide better?"},
                   {"rows", rows},
                   {"metric", {{"split", "valid"}, {"name", "loss"}, {"value", "last"}}},
                   {"seeds", all}};
    asked.folder = database.folder();
    const std::string body = asked.toJson().dump();
    database.store().putItem(app::kStudyItem, key, body);
    return body;
}

/// A study and the runs of its database: seeds 1 to 3 of "base" (v1) and of "wide" (v2), whose loss is lower by about 0.5.
class AskedStudyTest : public ::testing::Test {
protected:
    void SetUp() override {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            add("a", "base", "v1", "completed", seed, 2 + 0.1 * double(seed));
            add("b", "wide", "v2", "completed", seed, 1.5 + 0.102 * double(seed), 128);
        }
    }
    /// With an accuracy beside its losses.
    void add(const char* letter, const char* name, const char* variant, const char* state, std::uint64_t seed, double loss,
             int d = 64) {
        const std::string id = letter + std::to_string(seed) + "0000000000";
        database_.add({id, name, variant, state, seed, loss, d});
        database_.store().add(storage::EvaluationRecord{id, 1, 300, 3, "valid", "accuracy", "acc", 1 - 0.1 * loss, 2604, 0.5});
    }
    void read(int seeds) {
        body_ = ask(database_, seeds);
        query_ = storage::RunQuery::open(database_.file());
        table_ = FactsReader().read(*query_, {1, {}}, 100).table;
    }
    StudyComparison answer() { return answerStudy(*table_, {1, "width", body_}, *query_, database_.file()); }
    VerdictDetail detail(const StudyComparison& comparison) {
        return detailOf(*table_, comparison, "v2", {"base", "wide"}, 1, *query_);
    }

    Database database_;
    std::string body_;
    std::unique_ptr<storage::RunQuery> query_;
    std::shared_ptr<const RunTable> table_;
};

TEST_F(AskedStudyTest, ARunThatCountsNamesTheGroupOfItsRow) {
    add("c", "wide", "v9", "failed", 4, 1.9, 128);
    read(4);
    const StudyComparison comparison = answer();
    EXPECT_EQ(comparison.group("v2")->values.size(), 3U);
    EXPECT_TRUE(comparison.group("v2")->verdict);
    EXPECT_FALSE(comparison.group("v9")->verdict) << "the study leaves its run out";
    EXPECT_EQ(comparison.group("v9")->whyNone, "not in the study");
}

TEST_F(AskedStudyTest, OtherMetricsAreThoseOfItsOwnRuns) {
    add("a", "base", "v1", "completed", 4, 9);
    add("b", "wide", "v2", "completed", 4, 3, 128);
    read(3);
    const StudyComparison comparison = answer();
    ASSERT_TRUE(comparison.group("v2")->verdict && comparison.group("v2")->verdict->isLookedAt);
    const VerdictDetail beside = detail(comparison);
    ASSERT_EQ(beside.also.size(), 1U);
    EXPECT_EQ(beside.also[0].metric, "valid.accuracy");
    EXPECT_EQ(beside.also[0].difference.n, 3U) << "seed 4 is none of the study's";
    EXPECT_EQ(beside.also[0].difference.test, SeedTest::Paired);
    EXPECT_NEAR(beside.also[0].difference.difference, 0.0496, 1e-12);
}

TEST_F(AskedStudyTest, NothingElseIsToldBeforeItsLook) {
    read(5);
    const StudyComparison comparison = answer();
    ASSERT_FALSE(comparison.group("v2")->verdict->isLookedAt);
    EXPECT_TRUE(detail(comparison).also.empty()) << "whoever looks earlier peeks";
}

TEST_F(AskedStudyTest, ARunOfTheBaselineThatIsLeftOutIsToldOf) {
    add("a", "base", "v1", "failed", 4, 9);
    read(3);
    StudyQuestion question;
    question.baseline = "v1";
    const StudyComparison comparison = compareGroups(*table_, question);
    ASSERT_TRUE(comparison.group("v2")->leftOut.empty());
    const auto& checks = detail(comparison).checks;
    const auto found = std::find_if(checks.begin(), checks.end(), [](const auto& check) { return check.about == "left out"; });
    ASSERT_NE(found, checks.end());
    EXPECT_EQ(found->state, app::FairnessCheck::State::Warning) << found->sentence;
}

/// Compares without a page.
class StudyComparerTest : public ::testing::Test {
protected:
    bool settles() {
        return waitUntil([&] { return comparer_.isIdle(); });
    }
    int open(Database& database) {
        const int number = bare_.studio.databases().open(QString::fromStdString(database.file()));
        EXPECT_TRUE(waitUntil([&] { return bare_.studio.databases().find(number)->isOpen(); }));
        return number;
    }

    BareStudio bare_;
    StudyComparer comparer_{bare_.studio, nullptr};
};

TEST_F(StudyComparerTest, WithTwoDatabasesTheStudyIsThatOfTheOneOpenedLast) {
    Database first, second;
    for (Database* database : {&first, &second}) {
        database->add({"a10000000000", "base"});
        ask(*database, 3);
    }
    const int one = open(first);
    ASSERT_TRUE(waitUntil([&] { return comparer_.study().has_value(); }));
    const int other = open(second);
    ASSERT_TRUE(waitUntil([&] { return comparer_.studies().size() == 2; }));
    EXPECT_EQ(comparer_.study()->database, other);
    ask(first, 4, "later");
    ASSERT_TRUE(waitUntil([&] { return comparer_.studies().size() == 3; }));
    EXPECT_EQ(comparer_.study()->database, other) << "the page does not change its question by itself";
    EXPECT_EQ(comparer_.studies().front().database, other);
    bare_.studio.databases().close(other);
    ASSERT_TRUE(waitUntil([&] { return comparer_.studies().size() == 2; }));
    ASSERT_TRUE(comparer_.study());
    EXPECT_EQ(comparer_.study()->database, one);
    EXPECT_EQ(comparer_.study()->key, "later") << "the newest";
    EXPECT_TRUE(settles());
}

TEST_F(StudyComparerTest, GroupsKeepTheBaselineOfTheStudyUnlessOneIsPinned) {
    Database database;
    database.add({"c00000000000", "oldest", "v0", "completed", 0, 3, 256});
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        database.add({"a" + std::to_string(seed) + "0000000000", "base", "v1", "completed", seed, 2 + 0.1 * double(seed)});
        database.add({"b" + std::to_string(seed) + "0000000000", "wide", "v2", "completed", seed, 1.5, 128});
    }
    ask(database, 3);
    const int number = open(database);
    ASSERT_TRUE(waitUntil([&] { return comparer_.study().has_value(); }));
    const auto query = storage::RunQuery::open(database.file());
    const auto table = FactsReader().read(*query, {number, {}}, 100).table;
    ASSERT_EQ(table->runs.front()->record.groupKey, "v0");
    comparer_.setTable(table);
    ASSERT_TRUE(settles());
    ASSERT_TRUE(comparer_.comparison()->isAsked);
    ASSERT_EQ(comparer_.comparison()->baseline, "v1");
    comparer_.choose({});
    ASSERT_TRUE(settles());
    EXPECT_FALSE(comparer_.comparison()->isAsked);
    EXPECT_EQ(comparer_.comparison()->baseline, "v1") << "not the oldest group";
    bare_.studio.colours().setBaseline("v2");
    ASSERT_TRUE(settles());
    EXPECT_EQ(comparer_.comparison()->baseline, "v2");
}

TEST_F(StudyComparerTest, WhoChoseTheCorrectionKeepsTheGroupsOfThePage) {
    Database database;
    database.add({"a10000000000", "base"});
    ask(database, 3);
    comparer_.setHolm(comparer_.holm());
    open(database);
    ASSERT_TRUE(waitUntil([&] { return comparer_.studies().size() == 1; }));
    EXPECT_FALSE(comparer_.study());
    EXPECT_TRUE(settles());
}

TEST_F(StudyComparerTest, RunsInProgressThatGrowAreNotComparedAnew) {
    auto table = std::make_shared<RunTable>(smallTable());
    ASSERT_EQ(table->runs[2]->record.state, "running");
    comparer_.setTable(table);
    ASSERT_TRUE(settles());
    const auto before = comparer_.comparison();
    auto grown = std::make_shared<RunTable>(*table);
    change(grown->runs[2], [](RunFacts& facts) {
        facts.record.step = 301;
        facts.evaluations["valid.loss"].push_back({301, 1.0});
    });
    comparer_.setTable(grown);
    EXPECT_TRUE(comparer_.isIdle()) << "no value of it counts";
    EXPECT_EQ(comparer_.table(), grown);
    auto ended = std::make_shared<RunTable>(*grown);
    change(ended->runs[2], [](RunFacts& facts) { facts.record.state = "completed"; });
    comparer_.setTable(ended);
    EXPECT_FALSE(comparer_.isIdle());
    ASSERT_TRUE(settles());
    EXPECT_NE(comparer_.comparison(), before);
    EXPECT_EQ(comparer_.comparison()->group("v1")->values.size(), 3U);
}

TEST_F(StudyComparerTest, AnAnswerToTheQuestionBeforeIsNotShown) {
    std::vector<std::int64_t> steps;
    QObject::connect(&comparer_, &StudyComparer::changed, &comparer_,
                     [&] { steps.push_back(comparer_.comparison()->question.metric.rule.number); });
    comparer_.setTable(std::make_shared<RunTable>(smallTable()));
    comparer_.setMetric({"valid", "loss", ValueRule::parse("step 100", ""), true});
    ASSERT_TRUE(waitUntil([&] { return !steps.empty() && comparer_.isIdle(); }));
    EXPECT_THAT(steps, Each(100));
}

}  // namespace
}  // namespace heddle::ui::test
