// SPDX-License-Identifier: GPL-3.0-or-later
// StudioProgram: offers to go on with what the last process left behind.
#include "app/session/runs/queue.h"
#include "app/studio/studio_program.h"
#include "engine/run/run_state.h"
#include "ui/text/number.h"
#include "ui/widgets/message_strip.h"

#include <QAction>

#include <utility>

namespace heddle::studio {
namespace {

/// Ended before it was complete: it can go on.
bool hasEnded(const storage::RunRecord& run) {
    const auto state = runStateFromName(run.state);
    return state && isAllowed(*state, RunVerb::Start);
}

}  // namespace

/// Adds an offer for each kind of run that the last process left unfinished in the database.
void StudioProgram::findOffers(const ui::RunDatabase& database) {
    const app::DatabaseControl* control = controlOf(database);
    if (!control) return;
    const auto status = control->status();
    const auto take = [&](const std::vector<std::string>& ids) {
        std::vector<ui::RunRef> fresh;
        for (const auto& id : ids)
            if (const ui::Run* run = database.run(id); run && hasEnded(*run) && offered_.insert(run->ref).second)
                fresh.push_back(run->ref);
        return fresh;
    };
    if (auto fresh = take(status.interrupted); !fresh.empty())
        offers_.push_back({Offer::Of::Interrupted, std::move(fresh), false});
    // The trainings of this window come before what older ones left.
    if (auto fresh = take(status.lost); !fresh.empty()) offers_.push_front({Offer::Of::LostGpu, std::move(fresh), false});
    const bool free = !status.here && status.owner.empty() && status.isChecked;
    if (!free || !queueOffered_.insert(database.number()).second) return;
    const std::vector<storage::RunRecord> runs(database.runs().begin(), database.runs().end());
    std::vector<ui::RunRef> waiting;
    for (const auto& run : app::queueOf(runs)) waiting.emplace_back(database.number(), run.id);
    if (!waiting.empty()) offers_.push_back({Offer::Of::Queue, std::move(waiting), false});
}

/// Shows the first offer: one that is new at once, one that another message has covered when that is gone.
void StudioProgram::showOffer() {
    while (!offers_.empty()) {
        Offer& next = offers_.front();
        if (next.wasShown && window_->strip().isVisible()) return;
        std::erase_if(next.runs, [&](const ui::RunRef& ref) {
            const ui::Run* run = studio_->databases().run(ref);
            const bool waits = run && (next.of == Offer::Of::Queue ? run->state == name(RunState::Queued) : hasEnded(*run));
            return !waits;  // it went on without the offer, or its database has been closed
        });
        if (next.runs.empty()) {
            offers_.pop_front();
            continue;
        }
        const bool isNews = !std::exchange(next.wasShown, true);
        switch (next.of) {
        case Offer::Of::Interrupted: offerInterrupted(next.runs, isNews); break;
        case Offer::Of::LostGpu: offerOtherProcess(next.runs); break;
        case Offer::Of::Queue: offerQueue(next.runs); break;
        }
        shownOffer_ = window_->strip().title();
        return;
    }
}

/// The user has answered the offer that is shown, or closed it.
void StudioProgram::answerOffer() {
    shownOffer_.clear();
    if (!offers_.empty()) offers_.pop_front();
    showOffer();
}

void StudioProgram::offerInterrupted(const std::vector<ui::RunRef>& runs, bool isNews) {
    QStringList labels;
    for (const auto& ref : runs)
        if (const auto* run = studio_->databases().run(ref))
            labels << tr("%1 at step %2").arg(ui::runLabel(*run), ui::count(run->step));
    if (isNews) studio_->setCurrentRun(runs.front());
    showMessageStrip(
        ui::StripKind::Warn,
        runs.size() == 1
            ? tr("A run was interrupted: %1").arg(labels.value(0))
            : tr("%Ln run(s) were interrupted: %1", nullptr, int(runs.size())).arg(labels.join(QStringLiteral(", "))),
        tr("The training process ended unexpectedly. Every recorded step and checkpoint is kept; resuming starts from "
           "the newest intact checkpoint and compares replayed steps with what was recorded."),
        {stripAction(tr("Resume"), [this, runs] { resumeAll(runs); }),
         stripAction(tr("Watch"), [this] { studio_->go(ui::PageId::Watch); })});
}

void StudioProgram::offerQueue(const std::vector<ui::RunRef>& runs) {
    showMessageStrip(ui::StripKind::Info,
                     tr("%Ln run(s) wait in the queue of %1", nullptr, int(runs.size()))
                         .arg(studio_->databases().find(runs.front().database)->name()),
                     tr("Left there when the last window or training was closed."),
                     {stripAction(tr("Start the queue"), [this, runs] { resumeAll(runs); })});
}

void StudioProgram::offerOtherProcess(const std::vector<ui::RunRef>& runs) {
    showMessageStrip(
        ui::StripKind::Bad, tr("The GPU stopped working for this window"),
        tr("Everything recorded is kept. A separate process can continue from the newest checkpoint; later runs are "
           "trained there, too."),
        {stripAction(tr("Continue in a separate process"), [this, runs] {
            ui::storeHost(settings_, ui::EngineHost::Child);
            for (auto& [file, control] : controls_) control->setHost(app::DatabaseControl::Host::Child);
            resumeAll(runs);
        })});
}

void StudioProgram::resumeAll(const std::vector<ui::RunRef>& runs) {
    window_->strip().hide();
    for (const auto& run : runs) studio_->verbs().carryOut(run, RunVerb::Start);
    answerOffer();
}

}  // namespace heddle::studio
