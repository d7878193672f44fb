// SPDX-License-Identifier: Apache-2.0
// `heddle sweep --launcher slurm` with programs in place of Slurm's, which run the jobs at once. tests/slurm asks the real one.
#include "engine/base/json.h"
#include "storage/run_query.h"
#include "tests/eventually.h"
#include "tests/integration/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace heddle::integration {
namespace {

namespace fs = std::filesystem;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSbatch = R"bash(#!/bin/bash
# Runs every task in the background, but for those that the file "lost" names: their node dies.
cd "$FAKE_SLURM" && echo "$*" >> submitted && job=$(wc -l < submitted)
for word; do
  case $word in
    --array=1-*) last=${word#--array=1-} last=${last%%%*} ;;
    --job-name=*) name=${word#*=} ;;
    --output=*) output=${word#*=} ;;
    --*) ;;
    *) command+=("$word") ;;
  esac
done
for i in $(seq "$last"); do
  echo "$name RUNNING" > "state.${job}_$i"
  (
    export SLURM_ARRAY_JOB_ID=$job SLURM_ARRAY_TASK_ID=$i SLURMD_NODENAME=n1
    if [ "$(cat lost 2>/dev/null)" = "$i" ]; then echo "slurmstepd: error: node n1 died"
    else setsid bash "${command[@]}"; fi
    echo "$name COMPLETED" > "state.${job}_$i"
  ) >> "${output/\%a/$i}" 2>&1 &
done
[ ! -e lost ] || { sleep 0.5; rm lost; }
echo "$job"
)bash";

constexpr const char* kSqueue = R"bash(#!/bin/bash
cd "$FAKE_SLURM" && printf '{"jobs":['
for file in state.*; do
  [ -e "$file" ] || continue
  read -r name state < "$file"
  task=${file#state.}
  printf '%s{"array_job_id":%s,"array_task_id":%s,"job_state":"%s","name":"%s","nodes":"n1"}' "$comma" "${task%_*}" "${task#*_}" \
    "$state" "$name"
  comma=,
done
echo ']}'
)bash";

/// A workshop whose programs find these in place of Slurm's.
class SlurmShop : public Workshop {
public:
    SlurmShop() {
        fs::create_directory(*this / "slurm");
        program("sbatch", kSbatch);
        program("squeue", kSqueue);
        program("scontrol", "#!/bin/bash\necho 'JobState=NODE_FAIL Reason=NodeDown'\n");
        program("scancel", "#!/bin/bash\necho \"$*\" >> \"$FAKE_SLURM/cancelled\"\n");
        ::setenv("FAKE_SLURM", (*this / "slurm").c_str(), 1);
        ::setenv("PATH", ((*this / "slurm").string() + ":" + path_).c_str(), 1);
    }
    ~SlurmShop() { ::setenv("PATH", path_.c_str(), 1); }

    /// Three runs of so few steps.
    std::string plan() const {
        const Json spec = Json::parse(read("spec.json"));
        return write("seeds.json",
                     Json{{"schema", "heddle.plan/1"},
                          {"rows", {{{"name", "plain"}, {"spec", spec}, {"seeds", {1, 2, 3}}, {"set", {"train.steps=40"}}}}}}
                         .dump());
    }
    Result sweep(std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"sweep", plan(), "--launcher", "slurm", "--poll", "0.1"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
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
                read("slurm/" + entry.path().filename().string()).find("RUNNING") != std::string::npos)
                return false;
        return true;
    }
    std::string arrayFile() const {
        for (const auto& entry : fs::directory_iterator(*this / (database() + ".jobs/arrays")))
            if (entry.path().extension() == ".json") return database() + ".jobs/arrays/" + entry.path().filename().string();
        return "";
    }

private:
    void program(const std::string& name, const std::string& text) const {
        write("slurm/" + name, text);
        fs::permissions(*this / ("slurm/" + name), fs::perms::owner_all);
    }
    std::string path_ = std::getenv("PATH");
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
    EXPECT_THAT(shop.submitted().back(), HasSubstr("--array=1-1"));
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
