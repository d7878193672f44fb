// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loop/control.h"

#include "engine/base/check.h"
#include "engine/base/device_lost.h"
#include "engine/base/error.h"
#include "engine/base/overload.h"
#include "engine/device/torch_pch.h"

#include <c10/util/Exception.h>

namespace heddle {
namespace {
constexpr std::chrono::milliseconds kPatience{250};
}

Control::Control(Mailbox& mailbox, Emitter& emitter) : mailbox_(mailbox), emitter_(emitter) {}

void Control::setState(RunState to, const std::string& reason) {
    HEDDLE_CHECK(!state_ || isAllowed(*state_, to));
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
    while (!stopRequested_) {
        auto command = mailbox_.take();
        if (!command) break;
        if (const auto* stopped = std::get_if<StopCommand>(&*command))
            stop(*stopped);
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
    std::visit(Overload{
                   [&](const PauseCommand& paused) { pause(paused.reason, {}); },
                   [](const ResumeCommand&) {},  // already running
                   [&](const StopCommand& stopped) { stop(stopped); },
                   [&](const CheckpointCommand&) { actions_.checkpoint(); },
                   [&](const AskCommand& asked) { answer(asked); },
               },
               command);
}

Control::PauseEnd Control::pause(const std::string& reason, const std::function<bool()>& ready) {
    setState(RunState::Paused, reason);
    for (;;) {
        if (ready && ready()) {
            setState(RunState::Running, reason + " is ready");
            return PauseEnd::Ready;
        }
        if (actions_.whilePaused) actions_.whilePaused();
        auto command = take();
        if (!command) command = mailbox_.waitFor(kPatience);
        if (!command) continue;
        if (const auto* resumed = std::get_if<ResumeCommand>(&*command)) {
            setState(RunState::Running, resumed->reason);
            return PauseEnd::Resumed;
        }
        if (!std::holds_alternative<PauseCommand>(*command)) execute(*command);
        if (stopRequested_) return PauseEnd::Stopped;
    }
}

void Control::answer(const AskCommand& command) {
    // A bad question must not end the run: the asker is told.
    const auto refuse = [&](const std::string& what, const std::string& where, const std::string& next) {
        emitter_.emit(Answer{command.number, false, {{"what", what}, {"where", where}, {"next", next}}});
    };
    try {
        emitter_.emit(Answer{command.number, true, actions_.answer(command.question)});
    } catch (const DeviceLostError&) {
        throw;
    } catch (const Error& error) {
        refuse(error.problem(), error.where(), error.next());
    } catch (const Json::exception& error) {
        refuse(std::string("the question is not of the expected form: ") + error.what(), "ask",
               R"(ask {"ask":"translate","text":"…"})");
    } catch (const c10::Error& error) {
        refuse(error.what_without_backtrace(), "ask", "the run continues; ask for less at once");
    } catch (const std::exception& error) {
        refuse(error.what(), "ask", "the run continues; please report this with the question");
    }
}

void Control::stop(const StopCommand& command) {
    stopRequested_ = true;
    setState(RunState::Stopping, command.reason);
}

}  // namespace heddle
