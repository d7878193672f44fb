// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/control.h"

#include "engine/base/error.h"

#include <cassert>

namespace heddle {
namespace {
constexpr std::chrono::milliseconds kPatience{250};
}

Control::Control(Mailbox& mailbox, Emitter& emitter) : mailbox_(mailbox), emitter_(emitter) {}

void Control::setState(RunState to, const std::string& reason) {
    assert(!state_ || isAllowed(*state_, to));
    state_ = to;
    emitter_.emit(StateChanged{to, reason});
}

std::optional<Command> Control::take() {
    if (waiting_.empty()) return mailbox_.take();
    Command command = std::move(waiting_.front());
    waiting_.pop_front();
    return command;
}

bool Control::stopWhilePreparing() {
    while (auto command = mailbox_.take()) {
        if (command->kind == Command::Kind::Stop)
            stop(*command);
        else
            waiting_.push_back(std::move(*command));
    }
    return stopRequested_;
}

void Control::serve() {
    while (!stopRequested_) {
        if (const auto command = take())
            execute(*command);
        else if (const auto pressure = emitter_.pressure(); pressure >= EventSink::Pressure::Pause)
            pause(pressure == EventSink::Pressure::Pause ? "recorder" : "database",
                  [this] { return emitter_.pressure() == EventSink::Pressure::None; });
        else
            return;
    }
}

void Control::execute(const Command& command) {
    switch (command.kind) {
    case Command::Kind::Pause: pause(command.reason, {}); return;
    case Command::Kind::Stop: stop(command); return;
    case Command::Kind::Resume: return;  // already running
    case Command::Kind::Checkpoint:
    case Command::Kind::Ask: checkpointOrAnswer(command); return;
    }
}

Control::PauseEnd Control::pause(const std::string& reason, const std::function<bool()>& ready) {
    setState(RunState::Paused, reason);
    for (;;) {
        if (ready && ready()) {
            setState(RunState::Running, reason + " is ready");
            return PauseEnd::Ready;
        }
        auto command = take();
        if (!command) command = mailbox_.waitFor(kPatience);
        if (!command) continue;
        if (command->kind == Command::Kind::Stop) {
            stop(*command);
            return PauseEnd::Stopped;
        }
        if (command->kind == Command::Kind::Resume) {
            setState(RunState::Running, command->reason);
            return PauseEnd::Resumed;
        }
        if (command->kind != Command::Kind::Pause) checkpointOrAnswer(*command);
    }
}

void Control::checkpointOrAnswer(const Command& command) {
    if (command.kind == Command::Kind::Checkpoint) {
        actions_.checkpoint();
        return;
    }
    try {
        emitter_.emit(Answer{command.question, true, actions_.answer(command.body)});
    } catch (const Error& error) {  // a bad question must not end the run: return the error to the asker
        emitter_.emit(
            Answer{command.question, false, {{"what", error.problem()}, {"where", error.where()}, {"next", error.next()}}});
    }
}

void Control::stop(const Command& command) {
    stopRequested_ = true;
    setState(RunState::Stopping, command.reason);
}

}  // namespace heddle
