// SPDX-License-Identifier: GPL-3.0-or-later
// StudioProgram: offers to resume runs that the last process left unfinished.
#include "app/session/runs/queue.h"
#include "app/studio/studio_program.h"
#include "engine/run/run_state.h"
#include "ui/text/number.h"
#include "ui/widgets/message_list.h"

#include <QAction>

#include <algorithm>

namespace heddle::studio {
namespace {

/// Whether the run ended before it was complete, so that it can be resumed.
bool canResume(const storage::RunRecord& run) {
    const auto state = runStateFromName(run.state);
    return state && isAllowed(*state, RunVerb::Start);
}

}  // namespace

/// Offers to resume the runs that the last process left unfinished in the database, and withdraws offers that are out of date.
void StudioProgram::updateOffers(const ui::RunDatabase& database) {
    const app::DatabaseControl* control = controlOf(database);
    if (!control) return;
    const auto status = control->status();
    const auto update = [&](Offer of, const std::vector<std::string>& found, const auto& canContinue) {
        auto& offered = offers_[{of, database.number()}];
        const auto before = offered.size();
        std::erase_if(offered, [&](const ui::RunRef& ref) {
            const ui::Run* run = database.run(ref.id);
            return !run || !canContinue(*run);
        });
        bool isNew = false;
        for (const auto& id : found)
            if (const ui::Run* run = database.run(id); run && canContinue(*run) && offered_.insert({of, run->ref}).second) {
                offered.push_back(run->ref);
                isNew = true;
            }
        if (offered.empty()) return window_->messages().withdraw(offerKey(of, database.number()));
        if (isNew && of == Offer::Interrupted) studio_->setCurrentRun(offered.front());
        if (isNew || offered.size() != before) showOffer(of, offered);
    };
    update(Offer::Interrupted, status.interrupted, canResume);
    update(Offer::LostGpu, status.lost, canResume);
    std::vector<std::string> waiting;
    const bool isFree = !status.here && status.owner.empty() && status.isChecked;
    if (isFree && queueOffered_.insert(database.number()).second)
        for (const auto& run : app::queueOf({database.runs().begin(), database.runs().end()})) waiting.push_back(run.id);
    // The offer ends when this process has queued the runs, or another one has started to train them.
    const auto& queue = offers_[{Offer::Queue, database.number()}];
    const bool isTaken = !status.here && std::any_of(queue.begin(), queue.end(), [&](const ui::RunRef& ref) {
        const ui::Run* run = database.run(ref.id);
        return run && run->state != name(RunState::Queued) && !canResume(*run);
    });
    update(Offer::Queue, waiting, [&](const ui::Run& run) {
        const bool isOurs = std::find(status.waiting.begin(), status.waiting.end(), run.id) != status.waiting.end();
        return run.state == name(RunState::Queued) && !isOurs && !isTaken;
    });
}

QString StudioProgram::offerKey(Offer of, int database) { return QStringLiteral("offer/%1/%2").arg(int(of)).arg(database); }

void StudioProgram::showOffer(Offer of, const std::vector<ui::RunRef>& runs) {
    ui::MessageStrip::Message message;
    switch (of) {
    case Offer::Interrupted: message = interruptedOffer(runs); break;
    case Offer::LostGpu: message = otherProcessOffer(runs); break;
    case Offer::Queue: message = queueOffer(runs); break;
    }
    message.key = offerKey(of, runs.front().database);
    studio_->report(message);
}

/// The command line has made a database in the folder where the studio was started.
void StudioProgram::offerFolder(const QString& file) {
    for (const ui::RunDatabase* open : studio_->databases().all())
        if (open->file() == file) return;
    studio_->report({ui::StripKind::Info,
                     tr("New database in this folder: %1").arg(file),
                     tr("The command heddle records the runs of this folder in it."),
                     {messageAction("openBeside", tr("Open in addition"), [this, file] { studio_->openBeside(file); })}});
}

/// Ends an offer that the user has answered or closed, or those of a closed database.
void StudioProgram::endOffers(const std::function<bool(Offer, int)>& matches) {
    std::erase_if(offers_, [&](const auto& offer) {
        const auto [of, database] = offer.first;
        if (!matches(of, database)) return false;
        window_->messages().withdraw(offerKey(of, database));
        return true;
    });
}

ui::MessageStrip::Message StudioProgram::interruptedOffer(const std::vector<ui::RunRef>& runs) {
    QStringList labels;
    for (const auto& ref : runs)
        if (const auto* run = studio_->databases().run(ref))
            labels << tr("%1 at step %2").arg(ui::runLabel(*run), ui::count(run->step));
    return {ui::StripKind::Warn,
            runs.size() == 1
                ? tr("A run was interrupted: %1").arg(labels.value(0))
                : tr("%Ln run(s) were interrupted: %1", nullptr, int(runs.size())).arg(labels.join(QStringLiteral(", "))),
            tr("The training process ended unexpectedly. Every recorded step and checkpoint is kept; resuming starts from "
               "the newest intact checkpoint and compares replayed steps with what was recorded."),
            {messageAction("resume", tr("Resume"), [this, runs] { resumeAll(runs); })},
            {},
            {messageAction("watch", tr("Show in Watch"), [this, run = runs.front()] {
                studio_->setCurrentRun(run);
                studio_->go(ui::PageId::Watch);
            })}};
}

ui::MessageStrip::Message StudioProgram::queueOffer(const std::vector<ui::RunRef>& runs) {
    return {ui::StripKind::Info,
            tr("%Ln run(s) wait in the queue of %1", nullptr, int(runs.size()))
                .arg(studio_->databases().find(runs.front().database)->name()),
            tr("They were queued when the last window or training was closed."),
            {messageAction("startQueue", tr("Start the queue"), [this, runs] { resumeAll(runs); })}};
}

ui::MessageStrip::Message StudioProgram::otherProcessOffer(const std::vector<ui::RunRef>& runs) {
    return {ui::StripKind::Bad,
            tr("The GPU no longer works in this window"),
            tr("Everything recorded is kept. A separate process can continue from the newest checkpoint; later runs are "
               "trained there, too."),
            {messageAction("continueInChild", tr("Continue in a separate process"), [this, runs] {
                ui::storeHost(settings_, ui::EngineHost::Child);
                for (auto& [file, control] : controls_) control->setHost(app::DatabaseControl::Host::Child);
                resumeAll(runs);
            })}};
}

void StudioProgram::resumeAll(const std::vector<ui::RunRef>& runs) {
    for (const auto& run : runs) studio_->verbs().carryOut(run, RunVerb::Start);
}

}  // namespace heddle::studio
