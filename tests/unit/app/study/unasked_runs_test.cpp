// SPDX-License-Identifier: Apache-2.0
// What a study says of runs that it does not ask for, and of other studies of the same rows.
#include "app/study/unasked_runs.h"

#include "app/study/asked_study.h"
#include "app/study/study_runs.h"
#include "app/study/study_told.h"
#include "tests/unit/app/study/recorded_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heddle::app {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class UnaskedRunsTest : public testing::Test, protected RecordedRuns {
protected:
    static RunSpec specOf(const std::string& row, std::uint64_t seed) {
        RunSpec spec = seeded(smallSpec(row, 40), seed);
        spec.train.lr = row == "base" ? 0.001 : 0.01;
        return spec;
    }
    std::string run(const std::string& row, std::uint64_t seed, const std::string& group = "") {
        return record(specOf(row, seed), {"completed", {}, row, group, 1 + 0.1 * double(seed)});
    }
    /// Of the runs `ids` of the row gated beside the group of the baseline.
    static Json studyOf(const std::vector<std::string>& ids, const std::string& metric = "loss") {
        return {{"schema", "heddle.study/1"},
                {"rows", {{{"name", "base"}, {"runs", {{"group", "base"}}}}, {{"name", "gated"}, {"runs", {{"ids", ids}}}}}},
                {"baseline", "base"},
                {"metric", {{"split", "valid"}, {"name", metric}}}};
    }
    StudyVerdict verdictOf(const Json& study) const {
        StudyRuns runs(Study::parse(study, "study.json"), folder_ / "study.json", "");
        runs.refresh(*query(), file_);
        return runs.toldVerdict(*query());
    }
    static std::string words(const Json& study, const StudyVerdict& verdict) {
        return fmt::format("{}", fmt::join(toldWords(Study::parse(study, "study.json"), verdict), "\n"));
    }
    void trash(const std::string& id) const {
        storage::RunRecord run = *query()->run(id);
        run.trashed = 1000;
        storage::RunStore::open(file_, {"test", 0})->updateRun(run);
    }
    std::vector<std::string> gated_;
};

TEST_F(UnaskedRunsTest, SeedsThatAreNotNamedAreTold) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        run("base", seed, "base");
        gated_.push_back(run("gated", seed, "gated"));
    }
    const Json chosen = studyOf({gated_[0], gated_[2]});
    const StudyVerdict verdict = verdictOf(chosen);
    EXPECT_THAT(verdict.unasked, ElementsAre(UnaskedRuns{"gated", {2, 4}, 0}));
    EXPECT_THAT(words(chosen, verdict),
                HasSubstr("gated: the database has completed runs of the same experiment that the study "
                          "does not ask for, seeds 2, 4."));
    EXPECT_THAT(verdictOf(studyOf(gated_)).unasked, IsEmpty());
}

TEST_F(UnaskedRunsTest, TheTrashIsLookedThroughAndTrialsAreNot) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        run("base", seed, "base");
        gated_.push_back(run("gated", seed, "gated"));
    }
    run("gated", 1001, "study/other/trials");
    record(specOf("gated", 7), {"failed", {}, "gated", "gated"});
    run("gated", 1, "again");  // a seed that counts
    trash(gated_[2]);
    const Json chosen = studyOf({gated_[0], gated_[1]});
    EXPECT_THAT(verdictOf(chosen).unasked, ElementsAre(UnaskedRuns{"gated", {3}, 1}));
    EXPECT_THAT(words(chosen, verdictOf(chosen)), HasSubstr("seed 3 (1 in the trash)."));
}

TEST_F(UnaskedRunsTest, OtherValuesOfTheSameRowsAreTold) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        run("base", seed, "base");
        gated_.push_back(run("gated", seed, "gated"));
    }
    const auto ask = [&](const std::string& key, const Json& study) {
        const AskedStudy asked{Study::parse(study, key).toJson(), "/studies", 1, 6, {}};
        storage::RunStore::open(file_, {"test", 0})->putItem(kStudyItem, key, asked.toJson().dump());
    };
    ask("one", studyOf(gated_, "accuracy"));
    ask("two", studyOf(gated_, "bleu"));
    ask("three", studyOf(gated_, "bleu"));
    ask("same", studyOf(gated_));
    ask("other", studyOf({gated_[0]}, "f1"));
    const Json study = studyOf(gated_);
    const StudyVerdict verdict = verdictOf(study);
    EXPECT_THAT(verdict.otherValues, testing::UnorderedElementsAre("valid accuracy, last", "valid bleu, last"));
    EXPECT_THAT(words(study, verdict), AllOf(HasSubstr("Of 3 answers one may be shown by chance"),
                                             HasSubstr("compare its p with 0.0167"), Not(HasSubstr("f1"))));
}

}  // namespace
}  // namespace heddle::app
