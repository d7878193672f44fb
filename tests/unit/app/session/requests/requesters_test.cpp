// SPDX-License-Identifier: Apache-2.0
// Eight requesters and two readers against one owner that records: every change that was acknowledged is there afterwards.
// Meant for ThreadSanitizer (packaging/test.sh --tsan) as much as for its checks.
#include "app/session/requests/ask_owner.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace heddle::app {
namespace {

using testing::Contains;

constexpr int kRequesters = 8, kRounds = 3;

class RequestersTest : public testing::Test, protected SessionFixture {
protected:
    /// The changes that were acknowledged to one requester.
    struct Acknowledged {
        std::set<std::string> tags, notes;
        std::string name;
        bool isTrashed = false;
        int answers = 0, withdrawn = 0;
    };
    /// The run that only this requester renames, trashes and restores, and one that all tag and annotate.
    struct Runs {
        std::string own, shared, training;
    };

    void put(const Request& request) const { askOwner(file_, {request}, 60); }
    void round(const Runs& runs, const std::string& mark, Acknowledged& done) const {
        put(TagRun{runs.shared, {mark}, {}});
        done.tags.insert(mark);
        put(AnnotateRun{runs.shared, mark});
        done.notes.insert(mark);
        put(RenameRun{runs.own, mark});
        done.name = mark;
        put(done.isTrashed ? Request(RestoreRun{runs.own}) : Request(TrashRun{runs.own}));
        done.isTrashed = !done.isTrashed;
        put(TagRun{runs.shared, {mark + "x"}, {mark}});
        done.tags.erase(mark);
        done.tags.insert(mark + "x");
        try {
            put(MoveRun{runs.own, 1});  // refused: it does not wait in the queue
            ADD_FAILURE() << "moved a run that does not wait";
        } catch (const Error&) {}
        const auto answer = askOwner(file_, {AskRun{runs.training, {{"ask", "step"}}}}, 60);
        done.answers += parseJson(answer, "answer").contains("step") ? 1 : 0;
        const auto id = putRequest(file_, {TagRun{runs.shared, {mark + "w"}, {}}});
        if (storage::withdrawRequest(file_, id))
            ++done.withdrawn;
        else
            done.tags.insert(mark + "w");
    }
};

TEST_F(RequestersTest, EveryAcknowledgedChangeIsThere) {
    engine_->stepMilliseconds = 1;
    const auto session = open();
    std::vector<std::string> runs;
    const auto finished = [&](const std::string& name) {
        const auto run = session->submit(smallSpec(name, 1));
        EXPECT_TRUE(ends(*session, run));
        return run;
    };
    for (int i = 0; i <= kRequesters; ++i) runs.push_back(finished("run " + std::to_string(i)));
    const std::string shared = runs.back(), training = session->submit(smallSpec("training", 10'000'000));
    ASSERT_TRUE(reaches(training, "running"));

    std::array<Acknowledged, kRequesters> done;
    std::atomic<bool> stop = false;
    std::vector<std::jthread> readers, requesters;
    for (int i = 0; i < 2; ++i)
        readers.emplace_back([&] {
            const auto view = query();
            while (!stop) {
                const auto all = view->runs();
                EXPECT_EQ(all.size(), std::size_t{kRequesters + 2});
                view->points(training, "loss", "", 0, 1000);
                EXPECT_FALSE(session->recorderProblem().size() > 0) << session->recorderProblem();
                EXPECT_TRUE(session->heldRuns().empty());
            }
        });
    for (int i = 0; i < kRequesters; ++i)
        requesters.emplace_back([&, i, own = runs[static_cast<std::size_t>(i)]] {
            try {
                for (int r = 0; r < kRounds; ++r)
                    round({own, shared, training}, "r" + std::to_string(i) + "-" + std::to_string(r), done.at(i));
            } catch (const std::exception& error) {
                ADD_FAILURE() << error.what();
            }
        });
    requesters.clear();  // joins
    stop = true;
    readers.clear();

    session->pollInbox();  // what was neither withdrawn nor answered yet
    session->command(training, RunVerb::Stop, "user");
    ASSERT_TRUE(reaches(training, "stopped"));
    const auto row = query()->run(shared).value();
    std::set<std::string> wanted, notes;
    for (const auto& one : done) wanted.insert(one.tags.begin(), one.tags.end());
    EXPECT_EQ(std::set<std::string>(row.tags.begin(), row.tags.end()), wanted);
    for (const auto& event : query()->events(shared))
        if (event.kind == "note") notes.insert(event.text);
    for (std::size_t i = 0; i < done.size(); ++i) {
        EXPECT_EQ(query()->run(runs[i])->name, done[i].name);
        EXPECT_EQ(query()->run(runs[i])->trashed > 0, done[i].isTrashed);
        EXPECT_EQ(done[i].answers, kRounds);
        for (const auto& note : done[i].notes) EXPECT_THAT(notes, Contains(note));
    }
    const auto points = query()->points(training, "loss", "", 0, 10'000'000);
    ASSERT_EQ(static_cast<std::int64_t>(points.size()), query()->run(training)->step) << "recording went on meanwhile";
}

}  // namespace
}  // namespace heddle::app
