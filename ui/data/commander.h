// SPDX-License-Identifier: GPL-3.0-or-later
// RunControl from the GUI: calls run on a thread of their own, in order; what fails is said.
#pragma once

#include "engine/run/intervention_change.h"
#include "engine/run/run_control.h"
#include "ui/text/problem.h"

#include <QObject>
#include <QThread>

#include <functional>

namespace heddle::ui {

class Commander : public QObject {
    Q_OBJECT

public:
    /// `control` must outlive this object. Null: every call fails with "no database is open".
    explicit Commander(RunControl* control, QObject* parent = nullptr);
    ~Commander() override;  ///< waits for the calls that were made
    /// From the next call on; the one before must outlive this object too.
    void setControl(RunControl* control);

    using Submitted = std::function<void(const std::string& run)>;
    /// `done`, if there is one, is called on the GUI thread with the run's id.
    void submit(const RunSpec& spec, Submitted done = {});
    /// What came of a call; called on the GUI thread.
    struct Outcome {
        std::function<void()> done;
        std::function<void(const Problem&)> failed;  ///< without it: the signal
    };
    /// `done`: the verb is recorded or accepted by who trains the run; what happens is read from the database.
    void command(const std::string& run, RunVerb verb, Outcome outcome = {});
    void edit(const Edit& edit, std::function<void()> done = {});
    /// Changes a run in training; `done` when its events tell so.
    void intervene(const std::string& run, const InterventionChange& change, Outcome outcome);

Q_SIGNALS:
    void failed(const heddle::ui::Problem& problem);

private:
    void post(std::function<std::function<void()>(RunControl&)> call, std::function<void(const Problem&)> failure = {});
    void fail(const Problem& problem, const std::function<void(const Problem&)>& failure);

    QThread thread_;
    QObject* worker_;  ///< lives on thread_
    RunControl* control_;
};

}  // namespace heddle::ui
