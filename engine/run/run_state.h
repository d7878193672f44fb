// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace heddle {

enum class RunState { Queued, Preparing, Running, Paused, Stopping, Completed, Stopped, Failed, Interrupted };
inline constexpr int kRunStateCount = 9;

/// The actions on a run by a user, a signal or the engine. Buttons and CLI verbs are generated from their table.
enum class RunVerb { Start, Pause, Resume, Stop, Checkpoint, Delete };

constexpr std::string_view name(RunState s) {
    constexpr std::array<std::string_view, kRunStateCount> kNames{"queued",    "preparing", "running", "paused",     "stopping",
                                                                  "completed", "stopped",   "failed",  "interrupted"};
    return kNames[static_cast<int>(s)];
}
/// The inverse of name(); nothing for an unknown name.
constexpr std::optional<RunState> runStateFromName(std::string_view text) {
    for (int i = 0; i < kRunStateCount; ++i)
        if (const auto state = static_cast<RunState>(i); name(state) == text) return state;
    return std::nullopt;
}

constexpr bool isFinal(RunState s) {
    return s == RunState::Completed || s == RunState::Stopped || s == RunState::Failed || s == RunState::Interrupted;
}

/// Whether an engine thread has the run: preparing, running, paused or stopping.
constexpr bool isActive(RunState s) { return !isFinal(s) && s != RunState::Queued; }
/// The same for a stored state name; false for an unknown name.
constexpr bool isActive(std::string_view stateName) {
    const auto state = runStateFromName(stateName);
    return state && isActive(*state);
}

/// The one transition table (design section 4): may a run go from `from` to `to`?
/// queued → preparing | stopped | interrupted; preparing → running | stopping | failed | interrupted;
/// running → paused | stopping | completed | failed | interrupted; paused → running | stopping | failed | interrupted;
/// stopping → stopped | completed | failed | interrupted; stopped | failed | interrupted | completed → queued (a new attempt).
constexpr bool isAllowed(RunState from, RunState to) {
    using enum RunState;
    switch (from) {
    case Queued: return to == Preparing || to == Stopped || to == Interrupted;
    case Preparing: return to == Running || to == Stopping || to == Failed || to == Interrupted;
    case Running: return to == Paused || to == Stopping || to == Completed || to == Failed || to == Interrupted;
    case Paused: return to == Running || to == Stopping || to == Failed || to == Interrupted;
    case Stopping: return to == Stopped || to == Completed || to == Failed || to == Interrupted;
    case Completed:
    case Stopped:
    case Failed:
    case Interrupted: return to == Queued;
    }
    return false;
}

/// Which verbs make sense in a state.
constexpr bool isAllowed(RunState state, RunVerb verb) {
    using enum RunState;
    switch (verb) {
    case RunVerb::Start: return isFinal(state) && state != Completed;  // a new attempt; a completed run has no steps left
    case RunVerb::Pause: return state == Running;
    case RunVerb::Resume: return state == Paused;
    case RunVerb::Stop: return state == Queued || state == Preparing || state == Running || state == Paused;
    case RunVerb::Checkpoint: return state == Running || state == Paused;
    case RunVerb::Delete: return isFinal(state) || state == Queued;
    }
    return false;
}

}  // namespace heddle
