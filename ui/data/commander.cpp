// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/commander.h"

#include "engine/base/error.h"

#include <QCoreApplication>
#include <QPointer>

namespace heddle::ui {

Commander::Commander(RunControl* control, QObject* parent) : QObject(parent), worker_(new QObject), control_(control) {
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

void Commander::setControl(RunControl* control) {
    // In the order of the calls, without waiting for those that were made: one may take as long as another process likes.
    QMetaObject::invokeMethod(worker_, [this, control] { control_ = control; });
}

void Commander::submit(const RunSpec& spec, Submitted done) {
    post([spec, done = std::move(done)](RunControl& control) {
        const std::string run = control.submit(spec);
        return std::function<void()>([run, done] {
            if (done) done(run);
        });
    });
}

void Commander::command(const std::string& run, RunVerb verb, Outcome outcome) {
    post(
        [run, verb, done = std::move(outcome.done)](RunControl& control) {
            if (verb == RunVerb::Start)
                control.resume(run);
            else
                control.command(run, verb, "user");
            return done;
        },
        std::move(outcome.failed));
}

void Commander::edit(const Edit& edit, std::function<void()> done) {
    post([edit, done = std::move(done)](RunControl& control) {
        control.edit(edit);
        return done;
    });
}

void Commander::intervene(const std::string& run, const InterventionChange& change, Outcome outcome) {
    post(
        [this, run, change, outcome](RunControl& control) {
            // The answer comes on a thread of the session, perhaps when this object is gone.
            const QPointer<Commander> commander(this);
            control.ask(run, interventionQuestion(change), [commander, outcome](bool ok, const Json& answer) {
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

void Commander::post(std::function<std::function<void()>(RunControl&)> call, std::function<void(const Problem&)> failure) {
    QMetaObject::invokeMethod(worker_, [this, call = std::move(call), failure = std::move(failure)] {
        try {
            if (!control_)
                throw Error(ErrorCode::Usage, "no run database is open", "", "open or create one: File > Open database");
            if (auto done = call(*control_)) QMetaObject::invokeMethod(this, std::move(done), Qt::QueuedConnection);
        } catch (const std::exception& error) {
            QMetaObject::invokeMethod(
                this, [this, failure, problem = problemOf(error)] { fail(problem, failure); }, Qt::QueuedConnection);
        }
    });
}

}  // namespace heddle::ui
