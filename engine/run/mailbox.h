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

namespace heddle {

/// A command to a run in training. It takes effect at the next step border or, in evaluation, after the current batch or
/// decoded position.
struct Command {
    enum class Kind { Pause, Resume, Stop, Checkpoint, Ask };
    Kind kind = Kind::Pause;
    std::string reason;          ///< "user", "signal", "recorder"
    std::uint64_t question = 0;  ///< Ask: number repeated in the Answer event
    Json body;                   ///< Ask: {"ask":"translate","text":…}
};

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
