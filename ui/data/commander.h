// SPDX-License-Identifier: GPL-3.0-or-later
// Carries out commands of the GUI on the open databases, on threads of its own, and reports failures. Each database has a
// queue, so that a slow or locked file delays only its own commands. In a queue verbs, new runs and interventions go before
// edits; otherwise commands keep their order.
#pragma once

#include "engine/run/intervention_change.h"
#include "engine/run/run_control.h"
#include "ui/data/run_ref.h"
#include "ui/text/problem.h"

#include <QObject>
#include <QThreadPool>

#include <functional>
#include <map>

namespace heddle::ui {

class Commander : public QObject {
    Q_OBJECT

public:
    explicit Commander(QObject* parent = nullptr);
    ~Commander() override;  ///< waits for the queued commands

    /// Sets the control that carries out later calls about a database; it must outlive this object. Without a control, calls
    /// fail with "no run database is open".
    void setControl(int database, RunControl* control);

    using Submitted = std::function<void(const RunRef& run)>;
    /// A run to create; `group`: its group, or empty.
    struct NewRun {
        RunSpec spec;
        std::string group = {};
    };
    /// Calls `done`, unless it is empty, with the new run, or `failed`; both on the GUI thread. If `failed` is empty, the
    /// signal is emitted instead.
    void submit(int database, NewRun run, Submitted done = {}, std::function<void(const Problem&)> failed = {});
    /// The callbacks of a call; both run on the GUI thread.
    struct Outcome {
        std::function<void()> done;
        std::function<void(const Problem&)> failed;  ///< if empty, failed() is emitted instead
    };
    /// Calls `done` when the verb is recorded or accepted by the process that trains the run; its effect is read from the
    /// database.
    void command(const RunRef& run, RunVerb verb, Outcome outcome = {});
    void edit(int database, const Edit& edit, std::function<void()> done = {}, std::function<void(const Problem&)> failed = {});
    /// Carries out `work` in the queue of a database, among its edits.
    void run(int database, std::function<void()> work, Outcome outcome);
    /// Changes a run in training; calls `done` when the change is among its events.
    void intervene(const RunRef& run, const InterventionChange& change, const Outcome& outcome);

Q_SIGNALS:
    void failed(const heddle::ui::Problem& problem);

private:
    /// QThreadPool queues a call with priority 0 while one of its threads is idle, whatever priority it was started with. Verbs
    /// have 0, so that they keep their order.
    enum class Priority { Edit = -1, Verb = 0 };
    void post(int database, Priority priority, std::function<std::function<void()>(RunControl&)> call,
              std::function<void(const Problem&)> failure = {});
    void fail(const Problem& problem, const std::function<void(const Problem&)>& failure);

    std::map<int, RunControl*> controls_;  ///< by database
    std::map<int, QThreadPool> queues_;    ///< by database; one thread each
};

}  // namespace heddle::ui
