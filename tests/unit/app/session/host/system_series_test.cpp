// SPDX-License-Identifier: Apache-2.0
// What a session records of the machine, and where it was started.
#include "engine/run/system_series.h"
#include "engine/run/attempt_facts.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

namespace heddle::app {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SystemSeriesTest : public testing::Test, protected SessionFixture {
protected:
    static RunSpec specWith(double systemEvery, std::int64_t steps) {
        RunSpec spec = smallSpec("base", steps);
        spec.record.systemEvery = systemEvery;
        return spec;
    }
    std::vector<storage::RunQuery::Point> points(const std::string& run, const SystemSeries& series) const {
        return query()->points(run, std::string(series.name), "", 0, std::numeric_limits<std::int64_t>::max());
    }
    std::string completed(double systemEvery, std::int64_t steps) {
        const auto session = open();
        const auto run = session->submit(specWith(systemEvery, steps));
        EXPECT_TRUE(ends(*session, run));
        EXPECT_EQ(session->ended(run)->state, RunState::Completed);
        return run;
    }
};

TEST_F(SystemSeriesTest, ARunHasThemBesideItsOwnSeries) {
    engine_->stepMilliseconds = 2;
    const auto run = completed(0.01, 60);
    const auto cpu = points(run, kCpuUse), memory = points(run, kResidentMemory);
    ASSERT_GT(cpu.size(), 2U);
    EXPECT_EQ(cpu.size(), memory.size());
    EXPECT_EQ(cpu.back().step, 60) << "the end of the attempt";
    for (const auto& point : memory) EXPECT_GT(point.value, 1);
    for (const auto& series : query()->series(run))
        EXPECT_EQ(series.deterministic, series.name == "loss") << series.name << " is no part of what a resume repeats";
    EXPECT_THAT(texts(run, "warning"), IsEmpty());

    const Json document = runOn(file_, {"runs", "show", run, "--json"}).json();
    const Json& system = document.at("system");
    ASSERT_EQ(system.size(), 2U);
    EXPECT_EQ(system.at(1).at("name"), "resident_memory");
    EXPECT_EQ(system.at(1).at("unit"), "MiB");
    EXPECT_GE(system.at(1).at("maximum"), system.at(1).at("mean"));
    EXPECT_EQ(system.at(0).at("n"), cpu.size());
    EXPECT_THAT(runOn(file_, {"runs", "show", run}).out, HasSubstr("highest"));
}

TEST_F(SystemSeriesTest, AShortRunHasOneValueAndOneThatWantsNoneHasNone) {
    const auto brief = completed(3600, 5), none = completed(0, 5);
    ASSERT_EQ(points(brief, kCpuUse).size(), 1U);
    EXPECT_EQ(points(brief, kCpuUse).front().step, 5);
    EXPECT_THAT(points(none, kCpuUse), IsEmpty());
    EXPECT_THAT(runOn(file_, {"runs", "show", none}).out, Not(HasSubstr("highest")));
    EXPECT_EQ(query()->run(brief)->runHash, query()->run(none)->runHash) << "the same runs";
}

TEST_F(SystemSeriesTest, AResumedRunIsVerifiedAsBefore) {
    {
        auto store = storage::RunStore::open(file_, {"killed", 0});
        storage::RunRecord record = killedRecord("0123456789ab");
        store->addRun(record);
        storage::AttemptRecord attempt;
        attempt.run = record.id;
        store->addAttempt(attempt);
        for (const char* name : {"loss", "cpu_use"}) {
            storage::SeriesAppend rows{record.id, 1, name, "", 1, 1, {}, std::string(name) == "loss"};
            for (int step = 1; step <= 12; ++step) rows.values.push_back(10.0F / static_cast<float>(step + 1));
            store->append(rows);
        }
    }
    const auto session = open();
    session->resume("0123456789ab");
    ASSERT_TRUE(ends(*session, "0123456789ab"));
    EXPECT_EQ(query()->attempts("0123456789ab").at(1).replay, "equal") << "use of the CPU differs, and is not compared";
}

TEST_F(SystemSeriesTest, AnAttemptKnowsWhereItWasStarted) {
    const auto run = completed(0, 5);
    const Surroundings from = attemptFacts(query()->attempts(run).at(0).context).surroundings;
    ASSERT_FALSE(from.command.empty());
    EXPECT_THAT(from.command.front(), HasSubstr("session_test"));
    EXPECT_EQ(from.folder, std::filesystem::current_path().string());
    EXPECT_THAT(runOn(file_, {"runs", "show", run}).out, HasSubstr("in " + from.folder));
}

TEST_F(SystemSeriesTest, NotesAreAddedChangedAndRemoved) {
    const auto run = completed(0, 5);
    const auto note = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"runs", "note", run});
        return runOn(file_, std::move(arguments));
    };
    EXPECT_EQ(note({}).out, "");
    EXPECT_THAT(note({"warm-up", "too short?"}).out, HasSubstr("  warm-up too short?\n"));
    EXPECT_THAT(note({"use seed 2"}).out, HasSubstr("  2  "));
    EXPECT_THAT(note({"--edit", "1", "warm-up was too short"}).out, HasSubstr("  1  "));
    const Json notes = note({"--json"}).json().at("notes");
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes.at(0).at("text"), "warm-up was too short");
    EXPECT_EQ(notes.at(1).at("text"), "use seed 2");
    EXPECT_LT(notes.at(0).at("at"), notes.at(1).at("at")) << "a change leaves it in its place";
    EXPECT_EQ(texts(run, "note").size(), 3U) << "what was written stays among the events";
    EXPECT_THAT(note({"--remove", "1"}).out, HasSubstr("  1  "));
    const std::string shown = runOn(file_, {"runs", "show", run}).out;
    EXPECT_THAT(shown, HasSubstr("use seed 2"));
    EXPECT_THAT(shown, Not(HasSubstr("warm-up")));

    EXPECT_EQ(note({"--remove", "2"}).code, 2);
    EXPECT_THAT(note({"--remove", "2"}).err, HasSubstr("the run has 1 note"));
    EXPECT_EQ(note({"--edit", "1"}).code, 2);
    EXPECT_EQ(note({"--edit", "1", "--remove", "1"}).code, 2);
}

}  // namespace
}  // namespace heddle::app
