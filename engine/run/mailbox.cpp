// SPDX-License-Identifier: Apache-2.0
#include "engine/run/mailbox.h"

namespace heddle {

void Mailbox::put(Command command) {
    {
        const std::lock_guard lock(mutex_);
        commands_.push_back(std::move(command));
    }
    arrived_.notify_one();
}

std::optional<Command> Mailbox::take() { return waitFor(std::chrono::milliseconds::zero()); }

std::optional<Command> Mailbox::waitFor(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, patience, [this] { return !commands_.empty(); })) return std::nullopt;
    Command command = std::move(commands_.front());
    commands_.pop_front();
    return command;
}

bool Mailbox::hasCommand() const {
    const std::lock_guard lock(mutex_);
    return !commands_.empty();
}

}  // namespace heddle
