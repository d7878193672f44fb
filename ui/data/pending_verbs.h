// SPDX-License-Identifier: GPL-3.0-or-later
// Verbs that this window has requested and whose effect is not in the database yet.
#pragma once

#include "engine/run/run_state.h"
#include "ui/data/run_ref.h"
#include "ui/text/problem.h"

#include <QObject>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace heddle::ui {

class Commander;
class Databases;

/// Carries out verbs on runs. A verb is pending from the click until the new state is in the database, also where another
/// process owns the database. If the verb is refused or takes too long, failed() is emitted.
class PendingVerbs : public QObject {
    Q_OBJECT

public:
    /// Both must outlive this object.
    PendingVerbs(Databases& databases, Commander& commander, QObject* parent = nullptr);

    /// Start and Resume continue the run. The verb is not pending for a run that is in no open database.
    void carryOut(const RunRef& run, RunVerb verb);
    /// The pending verb of a run; nothing if there is none.
    std::optional<RunVerb> of(const RunRef& run) const;
    /// The time after which an accepted verb without effect fails.
    void setTimeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }

Q_SIGNALS:
    /// A verb has become pending or is no longer pending.
    void changed();
    void failed(const heddle::ui::Problem& problem);

private:
    struct Pending {
        RunVerb verb;
        std::string from;  ///< the state of the run at the click
        int number;
    };
    void dropSettled();
    bool isCurrent(const RunRef& run, int number) const;
    void accepted(const RunRef& run, int number);
    void refused(const RunRef& run, int number, const Problem& problem);
    void overdue(const RunRef& run, int number);

    Databases& databases_;
    Commander& commander_;
    std::map<RunRef, Pending> pending_;
    std::chrono::milliseconds timeout_{60000};
    int last_ = 0;
};

/// "Pausing…"
QString pendingWord(RunVerb verb);

}  // namespace heddle::ui
