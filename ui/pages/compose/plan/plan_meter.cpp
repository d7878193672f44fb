// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/plan/plan_meter.h"

#include "engine/base/json.h"
#include "engine/spec/catalogue.h"
#include "engine/spec/data_files.h"
#include "ui/pages/compose/draft/memory_meter.h"
#include "ui/text/utf8.h"
#include "ui/threads/background.h"

#include <filesystem>

namespace heddle::ui {
namespace {

/// The first run of a row, with absolute paths of its data.
RunSpec firstRun(const PlanRow& row) {
    return runsOf(row, builtinCatalogue(), std::filesystem::current_path().string()).front();
}

/// The sizes of batches and everything about the data: equal, and an epoch has as many steps.
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

RowCost workedOut(const PlanRow& row, const AssumedVocabulary& assumed, const std::vector<KnownRun>& known) {
    RowCost cost;
    try {
        const RunSpec run = firstRun(row);
        cost.data = text(isGenerated(run.data.format) ? run.data.format : run.data.train.source);
        cost.device = text(run.train.device);
        cost.mostSteps = run.train.steps;
        cost.epochs = run.train.epochs;
        cost.facts = factsOf(run.toJson(), assumed);
        cost.steps = stepsOf(run, known);
        if (cost.facts) cost.diskBytes = diskBytes(run, cost.facts->cost.parameters);
        std::error_code unknown;  // space() then returns the largest number: no warning
        cost.diskFree = std::filesystem::space(std::filesystem::current_path(), unknown).available;
    } catch (const std::exception& error) {
        cost.problem = problemOf(error).what;
    }
    return cost;
}

}  // namespace

PlanMeter::PlanMeter(Studio& studio, QObject* parent) : QObject(parent), studio_(studio) {}

PlanMeter::~PlanMeter() { cancel(); }

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

void PlanMeter::setRows(const std::vector<PlanRow>& rows, const AssumedVocabulary& assumed) {
    if (assumed != assumed_) costs_.clear();
    assumed_ = assumed;
    rows_.clear();
    for (const PlanRow& row : rows) rows_[keyOf(row)] = row;
    std::erase_if(costs_, [this](const auto& known) { return !rows_.contains(known.first); });
    waiting_.clear();
    for (const auto& [key, row] : rows_)
        if (!costs_.contains(key)) waiting_.push_back(key);
    next();
}

const RowCost* PlanMeter::costOf(const std::string& key) const {
    const auto found = costs_.find(key);
    return found == costs_.end() ? nullptr : &found->second;
}

void PlanMeter::next() {
    if (!isActive_ || isWorking_ || waiting_.empty()) return;
    const std::string key = waiting_.front();
    waiting_.pop_front();
    const auto row = rows_.find(key);
    if (row == rows_.end() || costs_.contains(key)) return next();
    std::vector<KnownRun> known;
    for (const Run* run : studio_.databases().runs())
        if (run->totalSteps > 0) known.push_back({run->spec, run->totalSteps});
    isWorking_ = true;
    const auto take = [this, key](const RowCost& cost) {
        isWorking_ = false;
        if (rows_.contains(key)) costs_[key] = cost;
        Q_EMIT changed();
        measureMemory(key);
    };
    inBackground(
        this, [row = row->second, assumed = assumed_, known] { return workedOut(row, assumed, known); }, take,
        [take](const Problem& problem) {
            RowCost cost;
            cost.problem = problem.what;
            take(cost);
        });
}

void PlanMeter::measureMemory(const std::string& key) {
    const RowCost* row = measured(key);
    if (!row || !row->facts || !studio_.stepMeter()) return next();
    isWorking_ = true;
    const auto take = [this, key](const std::optional<StepMemory>& memory) {
        isWorking_ = false;
        if (RowCost* cost = measured(key)) cost->memory = memory;
        Q_EMIT changed();
        next();
    };
    inBackground(
        this,
        [meter = studio_.stepMeter(), facts = row->facts] {
            return meter(MemoryMeter::sized(*facts), MemoryMeter::shapeOf(*facts));
        },
        [take](const StepMemory& memory) { take(memory); }, [take](const Problem&) { take(std::nullopt); });
}

/// With the vocabulary sizes that the counts assume.
Json PlanMeter::sizedDocument(const PlanRow& row, const DraftFacts& facts) const {
    Json document = documentOf(row);
    document["variant"] = MemoryMeter::sized(facts).compact();
    return document;
}

void PlanMeter::timeSteps() {
    if (isTiming_ || !canTime()) return;
    isTiming_ = true;
    cancelled_ = std::make_shared<std::atomic<bool>>(false);
    counted_.clear();  // the data may be others now
    timeNext();
}

void PlanMeter::cancel() {
    if (cancelled_) *cancelled_ = true;
}

void PlanMeter::timeNext() {
    const auto due = std::find_if(costs_.begin(), costs_.end(), [](const auto& known) {
        return known.second.facts && !known.second.step && known.second.stepProblem.isEmpty();
    });
    if (due == costs_.end() || *cancelled_) {
        isTiming_ = false;
        return Q_EMIT changed();
    }
    Q_EMIT changed();
    inBackground(
        this,
        [timer = studio_.stepTimer(), document = sizedDocument(rows_.at(due->first), *due->second.facts), stop = cancelled_] {
            return timer(document, [stop] { return stop->load(); });
        },
        [this, key = due->first](const StepTime& time) {
            if (RowCost* cost = measured(key)) cost->step = time;
            countSteps(key);
        },
        [this, key = due->first](const Problem& problem) {
            if (RowCost* cost = measured(key); cost && !*cancelled_) cost->stepProblem = problem.what;
            timeNext();
        });
}

void PlanMeter::countSteps(const std::string& key) {
    const RowCost* row = measured(key);
    if (!row || row->steps > 0 || !studio_.stepCounter() || *cancelled_) return timeNext();
    Q_EMIT changed();
    inBackground(
        this,
        [counter = studio_.stepCounter(), row = rows_.at(key), counted = counted_, stop = cancelled_] {
            const RunSpec run = firstRun(row);
            std::int64_t steps = stepsOf(run, counted);
            if (steps == 0) steps = counter(run.toJson(), [stop] { return stop->load(); });
            return KnownRun{run.toJson().dump(), steps};
        },
        [this, key](const KnownRun& run) {
            if (RowCost* cost = measured(key)) cost->steps = run.totalSteps;
            if (run.totalSteps > 0) counted_.push_back(run);
            timeNext();
        },
        [this, key](const Problem& problem) {
            if (RowCost* cost = measured(key); cost && !*cancelled_) cost->countProblem = problem.what;
            timeNext();
        });
}

RowCost* PlanMeter::measured(const std::string& key) {
    const auto found = costs_.find(key);
    return found == costs_.end() ? nullptr : &found->second;
}

}  // namespace heddle::ui
