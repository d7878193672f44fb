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

/// What can be said to a run in training. Acts at the next step border or, in evaluation, after the current batch or
/// decoded position.
struct Command {
    enum class Kind { Pause, Resume, Stop, Checkpoint, Ask };
    Kind kind = Kind::Pause;
    std::string reason;          ///< "user", "signal", "recorder"
    std::uint64_t question = 0;  ///< Ask: number that the Answer event carries
    Json body;                   ///< Ask: {"ask":"translate","text":…}
};

/// The one road from everywhere to the trainer. Any thread puts; the engine thread takes. Never lost, in order.
class Mailbox {
public:
    void put(Command command);
    std::optional<Command> take();                                       ///< next command, or nothing at once
    std::optional<Command> waitFor(std::chrono::milliseconds patience);  ///< used while paused
    bool hasCommand() const;                                             ///< cheap: asked between decoded positions

private:
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Command> commands_;
};

}  // namespace heddle
