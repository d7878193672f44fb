// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/query.h"

#include "tests/ui/support/offscreen.h"

#include <gmock/gmock.h>

#include <semaphore>
#include <stdexcept>

namespace heddle::ui {
namespace {

using test::waitUntil;
using testing::ElementsAre;
using testing::IsEmpty;

/// A query whose first request waits until it is let go.
struct QueryTest : testing::Test {
    QObject owner_;
    std::vector<int> answers_;
    QStringList problems_;
    std::binary_semaphore gate_{0};
    Query<int> query_{&owner_, [this](Result<int> answer) {
                          if (answer)
                              answers_.push_back(*answer);
                          else
                              problems_ << answer.problem().what;
                      }};

    void askSlowly(int answer) {
        query_.ask(Pool{}, [this, answer] {
            gate_.acquire();
            return answer;
        });
    }
    void ask(int answer) {
        query_.ask(Pool{}, [answer] { return answer; });
    }
    bool settles() {
        return waitUntil([this] { return query_.isIdle(); });
    }
};

TEST_F(QueryTest, OfWhatWaitsTheNewestIsAsked) {
    askSlowly(1);
    for (int i = 2; i < 9; ++i) ask(i);
    EXPECT_FALSE(query_.isIdle());
    gate_.release();
    ASSERT_TRUE(settles());
    EXPECT_THAT(answers_, ElementsAre(1, 8));
}

TEST_F(QueryTest, WhatWasAskedLastIsNotAskedAgainUnlessItWasCancelled) {
    const auto askOnce = [this](const char* key, int answer) {
        query_.askOnce(key, Pool{}, [answer] { return answer; });
        return settles();
    };
    ASSERT_TRUE(askOnce("a", 1) && askOnce("a", 2) && askOnce("b", 3) && askOnce("a", 4));
    EXPECT_THAT(answers_, ElementsAre(1, 3, 4));
    query_.cancel();
    ASSERT_TRUE(askOnce("a", 5));
    EXPECT_THAT(answers_, ElementsAre(1, 3, 4, 5));
}

TEST_F(QueryTest, WhatFailedIsAskedAgain) {
    int tries = 0;
    const auto askOnce = [&] {
        query_.askOnce("a", Pool{}, [&tries] {
            if (++tries == 1) throw std::runtime_error("locked");
            return tries;
        });
        return settles();
    };
    ASSERT_TRUE(askOnce() && askOnce() && askOnce());
    EXPECT_THAT(problems_, ElementsAre(QStringLiteral("locked")));
    EXPECT_THAT(answers_, ElementsAre(2)) << "an answer, and no third request";
}

TEST_F(QueryTest, TheAnswerOfAFailureMayAskAgainAtOnce) {
    int tries = 0;
    Query<int> query(&owner_, [&](const Result<int>& answer) {
        if (!answer) query.askOnce("a", Pool{}, [&tries] { return ++tries; });
    });
    query.askOnce("a", Pool{}, []() -> int { throw std::runtime_error("locked"); });
    ASSERT_TRUE(waitUntil([&] { return query.isIdle(); }));
    query.askOnce("a", Pool{}, [&tries] { return ++tries; });
    ASSERT_TRUE(waitUntil([&] { return query.isIdle(); }));
    EXPECT_EQ(tries, 1);
}

TEST_F(QueryTest, AFailureDoesNotForgetWhatWaits) {
    query_.askOnce("a", Pool{}, [this]() -> int {
        gate_.acquire();
        throw std::runtime_error("locked");
    });
    const auto askB = [this](int answer) { query_.askOnce("b", Pool{}, [answer] { return answer; }); };
    askB(1);
    gate_.release();
    ASSERT_TRUE(settles());
    askB(2);
    ASSERT_TRUE(settles());
    EXPECT_THAT(answers_, ElementsAre(1));
}

TEST_F(QueryTest, CancelDropsTheAnswerUnderWayAndWhatWaits) {
    askSlowly(1);
    ask(2);
    query_.cancel();
    EXPECT_TRUE(query_.isIdle());
    ask(3);
    ASSERT_TRUE(settles()) << "the dropped one holds nobody up";
    gate_.release();
    Pool::threads().waitForDone();
    QCoreApplication::processEvents();
    EXPECT_THAT(answers_, ElementsAre(3));
}

TEST_F(QueryTest, AFailureIsAnAnswerAndTheNextIsAsked) {
    query_.ask(Pool{}, []() -> int { throw std::runtime_error("no room"); });
    ask(2);
    ASSERT_TRUE(settles());
    EXPECT_THAT(problems_, ElementsAre(QStringLiteral("no room")));
    EXPECT_THAT(answers_, ElementsAre(2));
}

TEST_F(QueryTest, AnAnswerMayAskAgain) {
    std::vector<int> seen;
    Query<int> query(&owner_, [&](Result<int> answer) {
        seen.push_back(*answer);
        if (*answer < 3) query.ask(Pool{}, [next = *answer + 1] { return next; });
    });
    query.ask(Pool{}, [] { return 1; });
    ASSERT_TRUE(waitUntil([&] { return query.isIdle(); }));
    EXPECT_THAT(seen, ElementsAre(1, 2, 3));
}

TEST_F(QueryTest, NothingIsAnsweredOnceTheOwnerOrTheQueryIsGone) {
    bool isAnswered = false;
    auto owner = std::make_unique<QObject>();
    auto query = std::make_unique<Query<int>>(&owner_, [&](const Result<int>&) { isAnswered = true; });
    query->ask(Pool{}, [] { return 1; });
    query.reset();
    ui::ask(
        owner.get(), Pool{}, [] { return 1; }, [&](const Result<int>&) { isAnswered = true; });
    owner.reset();
    Pool::threads().waitForDone();
    QCoreApplication::processEvents();
    EXPECT_FALSE(isAnswered);
}

/// Drops what it is asked, on a thread of its own.
struct Nowhere {
    struct Resource {};
    static void post(const QPointer<QObject>&, Job<Resource> job) {
        Pool::threads().start([job = std::move(job)]() mutable { job = nullptr; });
    }
};

TEST_F(QueryTest, APlaceThatDropsARequestMakesRoomForTheNext) {
    query_.ask(Nowhere{}, [] { return 1; });
    ask(2);
    ASSERT_TRUE(settles());
    EXPECT_THAT(answers_, ElementsAre(2));
    EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(QueryTest, WhatWasDroppedIsAskedAgain) {
    query_.askOnce("a", Nowhere{}, [] { return 1; });
    ASSERT_TRUE(settles());
    query_.askOnce("a", Pool{}, [] { return 2; });
    ASSERT_TRUE(settles());
    EXPECT_THAT(answers_, ElementsAre(2));
}

}  // namespace
}  // namespace heddle::ui
