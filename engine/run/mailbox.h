// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/json.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

namespace heddle {

struct PauseCommand {
    std::string reason;  ///< "user", "signal", "recorder"
};
struct ResumeCommand {
    std::string reason;
};
struct StopCommand {
    std::string reason;
};
struct CheckpointCommand {};
struct AskCommand {
    std::uint64_t number = 0;  ///< repeated in the Answer event
    Json question;             ///< {"ask":"translate","text":…}
};

/// The commands to a run in training, a closed set. They take effect at the next step border or, in evaluation, after the
/// current batch or decoded position.
using Command = std::variant<PauseCommand, ResumeCommand, StopCommand, CheckpointCommand, AskCommand>;

/// The command queue of the trainer, in order and lossless. Any thread puts; the engine thread takes.
class Mailbox {
public:
    void put(Command command);
    std::optional<Command> take();                                       ///< next command, or nothing; does not block
    std::optional<Command> waitFor(std::chrono::milliseconds patience);  ///< used while paused
    bool hasCommand() const;                                             ///< cheap: polled between decoded positions

private:
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Command> commands_;
};

}  // namespace heddle
