// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/process_place.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// The numbers that every process sends to rank 0 before a step.
using Offer = std::array<std::int64_t, 5>;

/// The message that rank 0 sends to the others between two steps.
struct Word {
    enum class Kind : std::int64_t {
        Alive,   ///< rank 0 is still at work; never returned by told()
        Step,    ///< take the next step; `numbers` are the sums of the first three numbers of all offers
        Text,    ///< do what `text` says, and call told() again
        End,     ///< training has ended; `text` says how
        Failed,  ///< rank 0 failed; `text` says why
    };
    Kind kind = Kind::Alive;
    std::array<std::int64_t, 3> numbers{};
    std::string text = {};
};

/// The processes that train one run together, as seen by one of them. This class is the group of a single process, whose calls
/// do nothing. All processes call sum() and copyFromLeader() in the same order. Before each step rank 0 calls offers(), and
/// every other process calls offer() once. With several processes every call throws Error(Resumable) if another one has ended
/// or shows no sign of life for ProcessPlace::patience. One thread.
class Group {
public:
    Group() = default;
    virtual ~Group() = default;
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    virtual const ProcessPlace& place() const;
    bool isAlone() const { return place().isAlone(); }
    bool isLeader() const { return place().isLeader(); }

    /// Replaces `values` (dense, contiguous) by the sum over all processes.
    virtual void sum(const at::Tensor& values) { static_cast<void>(values); }
    /// Replaces `values` by those of rank 0.
    virtual void copyFromLeader(const at::Tensor& values) { static_cast<void>(values); }

    virtual void offer(const Offer& offer) { static_cast<void>(offer); }  ///< all but rank 0
    virtual std::vector<Offer> offers() { return {}; }                    ///< rank 0: those of the others, by their rank
    virtual void tell(const Word& word) { static_cast<void>(word); }      ///< rank 0: sends to the others
    virtual Word told() { return {}; }                                    ///< all but rank 0: waits for the next tell()

    /// Sends a text to all others and returns the texts of all, by rank. Used while all prepare: it waits as long as the others
    /// are alive.
    virtual std::vector<std::string> exchange(const std::string& text) { return {text}; }

    /// Rank 0: from now until resume() it works alone, for any length of time. Meanwhile told() of the others goes on waiting.
    virtual void beBusy() {}
    /// Ends what beBusy() began, or the time in which all prepare.
    virtual void resume() {}
    /// Throws Error(Resumable) if another process was found to be lost while rank 0 was busy.
    virtual void requireAll() const {}
    virtual bool isComplete() const { return true; }  ///< requireAll() would not throw
};

/// Calls beBusy() of rank 0's group, and at the end of the scope resume().
class BusyScope {
public:
    explicit BusyScope(Group& group) : group_(group) { group_.beBusy(); }
    ~BusyScope() { group_.resume(); }
    BusyScope(const BusyScope&) = delete;
    BusyScope& operator=(const BusyScope&) = delete;

private:
    Group& group_;
};

/// Joins the group; returns once all processes have joined. Throws Error(Resumable) when they do not join within five minutes,
/// Error(InvalidInput) when the address cannot be used.
std::unique_ptr<Group> joinGroup(const ProcessPlace& place);

}  // namespace heddle
