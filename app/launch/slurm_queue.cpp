// SPDX-License-Identifier: Apache-2.0
#include "app/launch/slurm_queue.h"

#include "app/session/process/child_process.h"
#include "engine/base/contains.h"
#include "engine/base/error.h"
#include "engine/base/json.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

namespace heddle::app {
namespace {

constexpr const char *kQueue = "squeue --json", *kTruncated = "...";
/// In place of the number of a task: all tasks that Slurm left out of a list that was too long for it.
constexpr std::int64_t kEveryOther = -1;

/// Runs one of Slurm's commands. Throws Error(Usage) where it is not installed.
ChildResult runSlurm(std::vector<std::string> arguments) {
    const std::string program = arguments.front();
    ChildOptions options;
    options.timeout = std::chrono::minutes(2);
    options.environment = {{"SLURM_BITSTR_LEN", "0"}};  // else lists of tasks end after 64 characters
    try {
        return runChild(std::move(arguments), options);
    } catch (const Error& error) {
        throw Error(ErrorCode::Usage, error.problem(), program, "use --launcher slurm on a machine that has Slurm's commands");
    }
}

/// The number that a command of Slurm has printed.
std::int64_t numberIn(std::string_view text, const char* command) {
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size() || number < 0)
        throw Error(ErrorCode::Failure, fmt::format("\"{}\" is no number of a job or task", text), command,
                    "report this with the version of Slurm");
    return number;
}

/// The number, or nothing if it is not set. Slurm 22 writes 3 or null, later versions {"set": true, "infinite": false,
/// "number": 3}.
std::optional<std::int64_t> numberOf(const Json& job, const char* key) {
    const auto found = job.find(key);
    if (found == job.end()) return std::nullopt;
    if (found->is_number_integer()) return found->get<std::int64_t>();
    if (found->is_object() && found->value("set", false)) return found->at("number").get<std::int64_t>();
    return std::nullopt;
}

/// Slurm 22 writes "RUNNING", later versions a list: ["COMPLETING", "RUNNING"].
std::vector<std::string> wordsOf(const Json& job, const char* key) {
    const auto found = job.find(key);
    if (found == job.end()) return {};
    if (found->is_string()) return {found->get<std::string>()};
    return found->is_array() ? found->get<std::vector<std::string>>() : std::vector<std::string>();
}

SlurmState stateIn(const Json& job) {
    static const std::vector<std::string> kRunning{"RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED",
                                                   "STOPPED", "SIGNALING",   "STAGE_OUT",  "RESIZING"},
        kWaiting{"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"};
    SlurmState state;
    for (const std::string& word : wordsOf(job, "job_state")) {
        state.state += (state.state.empty() ? "" : " ") + word;
        if (contains(kWaiting, word)) state.life = SlurmLife::Waiting;
        if (contains(kRunning, word) && state.life == SlurmLife::Ended) state.life = SlurmLife::Running;
    }
    state.reason = job.value("state_reason", "");
    state.node = job.value("nodes", "");
    return state;
}

void take(const Json& job, SlurmQueue& queue) {
    const std::int64_t array = numberOf(job, "array_job_id").value_or(0);
    if (array == 0) return;
    queue.jobs[job.value("name", "")] = array;
    const SlurmState state = stateIn(job);
    if (const auto task = numberOf(job, "array_task_id")) {
        queue.tasks[{array, *task}] = state;
        return;
    }
    std::string waiting = job.value("array_task_string", "");
    if (waiting.find(kTruncated) != std::string::npos) {
        waiting.clear();
        queue.tasks[{array, kEveryOther}] = state;
    }
    for (const std::int64_t task : taskNumbers(waiting)) queue.tasks[{array, task}] = state;
}

/// The last line that a command wrote to standard error before it failed; without one, its exit code.
std::string saidBy(const ChildResult& result) {
    return result.last.empty() ? fmt::format("it ended with {}", result.code) : result.last;
}

}  // namespace

std::string SlurmTask::text() const { return fmt::format("{}_{}", job, index); }

SlurmState SlurmQueue::stateOf(const SlurmTask& task) const {
    auto found = tasks.find(task);
    if (found == tasks.end()) found = tasks.find({task.job, kEveryOther});
    return found == tasks.end() ? SlurmState() : found->second;
}

SlurmQueue SlurmQueue::parse(const Json& document) {
    SlurmQueue queue;
    try {
        for (const Json& job : document.at("jobs")) take(job, queue);
    } catch (const Json::exception& error) {
        throw Error(ErrorCode::Failure, fmt::format("squeue --json printed another document than expected: {}", error.what()),
                    kQueue, "report this with the version of Slurm");
    }
    return queue;
}

std::vector<std::int64_t> taskNumbers(const std::string& text) {
    std::vector<std::int64_t> numbers;
    std::istringstream parts(text.substr(0, text.find('%')));
    for (std::string part; std::getline(parts, part, ',');) {
        const std::size_t colon = part.find(':'), dash = part.find('-');
        const std::int64_t step = colon == std::string::npos ? 1 : numberIn(std::string_view(part).substr(colon + 1), kQueue);
        const std::string range = part.substr(0, colon);
        const std::int64_t first = numberIn(range.substr(0, dash), kQueue);
        const std::int64_t last = dash == std::string::npos ? first : numberIn(range.substr(dash + 1), kQueue);
        for (std::int64_t number = first; step > 0 && number <= last; number += step) numbers.push_back(number);
    }
    return numbers;
}

std::string lastStateIn(const std::string& text) {
    static const std::regex kState(R"(JobState=(\S+)(?:\s+Reason=(\S+))?)");
    std::smatch found;
    if (!std::regex_search(text, found, kState)) return "";
    const std::string reason = found[2];
    return found[1].str() + (reason.empty() || reason == "None" ? "" : ", " + reason);
}

std::optional<SlurmQueue> readSlurmQueue(std::string& problem) {
    const ChildResult result = runSlurm({"squeue", "--json"});
    if (result.code == 0) return SlurmQueue::parse(parseJson(result.out, kQueue));
    problem = saidBy(result);
    return std::nullopt;
}

std::string lastStateOf(const SlurmTask& task) {
    const ChildResult result = runSlurm({"scontrol", "show", "job", task.text()});
    return result.code == 0 ? lastStateIn(result.out) : "";
}

std::int64_t submitToSlurm(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{"sbatch", "--parsable"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const ChildResult result = runSlurm(std::move(command));
    if (result.code != 0)
        throw Error(ErrorCode::Failure, "Slurm did not take the jobs: " + saidBy(result), "sbatch",
                    "change the options for Slurm, and give the command again");
    return numberIn(lastLineOf(result.out.substr(0, result.out.find(';'))), "sbatch");  // "17" or "17;cluster"
}

void cancelInSlurm(const std::vector<std::string>& jobs) {
    if (jobs.empty()) return;
    std::vector<std::string> command{"scancel"};
    command.insert(command.end(), jobs.begin(), jobs.end());
    const ChildResult result = runSlurm(std::move(command));
    if (result.code != 0)
        throw Error(ErrorCode::Failure, "not all jobs were cancelled: " + saidBy(result), "scancel", "give the command again");
}

}  // namespace heddle::app
