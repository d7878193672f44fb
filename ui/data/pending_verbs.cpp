// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/pending_verbs.h"

#include "ui/data/studio.h"

#include <QCoreApplication>
#include <QTimer>

namespace heddle::ui {
namespace {

/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::PendingVerbs)
};

/// "eau-full s1 was not paused"
QString notDone(RunVerb verb, const QString& run) {
    switch (verb) {
    case RunVerb::Pause: return Words::tr("%1 was not paused").arg(run);
    case RunVerb::Stop: return Words::tr("%1 was not stopped").arg(run);
    case RunVerb::Checkpoint: return Words::tr("Could not request a checkpoint of %1").arg(run);
    default: return Words::tr("%1 was not resumed").arg(run);
    }
}

QString notDoneYet(RunVerb verb, const QString& run) {
    switch (verb) {
    case RunVerb::Pause: return Words::tr("%1 is not paused yet").arg(run);
    case RunVerb::Stop: return Words::tr("%1 is not stopping yet").arg(run);
    default: return Words::tr("%1 does not go on yet").arg(run);
    }
}

}  // namespace

QString pendingWord(RunVerb verb) {
    switch (verb) {
    case RunVerb::Pause: return Words::tr("Pausing…");
    case RunVerb::Stop: return Words::tr("Stopping…");
    case RunVerb::Checkpoint: return Words::tr("Saving…");
    default: return Words::tr("Resuming…");
    }
}

PendingVerbs::PendingVerbs(Databases& databases, Commander& commander, QObject* parent)
    : QObject(parent), databases_(databases), commander_(commander) {
    connect(&databases_, &Databases::runsChanged, this, &PendingVerbs::dropSettled);
}

std::optional<RunVerb> PendingVerbs::of(const RunRef& run) const {
    const auto found = pending_.find(run);
    return found == pending_.end() ? std::nullopt : std::optional(found->second.verb);
}

void PendingVerbs::carryOut(const RunRef& run, RunVerb verb) {
    const int number = ++last_;
    const Run* record = databases_.run(run);
    if (record) pending_.insert_or_assign(run, Pending{verb, record->state, number});
    commander_.command(run, verb,
                       {[this, run, number] { accepted(run, number); },
                        [this, run, verb, number,
                         label = record ? runLabel(*record) : QString::fromStdString(run.id)](const Problem& problem) {
                            Problem refusal = problem;
                            refusal.what = Words::tr("%1: %2").arg(notDone(verb, label), problem.what);
                            refused(run, number, refusal);
                        }});
    if (record) Q_EMIT changed();
}

bool PendingVerbs::isCurrent(const RunRef& run, int number) const {
    const auto found = pending_.find(run);
    return found != pending_.end() && found->second.number == number;
}

/// A run in another state has done what was asked, or cannot do it any more.
void PendingVerbs::dropSettled() {
    const auto dropped = std::erase_if(pending_, [this](const auto& entry) {
        const Run* run = databases_.run(entry.first);
        return !run || run->state != entry.second.from;
    });
    if (dropped > 0) Q_EMIT changed();
}

void PendingVerbs::accepted(const RunRef& run, int number) {
    if (!isCurrent(run, number)) return;
    const Pending& pending = pending_.at(run);
    const bool waitsForItsDevice = pending.from == name(RunState::Queued) && pending.verb != RunVerb::Stop;
    if (pending.verb != RunVerb::Checkpoint && !waitsForItsDevice) {
        QTimer::singleShot(patience_, this, [this, run, number] { overdue(run, number); });
        return;
    }
    pending_.erase(run);  // no other state follows
    Q_EMIT changed();
}

void PendingVerbs::refused(const RunRef& run, int number, const Problem& problem) {
    if (isCurrent(run, number)) {
        pending_.erase(run);
        Q_EMIT changed();
    }
    Q_EMIT failed(problem);
}

void PendingVerbs::overdue(const RunRef& run, int number) {
    const Run* record = databases_.run(run);
    if (!isCurrent(run, number) || !record) return;
    const RunVerb verb = pending_.at(run).verb;
    pending_.erase(run);
    Q_EMIT changed();
    Q_EMIT failed({notDoneYet(verb, runLabel(*record)), Words::tr("asked %1 s ago").arg(patience_.count() / 1000),
                   Words::tr("The process that trains it has accepted the request and acts at its next step."),
                   Words::tr("If the step number stands still, that process hangs: end it and resume the run.")});
}

}  // namespace heddle::ui
