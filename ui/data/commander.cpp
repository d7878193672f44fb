// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/commander.h"

#include "engine/base/error.h"

#include <QCoreApplication>
#include <QPointer>

namespace heddle::ui {

Commander::Commander(QObject* parent) : QObject(parent), worker_(new QObject) {
    worker_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
    thread_.setObjectName(QStringLiteral("commander"));
    thread_.start();
}

Commander::~Commander() {
    // Queued behind every call that was made.
    QMetaObject::invokeMethod(worker_, [this] { thread_.quit(); });
    thread_.wait();
}

void Commander::setControl(int database, RunControl* control) {
    // In the order of the calls, without waiting for those that were made: one may take as long as another process likes.
    QMetaObject::invokeMethod(worker_, [this, database, control] { controls_[database] = control; });
}

void Commander::submit(int database, const RunSpec& spec, Submitted done) {
    post(database, [database, spec, done = std::move(done)](RunControl& control) {
        const RunRef run(database, control.submit(spec));
        return std::function<void()>([run, done] {
            if (done) done(run);
        });
    });
}

void Commander::command(const RunRef& run, RunVerb verb, Outcome outcome) {
    post(
        run.database,
        [id = run.id, verb, done = std::move(outcome.done)](RunControl& control) {
            if (verb == RunVerb::Start)
                control.resume(id);
            else
                control.command(id, verb, "user");
            return done;
        },
        std::move(outcome.failed));
}

void Commander::edit(int database, const Edit& edit, std::function<void()> done) {
    post(database, [edit, done = std::move(done)](RunControl& control) {
        control.edit(edit);
        return done;
    });
}

void Commander::intervene(const RunRef& run, const InterventionChange& change, const Outcome& outcome) {
    post(
        run.database,
        [this, id = run.id, change, outcome](RunControl& control) {
            // The answer comes on a thread of the session, perhaps when this object is gone.
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

void Commander::post(int database, std::function<std::function<void()>(RunControl&)> call,
                     std::function<void(const Problem&)> failure) {
    QMetaObject::invokeMethod(worker_, [this, database, call = std::move(call), failure = std::move(failure)] {
        try {
            const auto control = controls_.find(database);
            if (control == controls_.end() || !control->second)
                throw Error(ErrorCode::Usage, "no run database is open", "", "open or create one: File > Open database");
            if (auto done = call(*control->second)) QMetaObject::invokeMethod(this, std::move(done), Qt::QueuedConnection);
        } catch (const std::exception& error) {
            QMetaObject::invokeMethod(
                this, [this, failure, problem = problemOf(error)] { fail(problem, failure); }, Qt::QueuedConnection);
        }
    });
}

}  // namespace heddle::ui
