// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan/plan_meter.h"

#include "engine/base/json.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"
#include "ui/pages/compose/draft/memory_meter.h"
#include "ui/text/utf8.h"
#include "ui/threads/ask.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle::ui {
namespace {

/// The first run of a row, with absolute paths of its data.
RunSpec firstRun(const PlanRow& row) {
    return runsOf(row, builtinCatalogue(), std::filesystem::current_path().string()).front();
}

/// The batch sizes and the data: if they are equal, an epoch has equally many steps.
Json epochOf(const Json& compact) {
    const Json train = compact.value("train", Json::object());
    return {compact.value("data", Json()), train.value("batch", Json()), train.value("accumulate", Json())};
}

std::int64_t stepsOf(const RunSpec& run, const std::vector<KnownRun>& known) {
    if (run.train.steps > 0) return run.train.steps;
    const Json mine = epochOf(run.toJson());
    for (const KnownRun& other : known) {
        const Json spec = Json::parse(other.spec, nullptr, false);
        if (!spec.is_object() || epochOf(spec) != mine) continue;
        const Json train = spec.value("train", Json::object());
        const std::int64_t epochs = train.value("epochs", Json(TrainSpec{}.epochs)).get<std::int64_t>();
        if (train.value("steps", Json(0)) == 0 && epochs > 0) return other.totalSteps * run.train.epochs / epochs;
    }
    return 0;
}

RowCost costOfRow(const PlanRow& row, const AssumedVocabulary& assumed, const std::vector<KnownRun>& known) {
    const RunSpec run = firstRun(row);
    RowCost cost;
    cost.data = text(isGenerated(run.data.format) ? run.data.format : run.data.train.source);
    cost.device = text(run.train.device);
    cost.maxSteps = run.train.steps;
    cost.epochs = run.train.epochs;
    cost.facts = factsOf(run.toJson(), assumed);
    cost.steps = stepsOf(run, known);
    if (cost.facts) cost.diskBytes = diskBytes(run, cost.facts->cost.parameters);
    std::error_code unknown;  // space() then returns the largest number: no warning
    cost.diskFree = std::filesystem::space(std::filesystem::current_path(), unknown).available;
    return cost;
}

/// Whether the number of steps may follow from known runs. False for an invalid row: costOfRow() reports the problem.
bool needsKnown(const PlanRow& row) {
    try {
        const Json document = documentOf(row);
        return document.value("train", Json::object()).value("steps", Json(0)) == 0;
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace

PlanMeter::PlanMeter(Studio& studio, QObject* parent) : QObject(parent), studio_(studio) {}

void PlanMeter::setActive(bool active) {
    isActive_ = active;
    next();
}

std::string PlanMeter::keyOf(const PlanRow& row) {
    Json spec = row.spec;
    if (spec.is_object()) {
        spec.erase("name");
        spec.erase("seed");
    }
    return canonicalJson({spec, row.set});
}

void PlanMeter::setRows(const std::map<std::string, PlanRow>& rows, const AssumedVocabulary& assumed) {
    if (assumed != assumed_) rows_.clear();
    assumed_ = assumed;
    std::erase_if(rows_, [&](const auto& known) { return !rows.contains(known.first); });
    for (const auto& [key, row] : rows) rows_[key].row = row;
    next();
}

const RowCost* PlanMeter::costOf(const std::string& key) const {
    const auto found = rows_.find(key);
    return found == rows_.end() || !found->second.isKnown ? nullptr : &found->second.cost;
}

template <class Work, class Take>
void PlanMeter::work(const std::string& key, Work work, Take take) {
    ask(this, Pool{}, std::move(work), [this, key, take = std::move(take)](auto result) {
        if (const auto found = rows_.find(key); found != rows_.end()) take(found->second, result);
        Q_EMIT changed();
        isWorking_ = false;
        next();
    });
}

PlanMeter::Rows::const_iterator PlanMeter::due() const {
    const auto unknown = std::find_if(rows_.begin(), rows_.end(), [](const auto& row) { return !row.second.isKnown; });
    if (unknown != rows_.end() || !studio_.services().stepMeter) return unknown;
    return std::find_if(rows_.begin(), rows_.end(),
                        [](const auto& row) { return row.second.cost.facts && !row.second.isMeasured; });
}

void PlanMeter::next() {
    if (!isActive_ || isWorking_) return;
    const auto row = due();
    if (row == rows_.end()) return;
    isWorking_ = true;
    if (row->second.isKnown)
        return work(
            row->first,
            [meter = studio_.services().stepMeter, facts = row->second.cost.facts] {
                return meter(MemoryMeter::sized(*facts), MemoryMeter::shapeOf(*facts));
            },
            [facts = row->second.cost.facts](Row& measured, Result<StepMemory>& memory) {
                if (measured.cost.facts != facts) return;
                measured.isMeasured = true;  // also if it failed: the value stays unknown
                if (memory) measured.cost.memory = *memory;
            });
    std::vector<KnownRun> known;
    const bool isNeeded = needsKnown(row->second.row);
    for (const Run* run : studio_.databases().runs())
        if (isNeeded && run->totalSteps > 0) known.push_back({run->spec, run->totalSteps});
    work(
        row->first, [row = row->second.row, assumed = assumed_, known] { return costOfRow(row, assumed, known); },
        [this, assumed = assumed_](Row& done, Result<RowCost>& cost) {
            if (assumed != assumed_) return;
            done.isKnown = true;
            if (cost)
                done.cost = *cost;
            else
                done.cost.problem = cost.problem().next.isEmpty() ? cost.problem().what
                                                                  //: A problem and what to do.
                                                                  : tr("%1 (%2)").arg(cost.problem().what, cost.problem().next);
        });
}

void PlanMeter::timeSteps() {
    if (isTiming_ || !canTime()) return;
    isTiming_ = true;
    counted_.clear();  // the data may have changed
    timeNext();
    Q_EMIT changed();
}

void PlanMeter::timeNext() {
    for (const auto& [key, row] : rows_) {
        const RowCost& cost = row.cost;
        if (!cost.facts || !cost.stepProblem.isEmpty()) continue;
        if (!cost.step) return timeStep(key, row);
        if (cost.steps == 0 && !row.isCounted && studio_.services().stepCounter) return countSteps(key, row);
    }
    isTiming_ = false;
    Q_EMIT changed();
}

/// With the vocabulary sizes that the counts assume.
void PlanMeter::timeStep(const std::string& key, const Row& row) {
    timed_ = key;
    isCounting_ = false;
    Json document = documentOf(row.row);
    document["variant"] = MemoryMeter::sized(*row.cost.facts).compact();
    timing_.start(Pool{},
                  [timer = studio_.services().stepTimer, document = std::move(document)](const TaskControl& task) -> Timed {
                      return timer(document, task.stopRequested());
                  });
}

void PlanMeter::countSteps(const std::string& key, const Row& row) {
    timed_ = key;
    isCounting_ = true;
    timing_.start(
        Pool{},
        [counter = studio_.services().stepCounter, row = row.row, counted = counted_](const TaskControl& task) -> Timed {
            const RunSpec run = firstRun(row);
            std::int64_t steps = stepsOf(run, counted);
            if (steps == 0) steps = counter(run.toJson(), task.stopRequested());
            return KnownRun{run.toJson().dump(), steps};
        });
}

/// A cancelled measurement is no problem of its row, and no further row is timed after it.
void PlanMeter::takeTimed(Result<Timed> timed) {
    const bool isCancelled = timing_.isCancelled();
    if (const auto found = rows_.find(timed_); found != rows_.end()) {
        Row& row = found->second;
        if (timed && std::holds_alternative<StepTime>(*timed))
            row.cost.step = std::get<StepTime>(*timed);
        else if (timed)
            takeSteps(row.cost, std::get<KnownRun>(*timed));
        else if (!isCancelled)
            (isCounting_ ? row.cost.countProblem : row.cost.stepProblem) = timed.problem().what;
        if (isCounting_) row.isCounted = !isCancelled;
    }
    isTiming_ = !isCancelled;
    Q_EMIT changed();
    if (isTiming_) timeNext();
}

void PlanMeter::takeSteps(RowCost& cost, const KnownRun& run) {
    cost.steps = run.totalSteps;
    if (run.totalSteps > 0) counted_.push_back(run);
}

}  // namespace heddle::ui
