// SPDX-License-Identifier: GPL-3.0-or-later
// The controls of the open databases, called from the GUI: on a thread of their own, in order; what fails is said.
#pragma once

#include "engine/run/intervention_change.h"
#include "engine/run/run_control.h"
#include "ui/data/run_ref.h"
#include "ui/text/problem.h"

#include <QObject>
#include <QThread>

#include <functional>
#include <map>

namespace heddle::ui {

class Commander : public QObject {
    Q_OBJECT

public:
    explicit Commander(QObject* parent = nullptr);
    ~Commander() override;  ///< waits for the calls that were made

    /// Who carries out calls about the runs of a database, from the next call on. Controls must outlive this object. Null, and
    /// a database that never got one: calls fail with "no run database is open".
    void setControl(int database, RunControl* control);

    using Submitted = std::function<void(const RunRef& run)>;
    /// `done`, if there is one, is called on the GUI thread with the run.
    void submit(int database, const RunSpec& spec, Submitted done = {});
    /// What came of a call; called on the GUI thread.
    struct Outcome {
        std::function<void()> done;
        std::function<void(const Problem&)> failed;  ///< without it: the signal
    };
    /// `done`: the verb is recorded or accepted by who trains the run; what happens is read from the database.
    void command(const RunRef& run, RunVerb verb, Outcome outcome = {});
    void edit(int database, const Edit& edit, std::function<void()> done = {});
    /// Changes a run in training; `done` when its events tell so.
    void intervene(const RunRef& run, const InterventionChange& change, const Outcome& outcome);

Q_SIGNALS:
    void failed(const heddle::ui::Problem& problem);

private:
    void post(int database, std::function<std::function<void()>(RunControl&)> call,
              std::function<void(const Problem&)> failure = {});
    void fail(const Problem& problem, const std::function<void(const Problem&)>& failure);

    QThread thread_;
    QObject* worker_;                      ///< lives on thread_
    std::map<int, RunControl*> controls_;  ///< by database; worker's
};

}  // namespace heddle::ui
