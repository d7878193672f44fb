// SPDX-License-Identifier: Apache-2.0
#include "app/cli/process_options.h"

#include "app/cli/signals.h"
#include "app/launch/local_processes.h"
#include "app/session/process/own_surroundings.h"
#include "app/session/process/paths.h"
#include "engine/base/error.h"
#include "engine/base/threads.h"
#include "engine/run/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

namespace heddle::app {
namespace {

constexpr const char* kCount = "--nproc";

/// The arguments of this process without --nproc, the program first.
std::vector<std::string> commandOfEach() {
    std::vector<std::string> arguments = ownArguments();
    arguments.front() = std::filesystem::read_symlink("/proc/self/exe").string();
    if (const auto option = std::find(arguments.begin(), arguments.end(), kCount); option != arguments.end())
        arguments.erase(option, option + 2);
    std::erase_if(arguments, [](const std::string& one) { return one.starts_with(std::string(kCount) + "="); });
    return arguments;
}

}  // namespace

int processCount(const std::string& text, const EngineSource& engine) {
    if (text == "auto") {
        const auto devices = engine()->devices();
        const auto gpus =
            std::count_if(devices.begin(), devices.end(), [](const DeviceInfo& one) { return one.id.starts_with("cuda"); });
        return gpus > 0 ? static_cast<int>(gpus) : physicalCores();
    }
    int count = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
    constexpr int kMost = 1024;
    if (failed != std::errc() || end != text.data() + text.size() || count < 1 || count > kMost)
        throwUsage(fmt::format("--nproc takes auto or a number from 1 to {}", kMost), "--nproc " + text,
                   "give the number of processes on this machine");
    return count;
}

void addProcessOptions(CommandBuilder& command, ProcessOptions& options) {
    command
        .option(
            kCount, options.count, "N|auto",
            "Train in so many processes on this machine, each with a part of every step's micro-batches (train.accumulate); "
            "auto: one for each GPU, else for each core")
        .option("--rank", options.place.rank, "R", "Number of this process among several that are started by hand, from 0")
        .option("--world-size", options.place.size, "N", "How many there are")
        .option("--local-rank", options.place.localRank, "L", "Its number on its machine, which is that of its GPU")
        .option("--master", options.place.master, "HOST:PORT", "Where process 0 waits for the others")
        .excludes("--rank", kCount);
}

std::optional<int> runInProcesses(const ProcessOptions& options, const Context& context) {
    if (options.count.empty()) return std::nullopt;
    const int count = processCount(options.count, context.engine);
    if (count == 1) return std::nullopt;
    const SignalWatch signals;
    return runLocally({commandOfEach(), count, [&] { return signals.received(); }});
}

ProcessPlace placeOf(const ProcessOptions& options) {
    if (!options.count.empty()) return {};
    endWithStarter();
    return placeOf(options.place, [](const std::string& name) { return environment(name.c_str()); });
}

int joinRun(const ProcessPlace& place, const std::optional<RunSpec>& spec, const Context& context) {
    constexpr std::chrono::milliseconds kPoll{100};
    const SignalWatch signals;
    Mailbox mailbox;
    const std::jthread watch([&](const std::stop_token& stop) {
        while (!stop.stop_requested() && signals.received() == 0) std::this_thread::sleep_for(kPoll);
        if (signals.received() != 0) mailbox.put(StopCommand{"signal"});
    });
    const TrainOutcome outcome = context.engine()->join({place, spec, defaultCacheFolder()}, mailbox);
    const bool isStopped = outcome.state == RunState::Stopped && signals.received() != 0;
    return isStopped ? SignalWatch::exitCode(signals.received()) : 0;
}

}  // namespace heddle::app
