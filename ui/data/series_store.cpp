// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/series_store.h"

#include <algorithm>

namespace heddle::ui {
namespace {

/// The stored steps at or after `from`, from the pyramid.
StepRange storedFrom(storage::RunQuery& query, const SeriesId& id, Step from) {
    const auto buckets = query.overview(id.run.id, id.name, id.path, from, std::numeric_limits<Step>::max(), 1);
    if (buckets.empty()) return {};
    return {std::max(from, Step(buckets.front().firstStep)), Step(buckets.back().lastStep)};
}

}  // namespace

SeriesState readOn(storage::RunQuery& query, const SeriesId& id, SeriesState known,
                   const std::vector<storage::AttemptRecord>& attempts) {
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
    // While the tail is of an older attempt, the newest attempt replaces its rows step by step: the tail is read again.
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
    // Damaged rows are left out: without progress the rest waits for the next time.
    known.complete = to >= last || rows.size() == before;
    known.rows = shared(std::move(rows));
    if (to <= boundary) known.settled = known.rows;
    return known;
}

SeriesStore::SeriesStore(Databases& databases, QObject* parent)
    : QObject(parent),
      query_(new Query(
          databases, [this] { return nextRequest(); }, [this](const Problem& problem) { tell(problem); }, this)) {
    connect(&databases, &Databases::closed, this, [this](int number) {
        std::erase_if(states_, [number](const auto& entry) { return entry.first.run.database == number; });
    });
}

/// Goes on with the other databases.
void SeriesStore::tell(const Problem& problem) {
    std::erase_if(due_, [this](const auto& entry) { return entry.first.run.database == asked_; });
    query_->request();
    if (told_.isNew(QString::number(asked_), problem)) Q_EMIT failed(problem);
}

void SeriesStore::setWanted(const std::vector<SeriesId>& wanted) {
    std::map<SeriesId, SeriesState> kept;
    for (const SeriesId& id : wanted) {
        const auto found = states_.find(id);
        kept.emplace(id, found == states_.end() ? SeriesState{} : found->second);
    }
    states_ = std::move(kept);
    std::erase_if(due_, [this](const auto& entry) { return !states_.contains(entry.first); });
}

void SeriesStore::refresh() {
    for (const auto& [id, state] : states_) due_[id] = true;
    query_->request();
}

std::shared_ptr<const Series> SeriesStore::rows(const SeriesId& id) const {
    const auto found = states_.find(id);
    return found == states_.end() ? std::make_shared<Series>() : found->second.rows;
}

int SeriesStore::generation(const SeriesId& id) const {
    const auto found = states_.find(id);
    return found == states_.end() ? 0 : found->second.generation;
}

/// Asks for all that is due of one database until one slice is full; the rest follows when other views have had their turn.
Query::Request SeriesStore::nextRequest() {
    std::vector<std::pair<SeriesId, SeriesState>> asked;
    for (const auto& [id, due] : due_) {
        const auto found = states_.find(id);
        if (!due || found == states_.end()) continue;
        if (asked.empty() || asked.front().first.run.database == id.run.database) asked.emplace_back(id, found->second);
    }
    if (asked.empty()) return {};
    const int database = asked_ = asked.front().first.run.database;
    return {database, [this, asked = std::move(asked)](storage::RunQuery& query) -> Query::Apply {
                std::map<RunRef, std::vector<storage::AttemptRecord>> attempts;
                std::vector<std::pair<SeriesId, SeriesState>> answers;
                std::int64_t read = 0;
                for (const auto& [id, known] : asked) {
                    if (read >= kSeriesSlice) break;
                    if (!attempts.contains(id.run)) attempts[id.run] = query.attempts(id.run.id);
                    answers.emplace_back(id, readOn(query, id, known, attempts[id.run]));
                    read += std::max<std::int64_t>(0, answers.back().second.rows->size() - known.rows->size());
                }
                return [this, database = asked.front().first.run.database, answers = std::move(answers)] {
                    told_.succeeded(QString::number(database));
                    bool news = false, more = answers.empty();
                    for (const auto& [id, state] : answers) {
                        due_[id] = !state.complete;
                        const auto found = states_.find(id);
                        if (found == states_.end()) continue;
                        news = news || found->second.rows != state.rows;
                        found->second = state;
                    }
                    for (const auto& [id, due] : due_) more = more || (due && states_.contains(id));
                    if (more) query_->request();
                    if (news) Q_EMIT changed();
                };
            }};
}

}  // namespace heddle::ui
