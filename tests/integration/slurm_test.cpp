// SPDX-License-Identifier: Apache-2.0
// `heddle sweep --launcher slurm` with programs in place of Slurm's, which run the jobs at once. tests/slurm asks the real one.
#include "engine/base/json.h"
#include "storage/run_query.h"
#include "tests/eventually.h"
#include "tests/fake_slurm.h"
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace heddle::integration {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A workshop whose programs find these in place of Slurm's.
class SlurmShop : public Workshop {
public:
    /// A plan of a run for each seed; by default three short runs.
    std::string plan(const std::vector<int>& seeds = {1, 2, 3}, int steps = 40) const {
        const Json spec = Json::parse(read("spec.json"));
        const std::string limit = "train.steps=" + std::to_string(steps);
        return write("seeds.json", Json{{"schema", "heddle.plan/1"},
                                        {"rows", {{{"name", "plain"}, {"spec", spec}, {"seeds", seeds}, {"set", {limit}}}}}}
                                       .dump());
    }
    static std::vector<std::string> sweepOf(const std::string& plan, const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"sweep", plan, "--launcher", "slurm", "--poll", "0.1"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    Result sweep(const std::vector<std::string>& more = {}) const { return run(sweepOf(plan(), more)); }
    /// Whether a task has a checkpoint of a step that it has trained.
    bool hasTrained(const std::string& task, const std::string& folder) const {
        if (!fs::exists(*this / ("slurm/process." + task)) || !fs::exists(folder)) return false;
        for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with("step-") && name != "step-0") return true;
        }
        return false;
    }
    /// The data folder of a task of the only array; empty if there is no array yet.
    std::string dataOf(int task) const {
        if (!fs::exists(*this / (database() + ".jobs/arrays"))) return "";
        const std::string array = arrayFile();
        if (array.empty()) return "";
        const std::string links = array.substr(0, array.size() - std::string(".json").size());
        return (*this / (links + "/" + std::to_string(task) + "/data")).string();
    }
    /// Warns a task of its end: sends SIGUSR1 to its batch script alone, as Slurm does for --signal=B:USR1@60.
    void warn(const std::string& task) const { kill(std::stoi(read("slurm/process." + task)), SIGUSR1); }
    /// The words of each submission.
    std::vector<std::string> submitted() const {
        std::vector<std::string> lines(1);
        for (const char c : fs::exists(*this / "slurm/submitted") ? read("slurm/submitted") : std::string()) {
            if (c == '\n')
                lines.emplace_back();
            else
                lines.back() += c;
        }
        lines.pop_back();
        return lines;
    }
    bool jobsHaveEnded() const {
        for (const auto& entry : fs::directory_iterator(*this / "slurm"))
            if (entry.path().filename().string().starts_with("state.") &&
                read("slurm/" + entry.path().filename().string()).find("ING") != std::string::npos)
                return false;
        return true;
    }
    std::string arrayFile() const {
        for (const auto& entry : fs::directory_iterator(*this / (database() + ".jobs/arrays")))
            if (entry.path().extension() == ".json") return database() + ".jobs/arrays/" + entry.path().filename().string();
        return "";
    }

private:
    test::FakeSlurm slurm_{*this / "slurm", test::FakeSlurm::Jobs::Run};
};

std::vector<std::string> states(const Result& result) {
    std::vector<std::string> all;
    const Json swept = result.json();
    for (const Json& run : swept.at("runs")) all.push_back(run.at("state"));
    return all;
}

std::vector<std::string> weights(const Workshop& shop, const Json& swept) {
    std::vector<std::string> all;
    for (const Json& run : swept.at("runs")) all.push_back(lastWeights(shop.must({"runs", "show", run.at("run")})));
    return all;
}

TEST(Slurm, MergesWhatTheLocalLauncherTrains) {
    const SlurmShop shop;
    const Result swept = shop.sweep({"--partition", "gpu", "--array-limit", "2", "--sbatch=--account=lab"});
    ASSERT_EQ(swept.code, 0) << swept.err;
    EXPECT_THAT(states(swept), Each("completed"));
    ASSERT_EQ(shop.submitted().size(), 1U);
    for (const char* word : {"--parsable", "--array=1-3%2", "--requeue", "--signal=B:USR1@60", "--cpus-per-task=1",
                             "--partition=gpu", "--account=lab"})
        EXPECT_THAT(shop.submitted().front(), HasSubstr(word));
    const auto query = storage::RunQuery::open((shop / Workshop::database()).string());
    for (const auto& run : query->runs()) EXPECT_EQ(run.group, "sweep/seeds");
    EXPECT_EQ(shop.must({"runs", "verify"}).at("problems"), Json::array());
    const Workshop local;
    local.write("seeds.json", shop.read("seeds.json"));
    EXPECT_EQ(weights(shop, swept.json()), weights(local, local.must({"sweep", (local / "seeds.json").string()})));
    EXPECT_EQ(shop.sweep().json().at("runs"), swept.json().at("runs"));
    EXPECT_EQ(shop.submitted().size(), 1U) << "nothing is submitted twice";
    EXPECT_EQ(shop.arrayFile(), "");
    EXPECT_TRUE(fs::is_empty(shop / (Workshop::database() + ".jobs/runs")));
}

TEST(Slurm, APercentSignInThePathOfTheDatabaseIsNoPatternOfSbatch) {
    const SlurmShop shop;
    const std::string folder = (shop / "100%j").string();
    fs::create_directory(folder);
    const std::vector<std::string> words = SlurmShop::sweepOf(shop.plan({1}), {"--db", folder + "/runs.heddle", "--json"});
    const Result swept = Program(words, shop / ".").wait();
    ASSERT_EQ(swept.code, 0) << swept.err;
    EXPECT_THAT(shop.submitted().front(), HasSubstr("/100%%j/runs.heddle.jobs/arrays/"));
}

TEST(Slurm, SubmitsAgainOnlyWhatFailedAndShowsItsLog) {
    const SlurmShop shop;
    shop.write("slurm/lost", "2\n");
    const Result first = shop.sweep();
    EXPECT_EQ(first.code, 1) << first.err;
    EXPECT_THAT(states(first), ElementsAre("completed", "new", "completed"));
    for (const char* word : {"plain, seed 2", "its job recorded nothing", "job 1_2: NODE_FAIL, NodeDown", "node n1 died"})
        EXPECT_THAT(first.err, HasSubstr(word));
    EXPECT_THAT(first.err, Not(HasSubstr("seed 1:")));
    const Result second = shop.sweep();
    EXPECT_EQ(second.code, 0) << second.err;
    ASSERT_EQ(shop.submitted().size(), 2U);
    EXPECT_THAT(shop.submitted().back(), HasSubstr("--array=1 "));
    EXPECT_THAT(states(second), Each("completed"));
}

TEST(Slurm, GoesOnWithJobsOfACommandThatEnded) {
    const SlurmShop shop;
    EXPECT_EQ(shop.sweep({"--no-wait"}).code, 75);
    Json array = Json::parse(shop.read(shop.arrayFile()));
    EXPECT_EQ(array.at("job"), 1);
    array["job"] = 0;  // as if it had ended before it could record the number
    shop.write(shop.arrayFile(), array.dump());
    const Result during = shop.sweep({"--no-wait"});
    EXPECT_THAT(during.code, testing::AnyOf(75, 0)) << during.err;
    ASSERT_TRUE(eventually([&] { return shop.jobsHaveEnded(); }, std::chrono::seconds(120)));
    const Result after = shop.sweep();
    EXPECT_EQ(after.code, 0) << after.err;
    EXPECT_THAT(states(after), Each("completed"));
    EXPECT_EQ(shop.submitted().size(), 1U);
    EXPECT_EQ(shop.arrayFile(), "");
    EXPECT_EQ(shop.must({"sweep", shop.plan(), "--launcher", "slurm", "--cancel"}).at("jobs"), 0);
}

/// Three runs, and two that start from the first two of them.
std::string planWithStart(const SlurmShop& shop) {
    const Json spec = Json::parse(shop.read("spec.json"));
    const Json fine{{"name", "fine"}, {"spec", spec}, {"seeds", {1, 2}}, {"set", {"train.steps=30"}}, {"from", "pre"}};
    const Json pre{{"name", "pre"}, {"spec", spec}, {"seeds", {1, 2, 3}}, {"set", {"train.steps=40"}}};
    return shop.write("seeds.json", Json{{"schema", "heddle.plan/1"}, {"rows", {fine, pre}}}.dump());
}

TEST(Slurm, ARunThatStartsFromAnotherWaitsForItInTheQueue) {
    const SlurmShop shop;
    const std::vector<std::string> words = SlurmShop::sweepOf(planWithStart(shop));
    std::vector<std::string> once = words;
    once.emplace_back("--no-wait");
    const Result first = shop.run(once);
    EXPECT_EQ(first.code, 75) << first.err;
    EXPECT_THAT(first.err, HasSubstr("submitted 2 runs as job 2, each after its start in job 1"));
    ASSERT_EQ(shop.submitted().size(), 2U) << "before their starts have completed";
    EXPECT_THAT(shop.submitted().front(), HasSubstr("--array=1-3 "));
    EXPECT_THAT(shop.submitted().front(), Not(HasSubstr("--dependency")));
    for (const char* word : {"--array=1-2 ", "--dependency=aftercorr:1 ", "--kill-on-invalid-dep=yes "})
        EXPECT_THAT(shop.submitted().back(), HasSubstr(word));
    ASSERT_TRUE(eventually([&] { return shop.jobsHaveEnded(); }, std::chrono::seconds(120)));
    const Result swept = shop.run(words);
    ASSERT_EQ(swept.code, 0) << swept.err;
    EXPECT_THAT(states(swept), Each("completed"));
    EXPECT_EQ(shop.submitted().size(), 2U);
    EXPECT_TRUE(fs::is_empty(shop / (Workshop::database() + ".jobs/runs")));
    EXPECT_EQ(shop.must({"runs", "verify"}).at("problems"), Json::array());
    const Workshop local;
    local.write("seeds.json", shop.read("seeds.json"));
    EXPECT_EQ(weights(shop, swept.json()), weights(local, local.must({"sweep", (local / "seeds.json").string()})));
    const auto query = storage::RunQuery::open((shop / Workshop::database()).string());
    const Json runs = swept.json().at("runs");
    const auto fine = query->run(runs.at(0).at("run").get<std::string>());
    EXPECT_EQ(fine->lineage, runs.at(2).at("run"));
    const Json start = Json::parse(fine->spec).at("train").at("start");
    EXPECT_TRUE(fs::exists(start.at("checkpoint").get<std::string>())) << start;
    EXPECT_EQ(shop.run(words).json().at("runs"), runs) << "nothing is trained twice";
}

TEST(Slurm, ARunWhoseStartWasLostIsNotTrainedAndSubmittedAgainWithIt) {
    const SlurmShop shop;
    shop.write("slurm/lost", "2\n");
    const std::vector<std::string> words = SlurmShop::sweepOf(planWithStart(shop));
    const Result first = shop.run(words);
    EXPECT_EQ(first.code, 1) << first.err;
    EXPECT_THAT(states(first), ElementsAre("completed", "waits", "completed", "new", "completed"));
    for (const char* word : {"fine, seed 2 was not trained: it starts from pre, seed 2, which has not completed",
                             "pre, seed 2: its job ended before the run"})
        EXPECT_THAT(first.err, HasSubstr(word));
    const Result second = shop.run(words);
    EXPECT_EQ(second.code, 0) << second.err;
    ASSERT_EQ(shop.submitted().size(), 4U) << "what failed, and what starts from it";
    EXPECT_THAT(shop.submitted().at(2), HasSubstr("--array=1 "));
    EXPECT_THAT(shop.submitted().at(3), HasSubstr("--dependency=aftercorr:3 "));
    EXPECT_THAT(states(second), Each("completed"));
}

/// Slurm may leave a job in the queue for a while that waits for one that has failed.
TEST(Slurm, AJobThatWaitsInVainIsReplacedWhenItsStartIsSubmittedAgain) {
    const SlurmShop shop;
    shop.write("slurm/lost", "2\n");
    const std::vector<std::string> words = SlurmShop::sweepOf(planWithStart(shop));
    std::vector<std::string> once = words;
    once.emplace_back("--no-wait");
    EXPECT_EQ(shop.run(once).code, 75);
    ASSERT_TRUE(eventually([&] { return shop.jobsHaveEnded(); }, std::chrono::seconds(120)));
    const std::string ended = shop.read("slurm/state.2_2"), name = ended.substr(0, ended.find(' '));
    shop.write("slurm/state.2_2", name + " PENDING\n");
    const auto program = shop.start(words);
    ASSERT_TRUE(eventually([&] { return shop.submitted().size() > 2; }, std::chrono::seconds(120)));
    shop.write("slurm/state.2_2", ended);
    const Result swept = program->wait();
    ASSERT_EQ(swept.code, 0) << swept.err;
    EXPECT_EQ(shop.read("slurm/cancelled"), "2_2\n");
    ASSERT_EQ(shop.submitted().size(), 4U);
    EXPECT_THAT(shop.submitted().back(), HasSubstr("--dependency=aftercorr:3 "));
    EXPECT_THAT(states(swept), Each("completed"));
}

/// Whether `holds` becomes true in two minutes. It may look at folders that are replaced meanwhile.
bool atLast(const std::function<bool()>& holds) {
    return eventually(
        [&] {
            try {
                return holds();
            } catch (const fs::filesystem_error&) {  // a folder was replaced meanwhile
                return false;
            }
        },
        std::chrono::seconds(120));
}

/// Expects that the only run has completed in so many attempts, with the weights of the same run trained without Slurm.
void expectWentOnExactly(const SlurmShop& shop, std::int64_t attempts) {
    const Json run = shop.onlyRun();
    EXPECT_EQ(run.at("state"), "completed");
    const auto query = storage::RunQuery::open((shop / Workshop::database()).string());
    EXPECT_EQ(std::ssize(query->attempts(run.at("run"))), attempts);
    const Workshop local;
    local.write("seeds.json", shop.read("seeds.json"));
    local.must({"sweep", (local / "seeds.json").string()});
    EXPECT_EQ(lastWeights(run), lastWeights(local.onlyRun()));
}

TEST(Slurm, AJobThatIsWarnedOfItsEndGoesBackIntoTheQueueAndOnWhereItWas) {
    const SlurmShop shop;
    const auto program = shop.start(SlurmShop::sweepOf(shop.plan({1}, 400), {"--time", "10", "--gres", "gpu:1"}));
    ASSERT_TRUE(atLast([&] { return shop.hasTrained("1_1", shop.dataOf(1)); }));
    shop.warn("1_1");
    const Result swept = program->wait();
    ASSERT_EQ(swept.code, 0) << swept.err;
    EXPECT_EQ(shop.read("slurm/ended"), "1_1 start 0 ended with 75\n1_1 start 1 ended with 0\n");
    ASSERT_EQ(shop.submitted().size(), 1U) << "Slurm starts it again, not Heddle";
    for (const char* word : {" --time=10 ", " --gres=gpu:1 ", " --requeue ", " --signal=B:USR1@60 "})
        EXPECT_THAT(shop.submitted().front(), HasSubstr(word));
    expectWentOnExactly(shop, 2);
}

TEST(Slurm, AJobTrainsInTheScratchFolderOfItsNodeAndBringsBackWhatItHas) {
    const SlurmShop shop;
    const std::string plan = shop.plan({1}, 400), node = (shop / "slurm/node of its own/").string();
    const std::vector<std::string> words = SlurmShop::sweepOf(plan, {"--scratch", "$FAKE_SLURM/node of its own"});
    const auto program = shop.start(words);
    ASSERT_TRUE(atLast([&] { return shop.hasTrained("1_1", node); }));
    EXPECT_FALSE(shop.hasTrained("1_1", shop.dataOf(1)));
    shop.must({"sweep", plan, "--launcher", "slurm", "--cancel"});
    const Result cancelled = program->wait();
    EXPECT_EQ(cancelled.code, 1) << cancelled.err;
    EXPECT_THAT(cancelled.err, HasSubstr("heddle ended with 75"));
    EXPECT_TRUE(fs::is_empty(node));
    std::size_t kept = 0;
    for (const auto& entry : fs::recursive_directory_iterator(shop / (Workshop::database() + ".jobs/runs")))
        kept += entry.path().filename().string().starts_with("step-");
    EXPECT_GE(kept, 2U) << "checkpoints came back";
    const Result swept = shop.run(words);
    EXPECT_EQ(swept.code, 0) << swept.err;
    EXPECT_TRUE(fs::is_empty(node));
    expectWentOnExactly(shop, 2);
}

TEST(Slurm, CancelEndsTheJobsOfThisFileWithACheckpoint) {
    const SlurmShop shop;
    const std::string plan = shop.plan({1, 2, 3}, 100'000);
    const auto program = shop.start(SlurmShop::sweepOf(plan));
    for (int task = 1; task <= 3; ++task)
        ASSERT_TRUE(atLast([&] { return shop.hasTrained("1_" + std::to_string(task), shop.dataOf(task)); })) << task;
    const std::string other = shop.write("other.json", shop.read("seeds.json"));
    EXPECT_EQ(shop.must({"sweep", other, "--launcher", "slurm", "--cancel"}).at("jobs"), 0) << "of another file";
    EXPECT_EQ(shop.must({"sweep", plan, "--launcher", "slurm", "--cancel"}).at("jobs"), 3) << "beside the command that watches";
    const Result watched = program->wait();
    EXPECT_EQ(watched.code, 1) << watched.err;
    for (const char* said : {"its job ended before the run: the run is stopped at step", "heddle ended with 75", "3 failed"})
        EXPECT_THAT(watched.err, HasSubstr(said));
    EXPECT_EQ(shop.read("slurm/cancelled"), "1\n");
    EXPECT_TRUE(shop.jobsHaveEnded());
    EXPECT_EQ(shop.must({"sweep", plan, "--launcher", "slurm", "--cancel"}).at("jobs"), 0) << "none is alive";
}

TEST(Slurm, RefusesOptionsOfTheOtherLauncher) {
    const SlurmShop shop;
    const std::string plan = shop.plan();
    for (const std::vector<std::string>& more : {std::vector<std::string>{"--partition", "gpu"},
                                                 {"--launcher", "slurm", "--jobs", "2"},
                                                 {"--launcher", "slurm", "--array-limit", "0"},
                                                 {"--launcher", "slurm", "--poll", "0"},
                                                 {"--launcher", "pbs"}}) {
        std::vector<std::string> words{"sweep", plan};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_EQ(shop.run(words).code, 2) << more.back();
    }
    EXPECT_FALSE(fs::exists(shop / (Workshop::database() + ".jobs")));
}

}  // namespace
}  // namespace heddle::integration
