// SPDX-License-Identifier: Apache-2.0
#include "storage_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <csignal>
#include <random>
#include <thread>

namespace heddle::storage {
namespace {

/// What the writing child tells its parent after each commit.
struct Acknowledged {
    std::int64_t values, evaluations;
};

class CrashTest : public StorageTest {
protected:
    /// Writes until it is killed: series, evaluations, events, thinning, checkpoints of the log.
    [[noreturn]] void writeForever(int acknowledge, Acknowledged done, unsigned seed) {
        std::mt19937 random(seed);
        auto store = openStore();
        for (;;) {
            auto n = static_cast<std::int64_t>(1 + random() % 700);
            bool evaluated = random() % 4 == 0;
            store->begin();
            store->append(block(1 + done.values, ramp(static_cast<std::size_t>(n), static_cast<float>(done.values))));
            if (evaluated) {
                auto at = done.evaluations + 1;
                store->add(EvaluationRecord{"0123456789ab", 1, at, 1, "valid", "loss", "", static_cast<double>(at), 1, 1});
                store->add(EventRecord{"0123456789ab", 1, at, 0, 0, "info", std::string(random() % 2000, 'x'), ""});
            }
            store->commit(evaluated ? RunStore::Durability::Full : RunStore::Durability::Normal);
            done.values += n;
            done.evaluations += evaluated ? 1 : 0;
            if (::write(acknowledge, &done, sizeof done) != static_cast<ssize_t>(sizeof done)) ::_exit(1);
            if (random() % 10 == 0) store->checkpointWal();
        }
    }

    void expectAllThere(const Acknowledged& done) {
        SQLite::Database database(file_, SQLite::OPEN_READWRITE);
        SQLite::Statement check(database, "PRAGMA integrity_check");
        ASSERT_TRUE(check.executeStep());
        ASSERT_EQ(check.getColumn(0).getString(), "ok");
        SQLite::Statement keys(database, "PRAGMA foreign_key_check");
        ASSERT_FALSE(keys.executeStep());
        auto points = lossPoints();
        ASSERT_GE(points.size(), static_cast<std::size_t>(done.values));
        for (std::size_t i = 0; i < points.size(); ++i) {
            ASSERT_EQ(points[i].step, static_cast<std::int64_t>(i) + 1);
            ASSERT_EQ(points[i].value, static_cast<float>(i));
        }
        auto evaluations = RunQuery::open(file_)->evaluations("0123456789ab");
        ASSERT_GE(evaluations.size(), static_cast<std::size_t>(done.evaluations));
        for (std::size_t i = 0; i < evaluations.size(); ++i) ASSERT_EQ(evaluations[i].value, static_cast<double>(i + 1));
    }
    Acknowledged stored() {
        return {static_cast<std::int64_t>(lossPoints().size()),
                static_cast<std::int64_t>(RunQuery::open(file_)->evaluations("0123456789ab").size())};
    }
};

/// kill -9 at random moments, one writer after the other on the same database: what was acknowledged is there, whole. More
/// rounds by hand: HEDDLE_KILLS=10000.
TEST_F(CrashTest, NoAcknowledgedRowIsLost) {
    const char* wanted = std::getenv("HEDDLE_KILLS");
    int kills = wanted ? std::atoi(wanted) : 30;
    storeWithRun();
    std::mt19937 random(2024);
    std::int64_t acknowledgements = 0;
    Acknowledged done{0, 0};
    for (int round = 0; round < kills; ++round) {
        int pipe[2];
        ASSERT_EQ(::pipe(pipe), 0);
        pid_t child = ::fork();
        if (child == 0) {
            ::close(pipe[0]);
            writeForever(pipe[1], done, static_cast<unsigned>(round));
        }
        ::close(pipe[1]);
        std::thread killer([child, microseconds = 2000 + random() % 150000] {
            ::usleep(static_cast<useconds_t>(microseconds));
            ::kill(child, SIGKILL);
        });
        for (Acknowledged said{}; ::read(pipe[0], &said, sizeof said) == static_cast<ssize_t>(sizeof said); ++acknowledgements)
            done = said;
        killer.join();
        int status = 0;
        ::waitpid(child, &status, 0);
        ::close(pipe[0]);
        ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << WEXITSTATUS(status);
        ASSERT_NO_FATAL_FAILURE(expectAllThere(done)) << "kill " << round;
        done = stored();
        if (done.values > 2000000) {  // keep the check short
            openStore()->deleteRun("0123456789ab");
            storeWithRun();
            done = {0, 0};
        }
    }
    EXPECT_GT(acknowledgements, kills);
}

/// Readers poll while another process writes: every state they see is a whole one, and growing.
TEST_F(CrashTest, AReaderNextToAWriter) {
    storeWithRun();
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    pid_t child = ::fork();
    if (child == 0) {
        ::close(pipe[0]);
        writeForever(pipe[1], {0, 0}, 5);
    }
    ::close(pipe[1]);
    auto query = RunQuery::open(file_);
    Acknowledged said{};
    std::size_t seen = 0;
    std::int64_t version = query->dataVersion(), rev = 0;
    int changes = 0;
    // The pipe may be full of what was said before the first look, which adds no change: then it takes more rounds.
    for (int round = 0; round < 60 || (changes <= 10 && round < 10'000); ++round) {
        ASSERT_EQ(::read(pipe[0], &said, sizeof said), static_cast<ssize_t>(sizeof said));
        auto points = query->points("0123456789ab", "loss", "", 0, INT64_MAX);
        ASSERT_GE(points.size(), std::max(seen, static_cast<std::size_t>(said.values)));
        for (std::size_t i = seen; i < points.size(); ++i) ASSERT_EQ(points[i].value, static_cast<float>(i));
        auto overview = query->overview("0123456789ab", "loss", "", 0, INT64_MAX, 10);
        ASSERT_FALSE(overview.empty());
        ASSERT_EQ(overview[0].minimum, 0);
        seen = points.size();
        changes += query->dataVersion() != version ? 1 : 0;
        version = query->dataVersion();
        ASSERT_GE(query->revision(), rev);
        rev = query->revision();
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(pipe[0]);
    EXPECT_GT(changes, 10);
}

}  // namespace
}  // namespace heddle::storage
