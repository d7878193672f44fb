// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of the rows of a plan: parameters, steps, memory, disk and the time of a measured step. Computed in the background,
// one row after the other.
#pragma once

#include "engine/spec/draft_facts.h"
#include "engine/spec/plan.h"
#include "ui/data/studio.h"
#include "ui/threads/task.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace heddle::ui {

/// The cost of one run of a row; unknown values are empty.
struct RowCost {
    Facts facts;
    QString data, device;                   ///< data: the training file or the format of generated examples
    std::int64_t maxSteps = 0, epochs = 0;  ///< of the budget; 0: no limit
    QString problem;                        ///< why the row cannot be trained; empty: it can
    std::int64_t steps = 0;                 ///< 0: unknown until the data are read
    std::uint64_t diskBytes = 0;            ///< of a run, at most
    std::uint64_t diskFree = 0;             ///< at the time of this computation
    std::optional<StepMemory> memory;
    std::optional<StepTime> step;
    QString stepProblem;   ///< why no step could be timed
    QString countProblem;  ///< why the steps could not be counted
};

/// A run whose number of steps is known, from which the steps of an epoch of its data follow.
struct KnownRun {
    std::string spec;
    std::int64_t totalSteps = 0;
};

class PlanMeter : public QObject {
    Q_OBJECT

public:
    PlanMeter(Studio& studio, QObject* parent);

    /// Computes only while it is active, which is while the plan is shown.
    void setActive(bool active);
    /// Computes the cost of these rows, by their keys; discards others.
    void setRows(const std::map<std::string, PlanRow>& rows, const AssumedVocabulary& assumed);
    /// The key of a row: all that its cost depends on, which is everything except its name and seeds. Slower than costOf().
    static std::string keyOf(const PlanRow& row);
    /// The cost of a row by its key; null while it is being computed.
    const RowCost* costOf(const std::string& key) const;

    /// Times the steps of the rows that are not timed yet, each in a process of its own. If a row's number of steps is
    /// unknown, counts them from its data; rows with the same data and batches are counted once.
    void timeSteps();
    void cancel() { timing_.cancel(); }
    bool isTiming() const { return isTiming_; }
    bool canTime() const { return bool(studio_.services().stepTimer); }
    bool isSettled() const { return (!isActive_ || due() == rows_.end()) && !isWorking_ && !isTiming_; }

Q_SIGNALS:
    void changed();

private:
    struct Row {
        PlanRow row;
        RowCost cost;
        bool isKnown = false, isMeasured = false, isCounted = false;  ///< the cost, its memory, its steps
    };
    using Rows = std::map<std::string, Row>;
    /// The time of a row's step, or its number of steps.
    using Timed = std::variant<StepTime, KnownRun>;
    /// Calls `work` on a pool thread, then `take` with the row of this key and the Result, unless the row was removed, and then
    /// computes the next cost.
    template <class Work, class Take>
    void work(const std::string& key, Work work, Take take);
    Rows::const_iterator due() const;
    void next();
    void timeNext();
    void timeStep(const std::string& key, const Row& row);
    void countSteps(const std::string& key, const Row& row);
    void takeTimed(Result<Timed> timed);
    void takeSteps(RowCost& cost, const KnownRun& run);

    Studio& studio_;
    AssumedVocabulary assumed_;
    Rows rows_;
    std::vector<KnownRun> counted_;
    bool isActive_ = false, isWorking_ = false, isTiming_ = false;
    std::string timed_;        ///< key of the row that is being timed or counted
    bool isCounting_ = false;  ///< the steps of that row are counted, not timed
    Task<Timed> timing_{this, [this](Result<Timed> timed) { takeTimed(std::move(timed)); }};
};

}  // namespace heddle::ui
