// SPDX-License-Identifier: Apache-2.0
// Which runs of a database count in a study, and why others do not.
#include "app/study/study_runs.h"

#include "tests/unit/app/study/recorded_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StudyRunsTest : public testing::Test, protected RecordedRuns {
protected:
    static RunSpec specOf(double lr = 0.001) {
        RunSpec spec = smallSpec("run", 40);
        spec.train.lr = lr;
        return spec;
    }
    std::vector<std::string> seedsOf(double lr, std::initializer_list<std::uint64_t> seeds, const std::string& group = "") {
        std::vector<std::string> ids;
        for (const std::uint64_t seed : seeds)
            ids.push_back(record(seeded(specOf(lr), seed), {"completed", {}, fmt::format("hash {}", lr), group, double(seed)}));
        return ids;
    }
    static Json picked(const char* name, const Json& runs) { return {{"name", name}, {"runs", runs}}; }
    static Json trained(const char* name, double lr) {
        return {{"name", name}, {"spec", smallSpec("", 40).toJson()}, {"set", {fmt::format("train.lr={}", lr)}}};
    }
    StudyRuns refreshed(const Json& rows, const Json& changes = Json::object()) {
        Json study{{"schema", "heddle.study/1"}, {"rows", rows}, {"baseline", rows.at(0).at("name")}};
        study.merge_patch(changes);
        StudyRuns runs(Study::parse(study, "study.json"), folder_ / "study.json", "");
        runs.refresh(*query(), file_);
        return runs;
    }
    static std::vector<std::string> whyLeftOut(const StudyRuns& runs, const std::string& row) {
        std::vector<std::string> all;
        for (const LeftOutRun& one : runs.values().at(row).leftOut) all.push_back(one.why);
        return all;
    }
    static constexpr const char* kSource = "/nowhere/a";
};

TEST_F(StudyRunsTest, ARunThatIsLeftOutOfOneRowCountsInAnother) {
    const auto base = seedsOf(0.001, {1, 2, 3}), mixed = seedsOf(0.01, {1, 2, 3}), other = seedsOf(0.1, {4, 5});
    Json ids = mixed;
    ids.push_back(other[0]);
    const StudyRuns runs =
        refreshed({picked("base", {{"ids", base}}), picked("mixed", {{"ids", ids}}), picked("other", {{"ids", other}})});
    EXPECT_THAT(whyLeftOut(runs, "mixed"), ElementsAre("has other settings than most runs of this row"));
    EXPECT_THAT(runs.values().at("mixed").values, SizeIs(3));
    EXPECT_THAT(runs.values().at("other").values, SizeIs(2));
    EXPECT_THAT(whyLeftOut(runs, "other"), IsEmpty());
}

TEST_F(StudyRunsTest, ARunCountsInOneRow) {
    seedsOf(0.001, {1, 2, 3}, "both");
    const StudyRuns runs = refreshed({picked("base", {{"group", "both"}}), picked("twin", {{"group", "both"}})});
    EXPECT_THAT(runs.values().at("base").values, SizeIs(3));
    EXPECT_THAT(runs.values().at("twin").values, IsEmpty()) << "a run is not compared with itself";
    EXPECT_THAT(whyLeftOut(runs, "twin"), testing::Each("counts in the row \"base\" already"));
    EXPECT_THAT(whyLeftOut(runs, "twin"), SizeIs(3));

    const StudyRuns beside =
        refreshed({trained("base", 0.001), picked("twin", {{"group", "both"}})}, {{"seeds", {1, 2, 3}}, {"test", "paired"}});
    EXPECT_THAT(beside.values().at("base").values, SizeIs(3));
    EXPECT_THAT(beside.values().at("twin").values, IsEmpty()) << "the study trains them as well";
}

TEST_F(StudyRunsTest, DataThatChangedAtTheSamePathAreOtherData) {
    const auto add = [&](double lr, std::uint64_t seed, const std::vector<std::string>& hashes) {
        record(seeded(specOf(lr), seed), {"completed", hashes, "", "", double(seed)});
    };
    add(0.001, 1, {"a1", "b1"});
    add(0.001, 2, {"a1", "b2"});
    add(0.01, 1, {"a1", "b1"});
    add(0.1, 1, {"a2", "b1"});
    add(0.1, 2, {"a2", "b1"});
    const StudyRuns runs =
        refreshed({trained("base", 0.001), trained("same", 0.01), trained("changed", 0.1)}, {{"seeds", {1, 2}}});
    EXPECT_THAT(whyLeftOut(runs, "base"), ElementsAre("was trained on other data than the row's first run"));
    EXPECT_THAT(runs.values().at("same").values, SizeIs(1));
    EXPECT_THAT(runs.values().at("changed").values, IsEmpty());
    EXPECT_THAT(whyLeftOut(runs, "changed"),
                testing::Each(std::string("read other contents of ") + kSource + " than an earlier run"));
}

TEST_F(StudyRunsTest, DataThatWereNotRecordedAreNotOtherData) {
    const auto add = [&](double lr, std::uint64_t seed, const std::vector<std::string>& hashes) {
        record(seeded(specOf(lr), seed), {"completed", hashes, "", "", double(seed)});
    };
    add(0.001, 1, {});
    add(0.001, 2, {"a1", "b1"});
    add(0.001, 3, {"a2", "b1"});
    add(0.01, 1, {"a1", "b1"});
    add(0.01, 2, {});
    const StudyRuns runs = refreshed({trained("base", 0.001), trained("other", 0.01)}, {{"seeds", {1, 2, 3}}});
    EXPECT_THAT(runs.values().at("base").values, ElementsAre(testing::Pair(1, 1), testing::Pair(2, 2)));
    EXPECT_THAT(whyLeftOut(runs, "base"), ElementsAre("was trained on other data than the row's first run"))
        << "of those that are known";
    EXPECT_THAT(runs.values().at("other").values, SizeIs(2));
}

TEST_F(StudyRunsTest, AnAverageOfMoreCheckpointsThanARunKeepsIsRefusedBeforeItIsTrained) {
    const auto why = [&](const char* rule, const char* set) {
        return whyRefused([&] {
            Json base = trained("base", 0.001), other = trained("other", 0.01);
            for (Json* row : {&base, &other}) row->at("set").push_back(set);
            const Json study{{"schema", "heddle.study/1"},
                             {"rows", {base, other}},
                             {"baseline", "base"},
                             {"metric", {{"value", rule}}},
                             {"seeds", {1, 2}}};
            StudyRuns(Study::parse(study, "study.json"), folder_ / "study.json", "");
        });
    };
    EXPECT_THAT(
        why("average of last 5", "train.keep_last=2"),
        AllOf(HasSubstr("the average of its last 5 checkpoints, but it keeps at most 3"), HasSubstr("set train.keep_last=5")));
    EXPECT_EQ(why("average of last 5", "train.keep_last=4"), "not refused") << "and the last one";
    EXPECT_EQ(why("mean of last 5", "train.keep_last=2"), "not refused") << "of values";
}

}  // namespace
}  // namespace heddle::app
