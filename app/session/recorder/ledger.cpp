// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/ledger.h"

#include "app/session/runs/checkpoint_folders.h"
#include "engine/base/error.h"
#include "engine/run/event_words.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

namespace heddle::app {
namespace {

constexpr double kBytesPerMib = 1024.0 * 1024.0;

std::string textOf(const Json& data) { return data.is_null() ? std::string() : dumped(data); }

storage::EventRecord eventRecord(const Event& event, std::string kind, std::string text, const Json& data = nullptr) {
    return {event.run,           event.attempt,   event.step,      event.seconds,
            storage::unixTime(), std::move(kind), std::move(text), textOf(data)};
}

storage::EventRecord eventRecord(const Event& event, const EventWords& words) {
    return eventRecord(event, words.kind, words.text, words.data);
}

}  // namespace

Ledger::Entry& Ledger::entry(const std::string& run) {
    if (const auto found = entries_.find(run); found != entries_.end()) return found->second;
    auto record = query_->run(run);
    if (!record) throw Error(ErrorCode::Usage, "no such run", run, "heddle runs list shows the runs of the database");
    Entry fresh;
    fresh.state = runStateFromName(record->state).value_or(RunState::Interrupted);
    fresh.secondsBefore = record->seconds;
    fresh.record = std::move(*record);
    return entries_.emplace(run, std::move(fresh)).first->second;
}

std::optional<RunState> Ledger::knownState(const std::string& id) const {
    const auto found = entries_.find(id);
    return found == entries_.end() ? std::nullopt : std::optional(found->second.state);
}

void Ledger::addRun(storage::RunStore& store, const storage::RunRecord& run) {
    store.addRun(run);
    Entry fresh;
    fresh.record = run;
    fresh.state = runStateFromName(run.state).value();
    entries_[run.id] = std::move(fresh);
    store.add(storage::EventRecord{run.id, 0, 0, 0, storage::unixTime(), "state", run.state, ""});
}

void Ledger::changeState(storage::RunStore& store, const std::string& run, const StateChanged& change, double seconds) {
    Entry& e = entry(run);
    if (e.state == change.state) return;
    if (!isAllowed(e.state, change.state))
        throw Error(ErrorCode::Failure, fmt::format("a run cannot change from {} to {}", name(e.state), name(change.state)),
                    run, "heddle runs show prints its state");
    e.state = change.state;
    e.record.state = name(change.state);
    e.record.reason = change.reason;
    store.setState(run, e.record.state, change.reason);
    if (change.state == RunState::Queued) {
        e.record.queued = storage::unixTime();  // after those already waiting
        e.runChanged = true;
    }
    const Json data = change.reason.empty() ? Json() : Json{{"reason", change.reason}};
    store.add(storage::EventRecord{run, e.record.attempts, e.record.step, seconds, storage::unixTime(), "state", e.record.state,
                                   textOf(data)});
    if (isFinal(change.state)) concludeReplay(store, e, ReplayCheck::Moment::AttemptEnded);
}

void Ledger::beginAttempt(storage::RunStore& store, const AttemptStart& start) {
    Entry& e = entry(start.attempt.run);
    changeState(store, start.attempt.run, {RunState::Preparing, ""});
    e.attempt = start.attempt;
    e.replay = start.replay;
    e.keepLast = start.keepLast;
    e.maxMib = start.maxMib;
    e.checkpoints = query_->checkpoints(start.attempt.run);
    e.secondsBefore = e.record.seconds;
    e.record.attempts = start.attempt.attempt;
    e.record.step = start.attempt.firstStep;
    e.runChanged = true;
    store.addAttempt(start.attempt);
    for (const auto& note : start.notes)
        store.add(storage::EventRecord{start.attempt.run, start.attempt.attempt, start.attempt.firstStep, 0,
                                       storage::unixTime(), "warning", note, ""});
    concludeReplay(store, e, ReplayCheck::Moment::Running);
}

void Ledger::apply(storage::RunStore& store, const Event& event) {
    Entry& e = entry(event.run);
    if (event.step > e.record.step) {
        e.record.step = event.step;
        e.runChanged = true;
    }
    if (e.attempt.attempt == event.attempt && event.seconds > e.attempt.seconds) {
        e.attempt.seconds = event.seconds;
        e.record.seconds = e.secondsBefore + event.seconds;
        e.runChanged = e.attemptChanged = true;
    }
    std::visit([&](const auto& body) { put(store, event, e, body); }, event.body);
}

void Ledger::put(storage::RunStore& store, const Event& event, Entry&, const StateChanged& body) {
    try {
        changeState(store, event.run, body, event.seconds);
    } catch (const Error& error) {
        // The engine violates the table, which is a bug; its other events must not be lost.
        store.add(eventRecord(event, "warning", fmt::format("state change refused: {}", error.problem())));
    }
}

void Ledger::put(storage::RunStore& store, const Event& event, Entry& e, const StepBlock& body) {
    for (const auto& s : body.series) {
        store.append({event.run, event.attempt, s.name, s.path, s.firstStep, s.stride, s.values, s.deterministic});
        e.replay.compare(s);
    }
    concludeReplay(store, e, ReplayCheck::Moment::Running);
}

void Ledger::put(storage::RunStore& store, const Event& event, Entry& e, const EvaluationDone& body) {
    for (const auto& v : body.values)
        store.add(storage::EvaluationRecord{event.run, event.attempt, event.step, body.epoch, body.split, v.metric, v.signature,
                                            v.value, v.n, body.seconds});
    if (body.epoch != e.record.epoch) {
        e.record.epoch = body.epoch;
        e.runChanged = true;
    }
}

void Ledger::put(storage::RunStore& store, const Event& event, Entry&, const HistogramTaken& h) {
    store.add(storage::HistogramRecord{event.run, event.attempt, event.step, h.name, h.path, h.low, h.high, h.bins, h.below,
                                       h.above, h.notFinite, h.mean, h.deviation, h.minimum, h.maximum});
}

void Ledger::put(storage::RunStore& store, const Event& event, Entry& e, const MapTaken& m) {
    store.add(storage::MapRecord{event.run, event.attempt, event.step, m.name, m.path, m.probe, m.heads, m.rows, m.columns,
                                 m.values, m.rowTokens, m.columnTokens});
    e.mapsChanged = true;
}

void Ledger::put(storage::RunStore& store, const Event& event, Entry&, const SampleText& s) {
    store.add(storage::SampleRecord{event.run, event.attempt, event.step, s.index, s.source, s.reference, s.hypothesis});
}

void Ledger::put(storage::RunStore& store, const Event& event, Entry& e, const CheckpointWritten& c) {
    for (const std::string& kind : c.kinds) {
        const storage::CheckpointRecord row{event.run,       event.attempt,     event.step,    kind,   c.folder,
                                            c.weightsSha256, c.optimizerSha256, c.stateSha256, c.bytes};
        store.add(row);
        std::erase_if(e.checkpoints, [&](const auto& old) { return old.step == row.step && old.kind == row.kind; });
        e.checkpoints.push_back(row);
    }
    e.retentionDue = true;
}

void Ledger::put(storage::RunStore& store, const Event& event, Entry& e, const AttemptDescribed& a) {
    const EventWords words = wordsOf(a);
    store.add(eventRecord(event, words));
    e.record.parameters = a.parameters;
    e.record.totalSteps = a.totalSteps;
    e.record.runHash = a.runHash;  // known after the data have been read
    e.runChanged = true;
    if (e.attempt.attempt != event.attempt) return;
    e.attempt.device = a.device;
    e.attempt.threads = a.threads;
    if (!a.torch.empty()) e.attempt.torch = a.torch;
    describe(e, event, words.data);
}

void Ledger::put(storage::RunStore& store, const Event& event, Entry& e, const Intervened& body) {
    store.add(eventRecord(event, wordsOf(body)));
    if (body.inForce.empty() || e.record.intervened >= 0) return;
    e.record.intervened = event.step;
    e.runChanged = true;
}

void Ledger::put(storage::RunStore& store, const Event& event, Entry& e, const MemoryMeasured& body) {
    store.add(eventRecord(event, wordsOf(body)));
    const auto peak = static_cast<std::int64_t>(body.peakBytes);
    if (e.attempt.attempt != event.attempt || peak <= e.attempt.peakBytes) return;
    e.attempt.peakBytes = peak;
    e.attemptChanged = true;
}

template <class Listed>
void Ledger::put(storage::RunStore& store, const Event& event, Entry& e, const Listed& body) {
    const EventWords words = wordsOf(body);
    store.add(eventRecord(event, words));
    constexpr bool describes =
        std::is_same_v<Listed, FirstStepDone> || std::is_same_v<Listed, StepsCaptured> || std::is_same_v<Listed, RunsAtOnce>;
    if (describes) describe(e, event, words.data);
}

void Ledger::describe(Entry& e, const Event& event, const Json& facts) {
    if (e.attempt.attempt != event.attempt) return;
    Json context = e.attempt.context.empty() ? Json::object() : Json::parse(e.attempt.context);
    context.update(facts);
    e.attempt.context = textOf(context);
    e.attemptChanged = true;
}

void Ledger::put(storage::RunStore&, const Event&, Entry&, const Answer&) {}  // forwarded to the asker after the commit

void Ledger::recordGap(storage::RunStore& store, const std::string& run, std::int64_t attempt, const Gap& gap) {
    store.add(storage::EventRecord{
        run, attempt, gap.lastStep, 0, storage::unixTime(), "gap",
        fmt::format("{} records of steps {} to {} were left out: they came faster than the database took them", gap.events,
                    gap.firstStep, gap.lastStep),
        textOf(Json{{"first_step", gap.firstStep}, {"last_step", gap.lastStep}, {"events", gap.events}})});
}

void Ledger::warnActive(storage::RunStore& store, const std::string& text) {
    for (const auto& [id, e] : entries_)
        if (e.attempt.attempt > 0 && isActive(e.state))
            store.add(storage::EventRecord{id, e.attempt.attempt, e.record.step, e.attempt.seconds, storage::unixTime(),
                                           "warning", text, ""});
}

void Ledger::concludeReplay(storage::RunStore& store, Entry& e, ReplayCheck::Moment moment) {
    const auto verdict = e.replay.conclude(moment);
    if (!verdict) return;
    e.attempt.replay = verdict->replay;
    e.attempt.replayedSteps = verdict->steps;
    e.attemptChanged = true;
    store.add(storage::EventRecord{e.record.id, e.attempt.attempt, e.record.step, e.attempt.seconds, storage::unixTime(),
                                   "resume", verdict->text,
                                   textOf(Json{{"replay", verdict->replay}, {"steps", verdict->steps}})});
}

void Ledger::thinMaps(storage::RunStore& store, Entry& e) {
    auto bytes = store.mapBytes(e.record.id);
    bool thinned = false;
    while (static_cast<double>(bytes) > e.maxMib * kBytesPerMib) {
        store.thinMaps(e.record.id);
        const auto now = store.mapBytes(e.record.id);
        if (now >= bytes) break;  // nothing left to thin: a single snapshot exceeds the limit
        bytes = now;
        thinned = true;
    }
    if (thinned)
        store.add(storage::EventRecord{
            e.record.id, e.attempt.attempt, e.record.step, e.attempt.seconds, storage::unixTime(), "gap",
            fmt::format("attention maps were over {} MiB: every second of the older half is removed", e.maxMib), ""});
}

void Ledger::flush(storage::RunStore& store) {
    for (auto& [id, e] : entries_) {
        if (std::exchange(e.mapsChanged, false)) thinMaps(store, e);
        if (std::exchange(e.runChanged, false)) store.updateRun(e.record);
        if (std::exchange(e.attemptChanged, false)) store.updateAttempt(e.attempt);
    }
}

std::vector<Ledger::RetentionDue> Ledger::takeRetentionDue() {
    std::vector<RetentionDue> due;
    for (auto& [id, e] : entries_)
        if (std::exchange(e.retentionDue, false)) due.push_back({id, e.checkpoints, e.keepLast});
    return due;
}

void Ledger::forgetCheckpoints(const std::string& run, const std::vector<storage::CheckpointRecord>& rows) {
    for (const auto& row : rows)
        std::erase_if(entry(run).checkpoints, [&](const auto& old) { return old.step == row.step && old.kind == row.kind; });
}

}  // namespace heddle::app
