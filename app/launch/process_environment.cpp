// SPDX-License-Identifier: Apache-2.0
#include "app/launch/process_environment.h"

#include "engine/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <utility>

namespace heddle::app {
namespace {

constexpr const char* kHowToStart = "start the processes with heddle train --nproc N, torchrun --no-python or srun";
constexpr std::int64_t kMostProcesses = 65'536;
constexpr std::int64_t kLongestPatience = 86'400;  ///< seconds

std::int64_t wholeNumber(const std::string& text, const std::string& where, std::int64_t most) {
    std::int64_t value = -1;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size() || value < 0 || value > most)
        throwUsage(fmt::format("\"{}\" is not a number from 0 to {}", text, most), where, kHowToStart);
    return value;
}

/// The number that an option gives for a rank or for a number of processes.
int numberOf(std::int64_t value, const char* option) {
    return static_cast<int>(wholeNumber(std::to_string(value), option, kMostProcesses));
}

/// The number in a variable that must be set.
std::int64_t numberIn(const Variables& variables, const std::string& name, std::int64_t most = kMostProcesses) {
    const std::string text = variables(name);
    if (text.empty()) throwUsage("a variable of a group of processes is not set", name, kHowToStart);
    return wholeNumber(text, name, most);
}

std::uint16_t portOf(std::int64_t number, const std::string& where) {
    if (number < 1 || number > std::numeric_limits<std::uint16_t>::max())
        throwUsage(fmt::format("{} is not a TCP port", number), where, kHowToStart);
    return static_cast<std::uint16_t>(number);
}

ProcessPlace fromOptions(const PlaceOptions& options) {
    const std::size_t colon = options.master.rfind(':');
    if (!options.rank || !options.size || colon == std::string::npos || colon == 0)
        throwUsage("a process of several needs all of --rank, --world-size and --master HOST:PORT", "--rank, --world-size",
                   kHowToStart);
    ProcessPlace place;
    place.rank = numberOf(*options.rank, "--rank");
    place.size = numberOf(*options.size, "--world-size");
    place.localRank = numberOf(options.localRank.value_or(0), "--local-rank");
    // No option says how many processes this machine has. It has at least as many as the local rank implies.
    place.localSize = place.localRank + 1;
    place.address = options.master.substr(0, colon);
    place.port = portOf(wholeNumber(options.master.substr(colon + 1), "--master", 65'535), "--master");
    return place;
}

ProcessPlace fromTorchrun(const Variables& variables) {
    ProcessPlace place;
    place.rank = static_cast<int>(numberIn(variables, "RANK"));
    place.size = static_cast<int>(numberIn(variables, "WORLD_SIZE"));
    if (place.size == 1) return {};
    place.localRank = static_cast<int>(numberIn(variables, "LOCAL_RANK"));
    const bool saysLocalSize = !variables("LOCAL_WORLD_SIZE").empty();
    place.localSize = saysLocalSize ? static_cast<int>(numberIn(variables, "LOCAL_WORLD_SIZE")) : place.localRank + 1;
    place.address = variables("MASTER_ADDR");
    if (place.address.empty()) throwUsage("a variable of a group of processes is not set", "MASTER_ADDR", kHowToStart);
    place.port = portOf(numberIn(variables, "MASTER_PORT", 65'535), "MASTER_PORT");
    return place;
}

ProcessPlace fromSlurm(const Variables& variables) {
    ProcessPlace place;
    place.size = static_cast<int>(numberIn(variables, "SLURM_STEP_NUM_TASKS"));
    if (place.size <= 1) return {};
    place.rank = static_cast<int>(numberIn(variables, "SLURM_PROCID"));
    place.localRank = static_cast<int>(numberIn(variables, "SLURM_LOCALID"));
    place.localSize =
        static_cast<int>(tasksOnNode(variables("SLURM_STEP_TASKS_PER_NODE"), numberIn(variables, "SLURM_NODEID")));
    const std::string given = variables("MASTER_ADDR"), nodes = variables("SLURM_STEP_NODELIST");
    place.address = given.empty() ? firstHost(nodes.empty() ? variables("SLURM_JOB_NODELIST") : nodes) : given;
    if (place.address.empty()) throwUsage("a variable of a group of processes is not set", "SLURM_STEP_NODELIST", kHowToStart);
    constexpr std::int64_t kFirstPort = 15'000, kPorts = 10'000;
    const std::int64_t job = numberIn(variables, "SLURM_JOB_ID", std::numeric_limits<std::int64_t>::max());
    place.port = variables("MASTER_PORT").empty() ? portOf(kFirstPort + job % kPorts, "SLURM_JOB_ID")
                                                  : portOf(numberIn(variables, "MASTER_PORT", 65'535), "MASTER_PORT");
    return place;
}

std::chrono::seconds patienceIn(const Variables& variables) {
    const std::chrono::seconds patience(numberIn(variables, "HEDDLE_PROCESS_PATIENCE", kLongestPatience));
    if (patience.count() == 0)
        throwUsage("processes that wait 0 seconds for each other are all lost at once", "HEDDLE_PROCESS_PATIENCE",
                   fmt::format("set it to 1 to {} seconds, or unset it for 45", kLongestPatience));
    return patience;
}

ProcessPlace checked(ProcessPlace place) {
    if (place.size < 1 || place.rank < 0 || place.rank >= place.size || place.localRank < 0 ||
        place.localRank >= place.localSize)
        throwUsage(fmt::format("there is no process {} of {}, number {} of {} on its machine", place.rank, place.size,
                               place.localRank, place.localSize),
                   "processes of the run", kHowToStart);
    return place;
}

}  // namespace

ProcessPlace placeOf(const PlaceOptions& options, const Variables& variables) {
    ProcessPlace place;
    if (options.rank || options.size || options.localRank || !options.master.empty())
        place = fromOptions(options);
    else if (!variables("RANK").empty() && !variables("WORLD_SIZE").empty())
        place = fromTorchrun(variables);
    else if (!variables("SLURM_STEP_ID").empty() && !variables("SLURM_STEP_NUM_TASKS").empty())  // not so in a batch script
        place = fromSlurm(variables);
    if (place.size == 1) return {};
    if (!variables("HEDDLE_PROCESS_PATIENCE").empty()) place.patience = patienceIn(variables);
    return checked(std::move(place));
}

std::string firstHost(const std::string& nodeList) {
    const std::size_t end = nodeList.find_first_of(",[");
    if (end == std::string::npos || nodeList[end] == ',') return nodeList.substr(0, end);
    const std::size_t number = nodeList.find_first_of("-,]", end + 1);
    if (number == std::string::npos) return "";
    const std::size_t close = nodeList.find(']', end), next = nodeList.find(',', close);
    const std::string after = nodeList.substr(close + 1, next == std::string::npos ? next : next - close - 1);
    return nodeList.substr(0, end) + nodeList.substr(end + 1, number - end - 1) + after;
}

std::int64_t tasksOnNode(const std::string& list, std::int64_t node) {
    constexpr const char* kWhere = "SLURM_STEP_TASKS_PER_NODE";
    std::size_t at = 0;
    while (at < list.size()) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        const std::string part = list.substr(at, end - at);
        const std::size_t times = part.find("(x");
        const std::int64_t tasks = wholeNumber(part.substr(0, times), kWhere, kMostProcesses);
        const std::int64_t nodes = times == std::string::npos
                                       ? 1
                                       : wholeNumber(part.substr(times + 2, part.size() - times - 3), kWhere, kMostProcesses);
        if (node < nodes) return tasks;
        node -= nodes;
        at = end + 1;
    }
    throwUsage(fmt::format("\"{}\" does not say how many processes are on this node", list), kWhere, kHowToStart);
}

}  // namespace heddle::app
