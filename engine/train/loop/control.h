// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/mailbox.h"
#include "engine/train/report/emitter.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace heddle {

/// Executes the mailbox's commands for one attempt. Holds the run's state with its only setter, and the pause loop. Engine
/// thread only.
class Control {
public:
    struct Actions {
        std::function<void()> checkpoint;
        std::function<Json(const Json& question)> answer;  ///< throws Error when it cannot
        std::function<void()> whilePaused = {};            ///< called four times a second; may be empty, may throw Error
    };
    Control(Mailbox& mailbox, Emitter& emitter);
    void setActions(Actions actions) { actions_ = std::move(actions); }

    /// The one setter of the state; emits StateChanged. Throws Error(Failure) for a change that the transition table forbids.
    void setState(RunState to, const std::string& reason);
    RunState state() const { return *state_; }

    /// While preparing: checks for a stop; other commands wait for the first step border.
    bool stopWhilePreparing();
    /// At a step border: executes pending commands, pauses on command or when the recorder falls behind, and returns when
    /// training continues or must stop.
    void serve();
    /// Lets a command wait for the next step border.
    void put(StopCommand command) { waiting_.emplace_back(std::move(command)); }
    bool hasCommand() const { return !waiting_.empty() || mailbox_.hasCommand(); }
    bool stopRequested() const { return stopRequested_; }

    enum class PauseEnd { Ready, Resumed, Stopped };
    /// Pauses until `ready` (polled four times a second; may be empty), a resume or a stop; serves the mailbox meanwhile.
    PauseEnd pause(const std::string& reason, const std::function<bool()>& ready);

private:
    std::optional<Command> take();
    void execute(const Command& command);
    void answer(const AskCommand& command);
    void stop(const StopCommand& command);

    Mailbox& mailbox_;
    Emitter& emitter_;
    Actions actions_;
    std::deque<Command> waiting_;  ///< arrived while preparing
    std::optional<RunState> state_;
    bool stopRequested_ = false;
};

}  // namespace heddle
