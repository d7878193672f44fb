// SPDX-License-Identifier: Apache-2.0
// Programs in place of Slurm's, which run the jobs at once. $FAKE_SLURM is the folder of their state.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace heddle::test {

inline constexpr const char* kSbatch = R"bash(#!/bin/bash
# Runs every task in the background; one that waits for the task of another job, when that one has completed.
cd "$FAKE_SLURM" && echo "$*" >> submitted && job=$(wc -l < submitted) after=
for word; do
  case $word in
    --array=*) tasks=${word#--array=} tasks=${tasks%%%*} ;;
    --dependency=aftercorr:*) after=${word#*:} ;;
    --job-name=*) name=${word#*=} ;;
    --output=*) output=${word#*=} ;;
    --*) ;;
    *) command+=("$word") ;;
  esac
done
declare -p name output command after > "job.$job"
for part in ${tasks//,/ }; do
  for i in $(seq "${part%-*}" "${part#*-}"); do
    echo "$name PENDING" > "state.${job}_$i"
    ./task "$job" "$i" 0 &
  done
done
[ ! -e lost ] || { sleep 0.5; rm lost; }
echo "$job"
)bash";

inline constexpr const char* kTask = R"bash(#!/bin/bash
# task JOB NUMBER RESTARTS: runs a task to its end, and again if it was requeued meanwhile. A task that the file "lost" names does
# not run: its node dies.
cd "$FAKE_SLURM" && source "./job.$1"
log=${output//\%\%/@@} log=${log//\%j/$1} log=${log/\%a/$2} log=${log//@@/%}  # Slurm's patterns; %% is a percent sign
export SLURM_ARRAY_JOB_ID=$1 SLURM_ARRAY_TASK_ID=$2 SLURM_RESTART_COUNT=$3 SLURMD_NODENAME=n1
task=$1_$2
if [ -n "$after" ]; then
  while ! grep -qE "COMPLETED|FAILED|CANCELLED" "state.${after}_$2"; do sleep 0.1; done
  grep -q COMPLETED "state.${after}_$2" || { echo "$name CANCELLED" > "state.$task"; exit; }
fi
echo "$name RUNNING" > "state.$task"
end=COMPLETED
if [ "$(cat lost 2>/dev/null)" = "$2" ]; then echo "slurmstepd: error: node n1 died" && end=FAILED
else
  setsid bash "${command[@]}" &
  echo $! > "process.$task" && wait $!
  code=$?
  [ $code = 0 ] || end=FAILED
  echo "$task start $3 ended with $code" >> ended
fi >> "$log" 2>&1
if [ -e "requeued.$task" ]; then rm "requeued.$task" && exec ./task "$1" "$2" $(($3 + 1)); fi
echo "$name $end" > "state.$task"
)bash";

inline constexpr const char* kScontrol = R"bash(#!/bin/bash
cd "$FAKE_SLURM"
if [ "$1" = requeue ]; then
  read -r name _ < "state.$2" && echo "$name PENDING" > "state.$2" && : > "requeued.$2"
else
  echo 'JobState=NODE_FAIL Reason=NodeDown'
fi
)bash";

inline constexpr const char* kScancel = R"bash(#!/bin/bash
# Sends SIGTERM to all processes of the jobs or tasks, as Slurm does.
cd "$FAKE_SLURM" && echo "$*" >> cancelled
for job; do
  for process in process."$job" process."${job}"_*; do
    if [ -e "$process" ]; then kill -TERM -- "-$(cat "$process")" 2>/dev/null; fi
  done
done
true
)bash";

inline constexpr const char* kSqueue = R"bash(#!/bin/bash
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

/// While it lives, these programs are on the PATH, and `folder`, which is made, holds them and their state.
class FakeSlurm {
public:
    /// Run: tasks train. Rest: they do nothing, and nothing is killed; the test says with setState() how they end.
    enum class Jobs { Run, Rest };
    FakeSlurm(std::filesystem::path folder, Jobs jobs) : folder_(std::move(folder)) {
        std::filesystem::create_directory(folder_);
        const bool runs = jobs == Jobs::Run;
        program("sbatch", kSbatch);
        program("squeue", kSqueue);
        program("scontrol", kScontrol);
        program("scancel", runs ? kScancel : "#!/bin/bash\necho \"$*\" >> \"$FAKE_SLURM/cancelled\"\n");
        program("task", runs ? kTask : "#!/bin/bash\n");
        ::setenv("FAKE_SLURM", folder_.c_str(), 1);
        ::setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
    }
    ~FakeSlurm() {
        ::setenv("PATH", path_.c_str(), 1);
        ::unsetenv("FAKE_SLURM");
    }
    FakeSlurm(const FakeSlurm&) = delete;
    FakeSlurm& operator=(const FakeSlurm&) = delete;

    void program(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
    }
    /// A file of the folder; empty if there is none.
    std::string read(const std::string& file) const {
        std::ifstream in(folder_ / file);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// What squeue says of a submitted task from now on: "1_2", "COMPLETED".
    void setState(const std::string& task, const std::string& state) const {
        const std::string file = "state." + task, before = read(file);
        std::ofstream(folder_ / file) << before.substr(0, before.find(' ')) + " " + state + "\n";
    }

private:
    std::filesystem::path folder_;
    std::string path_ = std::getenv("PATH");
};

}  // namespace heddle::test
