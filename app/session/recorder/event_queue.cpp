// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/event_queue.h"

#include "engine/base/json.h"
#include "engine/base/overload.h"
#include "engine/run/event_words.h"

#include <algorithm>
#include <type_traits>

namespace heddle::app {
namespace {

std::size_t sizeOf(const std::vector<std::string>& texts) {
    std::size_t bytes = 0;
    for (const auto& text : texts) bytes += sizeof(text) + text.size();
    return bytes;
}

/// Estimates the size of a JSON value by its text.
std::size_t sizeOf(const Json& value) { return value.is_null() ? 0 : 4 * dumped(value).size(); }

constexpr std::size_t kHashBytes = 64;

enum class Handling {
    Urgent,    ///< committed at once and durably
    Kept,      ///< queued even if the queue is full
    Droppable  ///< dropped when the queue is full
};

template <class T, class... Ts>
constexpr bool kIsOneOf = (std::is_same_v<T, Ts> || ...);

/// Must name every alternative, otherwise it does not compile.
template <class Body>
constexpr Handling handlingOfBody() {
    if constexpr (kIsOneOf<Body, StateChanged, EvaluationDone, CheckpointWritten, Intervened, Failure, Answer>) {
        return Handling::Urgent;
    } else if constexpr (kIsOneOf<Body, StepBlock, HistogramTaken, MapTaken, SampleText>) {
        return Handling::Droppable;
    } else {
        static_assert(kIsOneOf<Body, AttemptDescribed, ModelBuilt, StartedFrom, StateRestored, TokenizerReported, FirstStepDone,
                               StepsCaptured, MemoryMeasured, RunsAtOnce, ScalarsThinned, DecodingWithoutCache, SlowPrecision,
                               CheckpointSkipped, BestCheckpointUnreadable, DataWarning, Remark>);
        return Handling::Kept;
    }
}

Handling handlingOf(const Event& event) {
    return std::visit([]<class Body>(const Body&) { return handlingOfBody<Body>(); }, event.body);
}

}  // namespace

std::size_t estimateBytes(const Event& event) {
    const std::size_t body = std::visit(
        Overload{
            [](const StepBlock& b) {
                std::size_t bytes = 0;
                for (const auto& s : b.series)
                    bytes += sizeof(s) + s.name.size() + s.path.size() + s.values.size() * sizeof(float);
                return bytes;
            },
            [](const HistogramTaken& h) { return h.name.size() + h.path.size() + h.bins.size() * sizeof(h.bins[0]); },
            [](const MapTaken& m) {
                return m.name.size() + m.path.size() + m.values.size() * sizeof(float) + sizeOf(m.rowTokens) +
                       sizeOf(m.columnTokens);
            },
            [](const SampleText& s) { return s.source.size() + s.reference.size() + s.hypothesis.size(); },
            [](const Answer& a) { return sizeOf(a.value); },
            [](const EvaluationDone& e) { return e.values.size() * 128; },
            [](const StateChanged& s) { return s.reason.size(); },
            [](const CheckpointWritten& c) { return sizeOf(c.kinds) + c.folder.size() + 3 * kHashBytes; },
            [](const auto& listed) {
                const EventWords words = wordsOf(listed);
                return words.text.size() + sizeOf(words.data);
            },
        },
        event.body);
    return sizeof(Event) + body;
}

bool isUrgent(const Event& event) { return handlingOf(event) == Handling::Urgent; }

bool isDroppable(const Event& event) { return handlingOf(event) == Handling::Droppable; }

EventSink::Pressure EventQueue::push(Event event) {
    const std::size_t bytes = estimateBytes(event);
    const bool urgent = isUrgent(event);
    bool wakes = false;
    {
        const std::lock_guard lock(mutex_);
        ++pushed_;
        ++waiting_.count;
        // Below half of the capacity an event of any size is taken: a map of a long text can be larger than all the room.
        const bool isFull = bytes_ >= capacity_ / 2 && bytes_ + bytes > capacity_;
        if (isDroppable(event) && isFull) {
            auto [place, first] = waiting_.gaps.try_emplace({event.run, event.attempt}, Gap{event.step, event.step, 0});
            place->second.firstStep = std::min(place->second.firstStep, event.step);
            place->second.lastStep = std::max(place->second.lastStep, event.step);
            ++place->second.events;
            return EventSink::Pressure::Pause;
        }
        bytes_ += bytes;
        waiting_.bytes += bytes;
        waiting_.events.push_back(std::move(event));
        wakes = urgent || bytes_ >= capacity_ / 2;
        awake_ = awake_ || wakes;
    }
    if (wakes) arrived_.notify_one();
    return pressure();
}

EventSink::Pressure EventQueue::pressure() const {
    const std::size_t bytes = bytes_;
    if (databaseLost_) return EventSink::Pressure::NoDatabase;
    if (writeError_ || bytes >= capacity_ / 10 * 8) return EventSink::Pressure::Pause;
    return bytes >= capacity_ / 2 ? EventSink::Pressure::ThinScalars : EventSink::Pressure::None;
}

EventQueue::Taken EventQueue::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
}

void EventQueue::waitUntil(Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    arrived_.wait_until(lock, deadline, [this] { return awake_; });
    awake_ = false;
}

void EventQueue::wake() {
    {
        const std::lock_guard lock(mutex_);
        awake_ = true;
    }
    arrived_.notify_one();
}

}  // namespace heddle::app
