// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/series_store.h"

#include <algorithm>
#include <cmath>

namespace heddle::ui {
namespace {

constexpr std::int64_t kMeansOfSeries = 2000;

/// The stored steps at or after `from`, from the pyramid.
StepRange storedFrom(storage::RunQuery& query, const SeriesId& id, Step from) {
    const auto buckets = query.overview(id.run.id, id.name, id.path, from, std::numeric_limits<Step>::max(), 1);
    if (buckets.empty()) return {};
    return {std::max(from, Step(buckets.front().firstStep)), Step(buckets.back().lastStep)};
}

/// All rows of a series that is read from its beginning each time.
Series readWhole(storage::RunQuery& query, const SeriesId& id) {
    Series rows;
    if (id.source == SeriesId::Source::Means)
        for (const auto& bucket :
             query.overview(id.run.id, id.name, id.path, 0, std::numeric_limits<Step>::max(), kMeansOfSeries))
            rows.append(bucket.lastStep, id.factor * bucket.mean);
    else
        for (const auto& evaluation : query.evaluations(id.run.id))
            if (evaluation.split + "." + evaluation.metric == id.name)
                rows.append(evaluation.step, id.factor * evaluation.value);
    return rows;
}

/// `known` with these rows. The generation stays the same if rows were only added at the end.
SeriesState replaced(SeriesState known, Series rows) {
    const std::int64_t before = known.rows->size();
    bool goesOn = rows.size() >= before;
    for (std::int64_t i = 0; goesOn && i < before; ++i) {
        const Row then = known.rows->at(i), now = rows.at(i);
        goesOn = then.step == now.step && !(then.value < now.value || then.value > now.value);  // damaged ones are NaN
    }
    known.complete = true;
    if (goesOn && rows.size() == before) return known;
    if (!goesOn) ++known.generation;
    known.rows = shared(std::move(rows));
    return known;
}

}  // namespace

SeriesState readOn(storage::RunQuery& query, const SeriesId& id, SeriesState known,
                   const std::vector<storage::AttemptRecord>& attempts) {
    if (id.source == SeriesId::Source::Means) return replaced(std::move(known), readWhole(query, id));
    if (id.source == SeriesId::Source::Evaluations) {
        const std::int64_t revision = query.revision();  // first: a commit in between is read twice, never missed
        const bool isNew = known.revision == 0 || !query.evaluations(id.run.id, known.revision).empty();
        if (isNew) known = replaced(std::move(known), readWhole(query, id));
        known.revision = revision;
        known.complete = true;
        return known;
    }
    const std::int64_t attempt = attempts.empty() ? 1 : attempts.back().attempt;
    const Step boundary = attempts.empty() ? 0 : attempts.back().firstStep;
    if (known.attempt != attempt) {
        const int generation = known.generation + 1;
        known = SeriesState{};
        known.generation = generation;
        known.attempt = attempt;
        known.boundary = boundary;
    }
    const auto lastOf = [](const Series& rows) { return rows.size() == 0 ? Step(-1) : rows.range().last; };
    Series rows = *known.rows;
    // While the newest attempt repeats steps of an older one, it replaces their rows: they are read again.
    const bool replacing = lastOf(rows) > boundary && known.tailAttempt != attempt;
    if (replacing) {
        rows = *known.settled;
        ++known.generation;
    }
    const Step next = std::max(lastOf(rows) + 1, replacing ? boundary + 1 : Step(0));
    const auto [from, last] = storedFrom(query, id, next);
    known.complete = true;
    if (last < from) return known;
    Step to = replacing ? last : std::min(last, from + kSeriesSlice - 1);
    if (boundary > 0 && from <= boundary) to = std::min(to, boundary);
    const std::int64_t before = rows.size();
    for (const auto& point : query.points(id.run.id, id.name, id.path, from, to)) {
        if (point.step <= lastOf(rows)) continue;
        rows.append(point.step, double(point.value) * id.factor);
        known.tailAttempt = point.attempt;
    }
    // Damaged rows are left out. Without progress, the rest is read at the next refresh.
    known.complete = to >= last || rows.size() == before;
    known.rows = shared(std::move(rows));
    if (to <= boundary) known.settled = known.rows;
    return known;
}

std::optional<double> secondsPerStep(storage::RunQuery& query, const std::string& run, std::int64_t step) {
    constexpr std::int64_t kSteps = 200;
    double seconds = 0;
    int steps = 0;
    for (const auto& point : query.points(run, "step_seconds", "", std::max<std::int64_t>(0, step - kSteps), step)) {
        if (!std::isfinite(point.value)) continue;
        seconds += double(point.value);
        ++steps;
    }
    return steps > 1 && seconds > 0 ? std::optional(seconds / steps) : std::nullopt;
}

SeriesStore::SeriesStore(Databases& databases, QObject* parent)
    : QObject(parent), databases_(databases), query_(this, [this](Result<States> news) { take(std::move(news)); }) {
    connect(&databases, &Databases::closed, this, [this](int number) {
        std::erase_if(states_, [number](const auto& entry) { return entry.first.run.database == number; });
        if (current_ != number) return;
        query_.cancel();
        readNext();
        if (isIdle()) Q_EMIT settled();
    });
}

void SeriesStore::setWanted(const std::vector<SeriesId>& wanted) {
    std::map<SeriesId, SeriesState> kept;
    for (const SeriesId& id : wanted) {
        const auto found = states_.find(id);
        kept.emplace(id, found == states_.end() ? SeriesState{} : found->second);
    }
    states_ = std::move(kept);
}

void SeriesStore::refresh() {
    for (const auto& [id, state] : states_) due_.insert(id);
    if (current_ == 0) readNext();
}

std::shared_ptr<const Series> SeriesStore::rows(const SeriesId& id) const {
    const auto found = states_.find(id);
    return found == states_.end() ? std::make_shared<Series>() : found->second.rows;
}

int SeriesStore::generation(const SeriesId& id) const {
    const auto found = states_.find(id);
    return found == states_.end() ? 0 : found->second.generation;
}

/// Reads what is due of one database until one slice is full. Other views can read before the rest follows.
void SeriesStore::readNext() {
    std::erase_if(due_, [this](const SeriesId& id) { return !states_.contains(id) || !databases_.find(id.run.database); });
    current_ = 0;
    if (due_.empty()) return;
    current_ = due_.begin()->run.database;
    States requested;
    for (const SeriesId& id : due_)
        if (id.run.database == current_) requested.emplace_back(id, states_.at(id));
    std::erase_if(due_, [this](const SeriesId& id) { return id.run.database == current_; });
    query_.ask(databases_.reader(current_), [requested = std::move(requested)](storage::RunQuery& query) {
        std::map<RunRef, std::vector<storage::AttemptRecord>> attempts;
        States news;
        std::int64_t read = 0;
        for (const auto& [id, known] : requested) {
            news.emplace_back(id, known);
            SeriesState& now = news.back().second;
            now.complete = false;
            if (read >= kSeriesSlice) continue;
            if (!attempts.contains(id.run)) attempts[id.run] = query.attempts(id.run.id);
            now = readOn(query, id, known, attempts[id.run]);
            read += std::max<std::int64_t>(0, now.rows->size() - known.rows->size());
        }
        return news;
    });
}

/// Also after a failure, the other databases are read next.
void SeriesStore::take(Result<States> news) {
    const int database = current_;
    bool isNew = false;
    if (news) {
        reported_.succeeded(QString::number(database));
        for (auto& [id, state] : *news) {
            const auto found = states_.find(id);
            if (found == states_.end()) continue;
            if (!state.complete) due_.insert(id);
            isNew |= found->second.rows != state.rows;
            found->second = std::move(state);
        }
    }
    readNext();
    if (!news && reported_.isNew(QString::number(database), news.problem())) Q_EMIT failed(news.problem());
    if (isNew) Q_EMIT changed();
    if (isIdle()) Q_EMIT settled();
}

}  // namespace heddle::ui
