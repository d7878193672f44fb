// SPDX-License-Identifier: Apache-2.0
// An edit says what changes and when it was made. No acknowledged edit is lost, and a late edit undoes nothing newer.
#include "app/session/requests/ask_owner.h"

#include "app/session/requests/edits.h"
#include "tests/unit/app/command.h"
#include "tests/unit/app/session/session_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::app {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr const char* kRun = "0123456789ab";

class EditsTest : public testing::Test, protected SessionFixture {
protected:
    EditsTest() {
        const auto store = storage::RunStore::open(file_, {"test", 0});
        storage::RunRecord run;
        run.id = kRun;
        run.name = "base";
        run.state = "completed";
        run.spec = "{}";
        store->begin();
        store->addRun(run);
        store->commit(storage::RunStore::Durability::Full);
    }
    storage::RunRecord row() const { return query()->run(kRun).value(); }
    static std::string tagBody(const std::vector<std::string>& add, const std::vector<std::string>& remove = {}) {
        return Json{{"add", add}, {"remove", remove}}.dump();
    }
    /// Runs `count` processes at once; returns how many of them failed.
    static int failures(int count, const std::function<void(int)>& action) {
        for (int process = 0; process < count; ++process)
            if (::fork() == 0) {
                try {
                    action(process);
                } catch (const std::exception& error) {
                    std::fprintf(stderr, "process %d: %s\n", process, error.what());
                    ::_exit(1);
                }
                ::_exit(0);
            }
        int failed = 0, status = 0;
        for (int process = 0; process < count; ++process)
            if (::wait(&status) > 0 && status != 0) ++failed;
        return failed;
    }
    static std::vector<std::string> numbered(int count) {
        std::vector<std::string> tags;
        for (int i = 0; i < count; ++i) tags.push_back("t" + std::to_string(i));
        return tags;
    }
};

// Earlier, the error was "the run is running: stop it", although the process that trained it was dead.
TEST_F(EditsTest, ARunOfADeadOwnerIsInterruptedAndCanBeTrashed) {
    auto run = row();
    run.state = "running";
    storage::RunStore::open(file_, {"test", 0})->updateRun(run);
    edit(file_, TrashRun{kRun});
    EXPECT_EQ(row().state, "interrupted");
    EXPECT_GT(row().trashed, 0);
}

TEST_F(EditsTest, TagsOfEightProcessesAreAllKeptWithoutAnOwner) {
    EXPECT_EQ(failures(8,
                       [&](int process) {
                           const std::string tag = "t" + std::to_string(process);
                           const auto result = runOn(file_, {"runs", "tag", kRun, tag});
                           if (result.code != 0) throw std::runtime_error(result.err);
                       }),
              0);
    EXPECT_THAT(row().tags, testing::UnorderedElementsAreArray(numbered(8)));
}

TEST_F(EditsTest, TagsOfManyAreAllKeptWhileOwnersComeAndGo) {
    std::atomic<bool> stop = false;
    EXPECT_EQ(failures(9,
                       [&](int process) {
                           if (process == 8) {  // it owns the database again and again, and may read its inbox
                               for (int i = 0; i < 20; ++i) {
                                   try {
                                       auto options = sessionOptions("passing owner");
                                       options.lockTimeout = 5;
                                       RunSession session(options);
                                       if (i % 2 == 0) session.pollInbox();
                                   } catch (const storage::StorageError& error) {
                                       if (error.kind() != storage::StorageError::Kind::Locked) throw;
                                   }
                               }
                               return;
                           }
                           for (int i = 0; i < 5; ++i) edit(file_, TagRun{kRun, {"t" + std::to_string(process * 5 + i)}, {}});
                       }),
              0);
    EXPECT_THAT(row().tags, testing::UnorderedElementsAreArray(numbered(40)));
}

TEST_F(EditsTest, AnEditIsCarriedOutWhenItsOwnerEndsWithoutReadingIt) {
    auto deaf = storage::RunStore::open(file_, {"deaf owner", 0});
    std::jthread ends([&] {
        EXPECT_TRUE(eventually([&] { return std::filesystem::exists(file_ + ".inbox"); }));
        deaf.reset();
    });
    EXPECT_EQ(edit(file_, RenameRun{kRun, "other"}), "");
    EXPECT_EQ(row().name, "other");
}

TEST_F(EditsTest, AResumeThatComesWhileTheOwnerEndsIsCarriedOutByTheNext) {
    engine_->stepMilliseconds = 2;
    auto session = open();
    const auto run = session->submit(smallSpec("base", 100000));
    ASSERT_TRUE(reaches(run, "running"));
    session->command(run, RunVerb::Stop, "user");
    ASSERT_TRUE(ends(*session, run));
    session->stopAll("closing");
    std::jthread asks([&] { EXPECT_EQ(askOwner(file_, {ResumeRun{run}}, 60), ""); });
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(file_ + ".inbox"); }));
    session->pollInbox();
    session.reset();
    session = open();
    asks.join();
    EXPECT_TRUE(eventually([&] { return engine_->trained == 2; }));
}

TEST_F(EditsTest, ARequestThatNobodyTakesIsWithdrawn) {
    const auto deaf = storage::RunStore::open(file_, {"deaf owner", 0});
    EXPECT_THAT(whyRefused([&] {
                    askOwner(file_, {RenameRun{kRun, "late"}}, 0.2);
                }),
                testing::AllOf(HasSubstr("deaf owner"), HasSubstr("was withdrawn")));
    EXPECT_THAT(deaf->takeRequests(), IsEmpty()) << "nobody carries it out later";
}

TEST_F(EditsTest, ARequestThatIsTakenIsSaidToBe) {
    const auto slow = storage::RunStore::open(file_, {"slow owner", 0});
    std::jthread takes([&] { EXPECT_TRUE(eventually([&] { return !slow->takeRequests().empty(); })); });
    EXPECT_THAT(whyRefused([&] { askOwner(file_, {RenameRun{kRun, "late"}}, 1); }), HasSubstr("has taken the request"));
}

TEST_F(EditsTest, ALateEditUndoesNothingNewer) {
    const auto session = open();
    const double before = storage::unixTime();
    session->edit(RenameRun{kRun, "newer"});
    session->edit(TagRun{kRun, {"paper"}, {"draft"}});
    session->edit(TrashRun{kRun});
    session->edit(RestoreRun{kRun});
    session->edit(PutItem{"pin", "baseline", {{"variant", "newer"}}});
    session->edit(PutItem{"pin", "gone", 1});
    session->edit(RemoveItem{"pin", "gone"});
    const auto late = [&](const std::string& verb, const std::string& run, const std::string& body) {
        return answerTo({0, verb, run, body, before});
    };
    EXPECT_THAT(late("rename", kRun, R"({"name":"older"})"), HasSubstr("superseded: the name"));
    EXPECT_THAT(late("tag", kRun, tagBody({"draft", "also"}, {"paper"})),
                HasSubstr("superseded: changed again later: paper, draft"));
    EXPECT_THAT(late("trash", kRun, ""), HasSubstr("superseded"));
    EXPECT_THAT(late("delete", kRun, ""), HasSubstr("superseded: the run was restored"));
    EXPECT_THAT(late("put_item", "", R"({"kind":"pin","key":"baseline","body":1})"), HasSubstr("superseded: the item"));
    EXPECT_THAT(late("put_item", "", R"({"kind":"pin","key":"gone","body":1})"), HasSubstr("superseded: the item"));
    EXPECT_EQ(row().name, "newer");
    EXPECT_THAT(row().tags, UnorderedElementsAre("paper", "also")) << "what nobody changed since is carried out";
    EXPECT_EQ(row().trashed, 0);
    ASSERT_EQ(query()->items("pin").size(), 1U);
    EXPECT_THAT(query()->items("pin")[0].body, HasSubstr("newer"));
    session->edit(RenameRun{kRun, "newest"});
    EXPECT_EQ(row().name, "newest");
}

TEST_F(EditsTest, AClockThatRunsAheadLocksNobodyOut) {
    const auto session = open();
    EXPECT_EQ(answerTo({0, "rename", kRun, R"({"name":"ahead"})", storage::unixTime() + 60}), "");
    session->edit(RenameRun{kRun, "now"});
    EXPECT_EQ(row().name, "now");
}

TEST_F(EditsTest, WhatIsNoIdOfARunBecomesNoPath) {
    std::filesystem::create_directories(folder_ / "victim");
    const auto session = open();
    for (const std::string id : {"../victim", "../../victim", "0123456789AB", "0123456789a", ""}) {
        EXPECT_THAT(whyRefused([&] { answerTo({0, "delete", id, ""}); }), Not("not refused")) << id;
        removeFolderOfDeleted(DeleteRun{id}, file_);
    }
    EXPECT_TRUE(std::filesystem::exists(folder_ / "victim"));
}

TEST_F(EditsTest, WhoOnlyEditsLeavesOtherRequestsToAnOwnerThatTrains) {
    const auto training = storage::putRequest(file_, {0, "enqueue", "", R"({"variant":{"later":1}})"});
    const auto unknown = storage::putRequest(file_, {0, "verb_of_a_later_version", kRun, "{}"});
    const auto broken = storage::putRequest(file_, {0, "tag", kRun, "not json"});
    EXPECT_EQ(edit(file_, RenameRun{kRun, "other"}), "");
    EXPECT_EQ(storage::readAnswer(file_, training), std::nullopt);
    EXPECT_EQ(storage::readAnswer(file_, unknown), std::nullopt);
    ASSERT_TRUE(storage::readAnswer(file_, broken).has_value());
    EXPECT_FALSE(storage::readAnswer(file_, broken)->first);
    const auto session = open();
    session->pollInbox();
    EXPECT_TRUE(eventually([&] { return storage::readAnswer(file_, unknown).has_value(); }));
    EXPECT_FALSE(storage::readAnswer(file_, training)->first);
}

/// An inbox may come with a database from elsewhere. Then nobody waits for the requests in it.
TEST_F(EditsTest, WhatNobodyWaitsForIsRefusedAndTold) {
    constexpr double kHour = 3600;
    const auto session = open();
    const auto spec = smallSpec("planted", 5).toJson();
    for (const double at : {storage::unixTime() - kHour, storage::unixTime() + kHour}) {
        EXPECT_THAT(whyRefused([&] { answerTo({0, "enqueue", "", spec.dump(), at}); }), HasSubstr("is not executed"));
        EXPECT_TRUE(eventually([&] { return !session->recorderProblem().empty(); }));
        EXPECT_THAT(session->recorderProblem(), HasSubstr("the request to enqueue"));
    }
    EXPECT_EQ(engine_->trained, 0);
    const auto late = storage::putRequest(file_, {0, "rename", kRun, R"({"name":"planted"})", storage::unixTime() - kHour});
    EXPECT_TRUE(eventually([&] { return storage::readAnswer(file_, late).has_value(); }));
    EXPECT_NE(row().name, "planted");
}

TEST_F(EditsTest, WhoOnlyEditsExecutesNoPlantedRequest) {
    constexpr double kHour = 3600;
    const auto late = storage::putRequest(file_, {0, "rename", kRun, R"({"name":"planted"})", storage::unixTime() - kHour});
    edit(file_, TagRun{kRun, {"paper"}, {}});
    ASSERT_TRUE(storage::readAnswer(file_, late).has_value());
    EXPECT_FALSE(storage::readAnswer(file_, late)->first);
    EXPECT_NE(row().name, "planted");
}

TEST_F(EditsTest, ABrokenRequestDoesNotHoldUpTheNext) {
    const auto session = open();
    storage::putRequest(file_, {0, "tag", kRun, "not json"});
    storage::putRequest(file_, {0, "tag", kRun, R"({"tags":["whole"]})"});
    EXPECT_EQ(answerTo({0, "tag", kRun, tagBody({"good"})}), "");
    EXPECT_THAT(row().tags, ElementsAre("good"));
}

}  // namespace
}  // namespace heddle::app
