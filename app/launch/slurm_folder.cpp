// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_folder.h"

#include "engine/base/files.h"
#include "engine/base/json.h"
#include "engine/base/json_member.h"
#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

/// The script starts Heddle in the background and waits for it: Bash handles a signal at once only during `wait`. Before the
/// end of a job Slurm sends USR1 to the script alone; the job then goes back into the queue after its checkpoint. A cancelled
/// job (TERM) does not, and Slurm itself puts a preempted one back. Slurm sends TERM to all processes of a job: if the script
/// passed it on, Heddle would get a second one and end without a checkpoint. Code 138: the warning came before Heddle could
/// write a checkpoint. The data folder is replaced as a whole, and only when the new one is on the disk with all its files
/// (`sync -f`), so that a node that dies leaves the old folder or the new one.
constexpr const char* kScript = R"bash(#!/bin/bash
# job.sh LINKS HEDDLE SCRATCH: trains one run of an array that `heddle sweep` or `heddle study` has submitted. LINKS/N is the folder
# of the run of task N. SCRATCH is a folder of the node, in which variables are replaced there; empty: train in place.
folder=$1/$SLURM_ARRAY_TASK_ID heddle=$2
eval "scratch=\"$3\"" || exit 1
job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
data=$folder/data
echo "job $job on ${SLURMD_NODENAME:-$HOSTNAME}, start $((${SLURM_RESTART_COUNT:-0} + 1)), $(date '+%F %T')"
[ -d "$data" ] || [ ! -d "$data.new" ] || mv "$data.new" "$data"
mkdir -p "$data" || exit 1
if [ -n "$scratch" ]; then
  work=$scratch/heddle-$job
  rm -rf "$work" && mkdir -p "$scratch" && cp -a "$data" "$work" || exit 1
else
  work=$data
fi
"$heddle" sweep "$folder/plan.json" --db "$work/runs.heddle" &
child=$!
warned=
trap 'warned=1; kill -USR1 $child 2>/dev/null' USR1
trap : TERM  # Slurm sends it to Heddle, too
wait $child
while kill -0 $child 2>/dev/null; do wait $child; done
wait $child; code=$?  # also of one that ended while a trap ran
if [ -n "$scratch" ]; then
  rm -rf "$data.new" "$data.old" && cp -a "$work" "$data.new" && sync -f "$data.new" &&
    mv "$data" "$data.old" && mv "$data.new" "$data" && rm -rf "$data.old" "$work" || code=1
fi
echo "job $job: heddle ended with $code"
if [ -n "$warned" ] && { [ $code = 75 ] || [ $code = 138 ]; }; then scontrol requeue "$job"; fi
exit $code
)bash";

constexpr const char* kMerged = "/merged";

Json recordOf(const SlurmArray& array) {
    return {{"schema", "heddle.slurm-array/1"},
            {"name", array.name},
            {"group", array.group},
            {"submitted", array.submitted},
            {"job", array.job},
            {"runs", array.runs},
            {"ended", array.ended},
            {"tasks", array.tasks},
            {"after", array.after},
            {"starts_in", array.startsIn}};
}

SlurmArray arrayOf(const Json& document, const std::string& file) {
    constexpr const char* kNext = "remove it if its jobs have ended: what they trained stays";
    if (!document.is_object()) throwInvalid("no record of a submitted array", file, kNext);
    const auto read = [&](const char* key, auto otherwise) {
        return memberOr(document, key, std::move(otherwise), "the array", file, kNext);
    };
    SlurmArray array{read("name", std::string()),
                     read("group", std::string()),
                     read("submitted", 0.0),
                     read("job", std::int64_t{0}),
                     read("runs", std::vector<std::string>()),
                     read("ended", std::vector<std::string>()),
                     read("tasks", std::vector<std::int64_t>()),
                     read("after", std::int64_t{0}),
                     read("starts_in", std::map<std::string, std::string>())};
    if (!array.tasks.empty() && array.tasks.size() != array.runs.size())
        throwInvalid("the record has another number of tasks than of runs", file, kNext);
    return array;
}

}  // namespace

std::string slurmFolderOf(const std::string& database) { return fs::absolute(database).lexically_normal().string() + ".jobs"; }

SlurmFolder::SlurmFolder(const std::string& database) : path_(slurmFolderOf(database)) {}

void SlurmFolder::create() const {
    writeFileAtomically(script(), kScript);
    for (const char* folder : {"/arrays", "/runs"}) createFolderDurably(path_ + folder);
}

std::vector<SlurmArray> SlurmFolder::arrays() const {
    std::vector<SlurmArray> arrays;
    if (!fs::exists(path_ + "/arrays")) return arrays;
    for (const auto& entry : fs::directory_iterator(path_ + "/arrays"))
        if (entry.path().extension() == ".json")
            arrays.push_back(arrayOf(readJsonFile(entry.path().string()), entry.path().string()));
    std::sort(arrays.begin(), arrays.end(), [](const SlurmArray& a, const SlurmArray& b) { return a.submitted < b.submitted; });
    return arrays;
}

void SlurmFolder::write(const SlurmArray& array) const {
    const std::string file = path_ + "/arrays/" + array.name + ".json";
    if (array.ended.size() == array.runs.size()) {
        fs::remove(file);
        fs::remove_all(linksOf(array));
        return;
    }
    if (!fs::exists(linksOf(array))) {
        createFolderDurably(linksOf(array));
        for (std::size_t i = 0; i < array.runs.size(); ++i)
            fs::create_directory_symlink("../../runs/" + array.runs[i], fmt::format("{}/{}", linksOf(array), array.taskOf(i)));
    }
    writeFileAtomically(file, recordOf(array).dump(2) + "\n");
}

std::string SlurmFolder::planOf(const std::string& key) const { return folderOf(key) + "/plan.json"; }

std::string SlurmFolder::nameIn(const std::string& key, const std::string& otherwise) const {
    return fs::exists(planOf(key)) ? Plan::parse(readJsonFile(planOf(key)), planOf(key)).rows.at(0).name : otherwise;
}

void SlurmFolder::prepare(const std::string& key, const PlannedRun& run) const {
    if (fs::exists(folderOf(key) + kMerged)) fs::remove_all(folderOf(key));  // it is to be trained anew
    PlanRow row{nameIn(key, run.spec.name), run.spec.toJson(), {}, {run.spec.seed}};
    if (run.waitsForStart()) {
        row.from = run.start->from;
        row.from->row = nameIn(run.start->key, row.from->row);
        row.from->database = databaseOf(run.start->key);
    }
    writeFileAtomically(planOf(key), Plan{{std::move(row)}}.toJson().dump(2) + "\n");
}

bool SlurmFolder::isPrepared(const std::string& key) const {
    return fs::exists(planOf(key)) && !fs::exists(folderOf(key) + kMerged);
}

void SlurmFolder::setMerged(const std::string& key) const { writeFileAtomically(folderOf(key) + kMerged, ""); }

void SlurmFolder::forgetMerged(const std::set<std::string>& needed) const {
    std::vector<fs::path> merged;
    for (const auto& entry : fs::directory_iterator(path_ + "/runs"))
        if (fs::exists(entry.path().string() + kMerged) && !needed.contains(entry.path().filename().string()))
            merged.push_back(entry.path());
    for (const fs::path& folder : merged) fs::remove_all(folder);
}

std::string SlurmFolder::titleOf(const std::string& key) const {
    const std::string file = folderOf(key) + "/plan.json";
    if (!fs::exists(file)) return key;
    const Plan plan = Plan::parse(readJsonFile(file), file);
    if (plan.rows.empty() || plan.rows.front().seeds.empty()) return key;
    return fmt::format("{}, seed {}", printable(plan.rows.front().name), plan.rows.front().seeds.front());
}

std::string SlurmFolder::lastLinesOf(const std::string& key) const {
    constexpr std::streamoff kMost = 4096;
    constexpr std::ptrdiff_t kLines = 8;
    std::ifstream log(logOf(key), std::ios::binary | std::ios::ate);
    if (!log) return "";
    const std::streamoff size = log.tellg();
    log.seekg(std::max<std::streamoff>(0, size - kMost));
    std::vector<std::string> lines;
    for (std::string line; std::getline(log, line);)
        if (!line.empty()) lines.push_back(std::move(line));
    std::string text;
    const auto first = lines.end() - std::min<std::ptrdiff_t>(kLines, std::ssize(lines));
    for (auto line = first; line != lines.end(); ++line) text += "    " + printable(*line) + "\n";
    return text;
}

}  // namespace heddle::app
