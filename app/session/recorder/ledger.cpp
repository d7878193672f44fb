// SPDX-License-Identifier: Apache-2.0
#include "app/session/recorder/ledger.h"

#include "app/session/runs/find_run.h"
#include "engine/base/error.h"
#include "engine/run/event_words.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

namespace heddle::app {
namespace {

constexpr double kBytesPerMib = 1024.0 * 1024.0;

std::string textOf(const Json& data) { return data.is_null() ? std::string() : dumped(data); }

}  // namespace

Ledger::Entry& Ledger::entry(const std::string& run) {
    if (const auto found = entries_.find(run); found != entries_.end()) return found->second;
    Entry fresh;
    fresh.record = recordOf(*query_, run);
    fresh.state = runStateFromName(fresh.record.state).value_or(RunState::Interrupted);
    fresh.secondsBefore = fresh.record.seconds;
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

/// Stores an event: its own rows, and what it changes in the rows of the run and of its attempt.
class Ledger::Rows {
public:
    Rows(Ledger& ledger, storage::RunStore& store, const Event& event)
        : ledger_(ledger), store_(store), event_(event), e_(ledger.entry(event.run)) {}

    void operator()(const StateChanged& change) {
        try {
            ledger_.changeState(store_, event_.run, change, event_.seconds);
        } catch (const Error& error) {
            // The engine violates the table, which is a bug; its other events must not be lost.
            list({"warning", fmt::format("state change refused: {}", error.problem())});
        }
    }

    void operator()(const StepBlock& block) {
        for (const auto& s : block.series) {
            store_.append({event_.run, event_.attempt, s.name, s.path, s.firstStep, s.stride, s.values, s.deterministic});
            e_.replay.compare(s);
        }
        ledger_.concludeReplay(store_, e_, ReplayCheck::Moment::Running);
    }

    void operator()(const EvaluationDone& done) {
        for (const auto& v : done.values)
            store_.add(storage::EvaluationRecord{event_.run, event_.attempt, event_.step, done.epoch, done.split, v.metric,
                                                 v.signature, v.value, v.n, done.seconds});
        if (done.epoch != e_.record.epoch) {
            e_.record.epoch = done.epoch;
            e_.runChanged = true;
        }
    }

    void operator()(const HistogramTaken& h) {
        store_.add(storage::HistogramRecord{event_.run, event_.attempt, event_.step, h.name, h.path, h.low, h.high, h.bins,
                                            h.below, h.above, h.notFinite, h.mean, h.deviation, h.minimum, h.maximum});
    }

    void operator()(const MapTaken& m) {
        store_.add(storage::MapRecord{event_.run, event_.attempt, event_.step, m.name, m.path, m.probe, m.heads, m.rows,
                                      m.columns, m.values, m.rowTokens, m.columnTokens});
        e_.mapsChanged = true;
    }

    void operator()(const SampleText& s) {
        store_.add(
            storage::SampleRecord{event_.run, event_.attempt, event_.step, s.index, s.source, s.reference, s.hypothesis});
    }

    void operator()(const CheckpointWritten& c) {
        for (const std::string& kind : c.kinds) {
            const storage::CheckpointRecord row{event_.run,      event_.attempt,    event_.step,   kind,   c.folder,
                                                c.weightsSha256, c.optimizerSha256, c.stateSha256, c.bytes};
            store_.add(row);
            std::erase_if(e_.checkpoints, [&](const auto& old) { return old.step == row.step && old.kind == row.kind; });
            e_.checkpoints.push_back(row);
        }
        e_.retentionDue = true;
    }

    void operator()(const AttemptDescribed& a) {
        const EventWords words = list(wordsOf(a));
        e_.record.parameters = a.parameters;
        e_.record.totalSteps = a.totalSteps;
        e_.record.runHash = a.runHash;  // known after the data have been read
        e_.runChanged = true;
        if (!isOfNewestAttempt()) return;
        e_.attempt.device = a.device;
        e_.attempt.threads = a.threads;
        if (!a.torch.empty()) e_.attempt.torch = a.torch;
        describe(words.data);
    }

    void operator()(const Intervened& body) {
        list(wordsOf(body));
        if (body.inForce.empty() || e_.record.intervened >= 0) return;
        e_.record.intervened = event_.step;
        e_.runChanged = true;
    }

    void operator()(const MemoryMeasured& body) {
        list(wordsOf(body));
        const auto peak = static_cast<std::int64_t>(body.peakBytes);
        if (!isOfNewestAttempt() || peak <= e_.attempt.peakBytes) return;
        e_.attempt.peakBytes = peak;
        e_.attemptChanged = true;
    }

    void operator()(const Answer&) {}  // forwarded to the asker after the commit

    /// Events that are only listed, or also describe the attempt (FirstStepDone, StepsCaptured, RunsAtOnce).
    template <class Listed>
    void operator()(const Listed& body) {
        const EventWords words = list(wordsOf(body));
        constexpr bool describes = std::is_same_v<Listed, FirstStepDone> || std::is_same_v<Listed, StepsCaptured> ||
                                   std::is_same_v<Listed, RunsAtOnce>;
        if (describes) describe(words.data);
    }

private:
    bool isOfNewestAttempt() const { return e_.attempt.attempt == event_.attempt; }

    EventWords list(EventWords words) {
        store_.add(storage::EventRecord{event_.run, event_.attempt, event_.step, event_.seconds, storage::unixTime(),
                                        words.kind, words.text, textOf(words.data)});
        return words;
    }

    /// Adds facts to the attempt's context.
    void describe(const Json& facts) {
        if (!isOfNewestAttempt()) return;
        Json context = e_.attempt.context.empty() ? Json::object() : Json::parse(e_.attempt.context);
        context.update(facts);
        e_.attempt.context = textOf(context);
        e_.attemptChanged = true;
    }

    Ledger& ledger_;
    storage::RunStore& store_;
    const Event& event_;
    Entry& e_;
};

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
    std::visit(Rows(*this, store, event), event.body);
}

void Ledger::note(storage::RunStore& store, const NewNote& note) {
    const auto& e = entry(note.run);
    store.add(storage::EventRecord{note.run, e.record.attempts, e.record.step, e.attempt.seconds, note.at, kNoteEvent,
                                   note.text, note.replaced == 0 ? "" : textOf(Json{{"replaces", note.replaced}})});
}

storage::RunRecord& Ledger::editable(const std::string& run) {
    storage::RunRecord& record = entry(run).record;
    if (record.state == storage::kDamagedState)
        throw Error(ErrorCode::InvalidInput, "the run's record is damaged and cannot be changed", run,
                    "restore a copy of the database, or delete the run");
    return record;
}

void Ledger::setSpec(storage::RunStore& store, const std::string& run, const std::string& spec) {
    storage::RunRecord& record = editable(run);
    record.spec = spec;
    record.runHash.clear();  // known again when the data have been read
    store.updateRun(record);
}

void Ledger::remove(storage::RunStore& store, const std::string& run) {
    store.deleteRun(run);
    entries_.erase(run);
}

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
