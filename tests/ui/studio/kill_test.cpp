// SPDX-License-Identifier: GPL-3.0-or-later
// A studio that trains is killed by SIGKILL and started again, or stopped by SIGTERM. Each studio is a process of its own.
#include "app/studio/end_signals.h"
#include "tests/ui/studio/studio_fixture.h"

#include <QProcess>

using namespace heddle;
using namespace heddle::studio;
using namespace heddle::studio::test;

namespace {

constexpr const char *kDoomedFile = "HEDDLE_TEST_DOOMED_DATABASE", *kEndedFile = "HEDDLE_TEST_ENDED_DATABASE";

class KilledStudioTest : public StudioFixture {
protected:
    /// Starts this program as another process, in which the test `half` opens `file_`, composes a run and trains it.
    void startDoomed(const char* half, const char* variable) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(text(variable), QString::fromStdString(file_));
        environment.insert(text("TMPDIR"), QString::fromStdString(folder_ / ""));  // it cannot tidy up
        doomed_.setProcessEnvironment(environment);
        doomed_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        doomed_.start(QCoreApplication::applicationFilePath(), {text("--gtest_filter=KilledStudioTest.") + text(half)});
        ASSERT_TRUE(doomed_.waitForStarted());
    }
    /// The only run of the database; null before there is one.
    std::optional<storage::RunRecord> onlyRun() const {
        try {
            const auto runs = query()->runs();
            return runs.empty() ? std::nullopt : std::optional(runs.front());
        } catch (const storage::StorageError&) {
            return std::nullopt;  // the other process has not made it yet
        }
    }
    std::vector<storage::RunQuery::Point> losses(const std::string& run) const {
        return query()->points(run, "loss", "", 0, 1'000'000);
    }

    QProcess doomed_;
};

}  // namespace

TEST_F(KilledStudioTest, TrainsUntilItIsKilled) {
    if (!qEnvironmentVariableIsSet(kDoomedFile)) GTEST_SKIP() << "the other half of NothingIsLostAndTheRunIsOfferedForResume";
    startOn(qgetenv(kDoomedFile).toStdString());
    ASSERT_FALSE(composeAndStart("1").empty());
    waitUntil([] { return false; });
    waitUntil([] { return false; });
    FAIL() << "nobody killed it";
}

TEST_F(KilledStudioTest, NothingIsLostAndTheRunIsOfferedForResume) {
    startDoomed("TrainsUntilItIsKilled", kDoomedFile);
    ASSERT_TRUE(waitUntil([&] { return onlyRun() && onlyRun()->step > 40; }, std::chrono::seconds(30)));
    const std::string run = onlyRun()->id;
    const auto before = losses(run);
    doomed_.kill();  // SIGKILL
    ASSERT_TRUE(doomed_.waitForFinished());
    ASSERT_EQ(doomed_.exitStatus(), QProcess::CrashExit);
    const auto recorded = onlyRun().value();
    EXPECT_EQ(recorded.state, "running") << "nobody could say otherwise";
    const auto kept = losses(run);
    ASSERT_GE(kept.size(), before.size());
    for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i].step, std::int64_t(i) + 1) << "no step is missing";

    startOn(file_);
    ASSERT_TRUE(waitUntil([&] { return window().messages().isVisible(); }));
    EXPECT_TRUE(window().messages().titles().value(0).startsWith(text("A run was interrupted:"))) << shownMessages();
    ASSERT_TRUE(reaches(run, "interrupted"));
    pressInStrip("resume");
    ASSERT_TRUE(waitUntil([&] { return record(run)->step > recorded.step + 10; }));
    window().showPage(PageId::Watch);
    press("stop");
    ASSERT_TRUE(reaches(run, "stopped")) << record(run)->state << ", step " << record(run)->step << ": " << shownMessages();
    const auto attempts = query()->attempts(run);
    ASSERT_EQ(attempts.size(), 2U);
    EXPECT_GT(attempts[1].firstStep, 0) << "from a checkpoint, not from the beginning";
    EXPECT_EQ(attempts[1].replay, attempts[1].firstStep < kept.back().step ? "equal" : "nothing to compare");
    const auto after = losses(run);
    ASSERT_GT(after.size(), kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(after[i].value, kept[i].value) << "step " << kept[i].step;
}

TEST_F(KilledStudioTest, TrainsUntilItIsEnded) {
    if (!qEnvironmentVariableIsSet(kEndedFile)) GTEST_SKIP() << "the other half of SigtermStopsTheRunWithACheckpoint";
    startOn(qgetenv(kEndedFile).toStdString());
    EndSignals signals;
    QObject::connect(&signals, &EndSignals::received, program_.get(),
                     [this] { program_->shutDown(StudioProgram::Closing::Stop); });
    bool isClosed = false;
    QObject::connect(program_.get(), &StudioProgram::closed, &signals, [&] { isClosed = true; });
    ASSERT_FALSE(composeAndStart("1").empty());
    ASSERT_TRUE(waitUntil([&] { return isClosed; }, std::chrono::seconds(40)));
}

TEST_F(KilledStudioTest, SigtermStopsTheRunWithACheckpoint) {
    startDoomed("TrainsUntilItIsEnded", kEndedFile);
    ASSERT_TRUE(waitUntil([&] { return onlyRun() && onlyRun()->step > 40; }, std::chrono::seconds(30)));
    doomed_.terminate();  // SIGTERM
    ASSERT_TRUE(doomed_.waitForFinished());
    EXPECT_EQ(doomed_.exitStatus(), QProcess::NormalExit);
    EXPECT_EQ(doomed_.exitCode(), 0);
    const auto run = onlyRun().value();
    EXPECT_EQ(run.state, "stopped");
    const auto checkpoints = query()->checkpoints(run.id);
    ASSERT_FALSE(checkpoints.empty());
    EXPECT_EQ(checkpoints.back().step, run.step) << "nothing is lost";
    EXPECT_TRUE(storage::currentOwner(file_).empty());
}
