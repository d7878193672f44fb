// SPDX-License-Identifier: GPL-3.0-or-later
// What the rows of a plan take: parameters, steps, memory, disk, and the time of a measured step. Computed in the background,
// one row after the other.
#pragma once

#include "engine/spec/draft_facts.h"
#include "engine/spec/plan.h"
#include "ui/data/studio.h"

#include <QObject>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::ui {

/// What one run of a row takes; what is not known is empty.
struct RowCost {
    Facts facts;
    QString data, device;                    ///< data: the training file or the format of generated examples
    std::int64_t mostSteps = 0, epochs = 0;  ///< of the budget; 0: no limit
    QString problem;                         ///< why the row cannot be trained; empty: it can
    std::int64_t steps = 0;                  ///< 0: known only when the data are read
    std::uint64_t diskBytes = 0;             ///< of a run, at most
    std::uint64_t diskFree = 0;              ///< at the time of this computation
    std::optional<StepMemory> memory;
    std::optional<StepTime> step;
    QString stepProblem;   ///< why no step could be timed
    QString countProblem;  ///< why the steps could not be counted
};

/// A run whose steps are known. They tell how many steps an epoch of its data has.
struct KnownRun {
    std::string spec;
    std::int64_t totalSteps = 0;
};

class PlanMeter : public QObject {
    Q_OBJECT

public:
    PlanMeter(Studio& studio, QObject* parent);
    ~PlanMeter() override;

    /// Works only while it is active, which is while the plan is shown.
    void setActive(bool active);
    /// Works out what these rows take, by their keys; others are forgotten.
    void setRows(const std::map<std::string, PlanRow>& rows, const AssumedVocabulary& assumed);
    /// Names what the costs of a row depend on: everything but its name and seeds. Slower than costOf(): compute it once.
    static std::string keyOf(const PlanRow& row);
    /// Of a row that was given, by its key; null while it is worked out.
    const RowCost* costOf(const std::string& key) const;

    /// Times the steps of the rows that are not timed yet, each in a process of its own. Where a row's number of steps is not
    /// known, counts them from its data; rows of the same data and batches are counted once.
    void timeSteps();
    void cancel();
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
    /// Does `work` on a pool thread. Then calls `take` with the row of this key and the Result, unless the row is gone. Then
    /// calls `after`.
    template <class Work, class Take>
    void work(const std::string& key, Work work, Take take, void (PlanMeter::*after)());
    Rows::const_iterator due() const;
    void next();
    void workNext();
    void timeNext();
    void timeStep(const std::string& key, const Row& row, const std::function<bool()>& stopped);
    void countSteps(const std::string& key, const Row& row, const std::function<bool()>& stopped);

    Studio& studio_;
    AssumedVocabulary assumed_;
    Rows rows_;
    std::vector<KnownRun> counted_;
    bool isActive_ = false, isWorking_ = false, isTiming_ = false;
    std::shared_ptr<std::atomic<bool>> cancelled_;
};

}  // namespace heddle::ui
