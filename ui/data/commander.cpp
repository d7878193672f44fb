// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/commander.h"

#include "engine/base/error.h"
#include "engine/base/json.h"

#include <QCoreApplication>
#include <QPointer>

namespace heddle::ui {

Commander::Commander(QObject* parent) : QObject(parent) {}

Commander::~Commander() {
    for (auto& [database, queue] : queues_) queue.waitForDone();
}

void Commander::setControl(int database, RunControl* control) { controls_[database] = control; }

void Commander::submit(int database, NewRun run, Submitted done, std::function<void(const Problem&)> failed) {
    post(
        database, Priority::Verb,
        [database, run = std::move(run), done = std::move(done)](RunControl& control) {
            const RunRef made(database, control.submit(run.spec, run.group));
            return std::function<void()>([made, done] {
                if (done) done(made);
            });
        },
        std::move(failed));
}

void Commander::command(const RunRef& run, RunVerb verb, Outcome outcome) {
    post(
        run.database, Priority::Verb,
        [id = run.id, verb, done = std::move(outcome.done)](RunControl& control) {
            if (verb == RunVerb::Start)
                control.resume(id);
            else
                control.command(id, verb, "user");
            return done;
        },
        std::move(outcome.failed));
}

void Commander::edit(int database, const Edit& edit, std::function<void()> done, std::function<void(const Problem&)> failed) {
    post(
        database, Priority::Edit,
        [edit, done = std::move(done)](RunControl& control) {
            control.edit(edit);
            return done;
        },
        std::move(failed));
}

void Commander::run(int database, std::function<void()> work, Outcome outcome) {
    post(
        database, Priority::Edit,
        [work = std::move(work), done = std::move(outcome.done)](RunControl&) {
            work();
            return done;
        },
        std::move(outcome.failed));
}

void Commander::intervene(const RunRef& run, const InterventionChange& change, const Outcome& outcome) {
    post(
        run.database, Priority::Verb,
        [this, id = run.id, change, outcome](RunControl& control) {
            // The answer comes on a thread of the session, possibly after this object was deleted.
            const QPointer<Commander> commander(this);
            control.ask(id, interventionQuestion(change), [commander, outcome](bool ok, const Json& answer) {
                QMetaObject::invokeMethod(
                    qApp,
                    [commander, outcome, ok, answer] {
                        if (!commander) return;
                        if (!ok) return commander->fail(problemOf(refusalOf(answer)), outcome.failed);
                        if (outcome.done) outcome.done();
                    },
                    Qt::QueuedConnection);
            });
            return std::function<void()>();
        },
        outcome.failed);
}

void Commander::fail(const Problem& problem, const std::function<void(const Problem&)>& failure) {
    if (failure) return failure(problem);
    Q_EMIT failed(problem);
}

void Commander::post(int database, Priority priority, std::function<std::function<void()>(RunControl&)> call,
                     std::function<void(const Problem&)> failure) {
    const auto found = controls_.find(database);
    RunControl* control = found == controls_.end() ? nullptr : found->second;
    QThreadPool& queue = queues_[database];
    queue.setMaxThreadCount(1);
    queue.start(
        [this, control, call = std::move(call), failure = std::move(failure)] {
            try {
                if (!control)
                    throw Error(ErrorCode::Usage, "no run database is open", "",
                                "open or create one with File > Open database");
                if (auto done = call(*control)) QMetaObject::invokeMethod(this, std::move(done), Qt::QueuedConnection);
            } catch (const std::exception& error) {
                QMetaObject::invokeMethod(
                    this, [this, failure, problem = problemOf(error)] { fail(problem, failure); }, Qt::QueuedConnection);
            }
        },
        int(priority));
}

}  // namespace heddle::ui
