// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/data/pending_verbs.h"

#include "ui/data/studio.h"

#include <QTimer>

namespace heddle::ui {
namespace {

struct VerbTexts {
    QString pending, refused, overdue;
};

VerbTexts textsOf(RunVerb verb) {
    switch (verb) {
    case RunVerb::Pause:
        return {PendingVerbs::tr("Pausing…"), PendingVerbs::tr("%1 was not paused"), PendingVerbs::tr("%1 is not paused yet")};
    case RunVerb::Stop:
        return {PendingVerbs::tr("Stopping…"), PendingVerbs::tr("%1 was not stopped"),
                PendingVerbs::tr("%1 is not stopping yet")};
    case RunVerb::Checkpoint:
        return {PendingVerbs::tr("Saving…"), PendingVerbs::tr("Could not request a checkpoint of %1"), {}};
    default:
        return {PendingVerbs::tr("Resuming…"), PendingVerbs::tr("%1 was not resumed"),
                PendingVerbs::tr("%1 has not resumed yet")};
    }
}

}  // namespace

QString pendingWord(RunVerb verb) { return textsOf(verb).pending; }

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
                            //: What was not done, and why.
                            refusal.what = PendingVerbs::tr("%1: %2").arg(textsOf(verb).refused.arg(label), problem.what);
                            refused(run, number, refusal);
                        }});
    if (record) Q_EMIT changed();
}

bool PendingVerbs::isCurrent(const RunRef& run, int number) const {
    const auto found = pending_.find(run);
    return found != pending_.end() && found->second.number == number;
}

/// A run in another state has carried out the verb or can no longer do so.
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
    const bool waitsInQueue = pending.from == name(RunState::Queued) && pending.verb != RunVerb::Stop;
    if (pending.verb != RunVerb::Checkpoint && !waitsInQueue) {
        QTimer::singleShot(timeout_, this, [this, run, number] { overdue(run, number); });
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
    Q_EMIT failed({textsOf(verb).overdue.arg(runLabel(*record)),
                   PendingVerbs::tr("requested %1 s ago").arg(timeout_.count() / 1000),
                   PendingVerbs::tr("The training process has accepted the request and acts on it after its current step."),
                   PendingVerbs::tr("If the step number does not change, end that process and resume the run.")});
}

}  // namespace heddle::ui
