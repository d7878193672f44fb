// SPDX-License-Identifier: Apache-2.0
#include "app/launch/sbatch_arguments.h"

#include "app/session/process/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace heddle::app {
namespace {

/// Seconds before the end of a job's time at which it is warned; --sbatch "--signal=B:USR1@N" replaces it.
constexpr int kWarning = 60;

/// The path as sbatch reads it in --output, where % begins a pattern.
std::string withoutPatterns(std::string path) {
    for (std::size_t at = 0; (at = path.find('%', at)) != std::string::npos; at += 2) path.insert(at, 1, '%');
    return path;
}

/// The cores that a job needs: the highest number of threads of these runs. Nothing if one of them uses all cores of a machine.
std::optional<std::int64_t> coresOf(const std::vector<const PlannedRun*>& runs) {
    std::int64_t most = 0;
    for (const PlannedRun* run : runs) {
        if (run->spec.train.threads <= 0) return std::nullopt;
        most = std::max(most, run->spec.train.threads);
    }
    return most;
}

/// The user's options without --dependency, which may be one word or two.
std::vector<std::string> withoutDependency(const std::vector<std::string>& options) {
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const std::string& option = options[i];
        if (option == "--dependency" || option == "-d")
            ++i;  // the next word is its value
        else if (!option.starts_with("--dependency") && !option.starts_with("-d"))
            rest.push_back(option);
    }
    return rest;
}

std::string tasksOf(const SlurmArray& array) {
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < array.runs.size(); ++i) numbers.push_back(array.taskOf(i));
    std::sort(numbers.begin(), numbers.end());
    return taskList(numbers);
}

}  // namespace

std::string taskList(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (std::size_t first = 0, last = 0; first < numbers.size(); first = last + 1) {
        for (last = first; last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1;) ++last;
        text += (text.empty() ? "" : ",") + std::to_string(numbers[first]);
        if (numbers[last] != numbers[first]) text += "-" + std::to_string(numbers[last]);
    }
    return text;
}

std::vector<std::string> sbatchArguments(const SlurmArray& array, const std::vector<const PlannedRun*>& runs,
                                         const SlurmFolder& folder, const SlurmOptions& options) {
    const std::string limit = options.arrayLimit ? fmt::format("%{}", *options.arrayLimit) : "";
    std::vector<std::string> arguments{"--job-name=" + array.name,
                                       "--array=" + tasksOf(array) + limit,
                                       "--requeue",
                                       fmt::format("--signal=B:USR1@{}", kWarning),
                                       "--open-mode=append",
                                       "--output=" + withoutPatterns(folder.linksOf(array)) + "/%a/log.txt"};
    if (const auto cores = coresOf(runs)) arguments.push_back(fmt::format("--cpus-per-task={}", *cores));
    const auto add = [&](const char* option, const std::string& value) {
        if (!value.empty()) arguments.push_back(option + value);
    };
    add("--partition=", options.partition);
    add("--gres=", options.gres);
    add("--time=", options.time);
    for (const std::string& option : array.after == 0 ? options.more : withoutDependency(options.more))
        arguments.push_back(option);
    if (array.after != 0) {  // a task whose start fails is cancelled, not left in the queue for ever
        arguments.push_back(fmt::format("--dependency=aftercorr:{}", array.after));
        arguments.emplace_back("--kill-on-invalid-dep=yes");
    }
    for (const std::string& one : {folder.script(), folder.linksOf(array), programFolder() + "/heddle", options.scratch})
        arguments.push_back(one);
    return arguments;
}

}  // namespace heddle::app
