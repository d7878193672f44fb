// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/run_verbs.h"

#include "ui/shell/icons.h"
#include "ui/shell/studio.h"

#include <QAction>

namespace heddle::ui {

RunVerbs::RunVerbs(Studio& studio, QObject* parent) : QObject(parent), studio_(studio) {
    const auto add = [this](RunVerb verb, Icon icon, const QString& words) {
        auto* action = new QAction(themeIcon(icon), words, this);
        connect(action, &QAction::triggered, this, [this, verb] {
            const std::string run = studio_.currentRun();
            if (run.empty()) return;
            if (verb == RunVerb::Start)
                studio_.commander().resume(run);
            else
                studio_.commander().command(run, verb);
        });
        byVerb_[verb] = action;
        order_.append(action);
    };
    add(RunVerb::Pause, Icon::Pause, tr("&Pause"));
    add(RunVerb::Resume, Icon::Play, tr("&Resume"));
    add(RunVerb::Checkpoint, Icon::Save, tr("Write a &checkpoint"));
    add(RunVerb::Stop, Icon::Stop, tr("&Stop"));
    add(RunVerb::Start, Icon::Refresh, tr("&Go on from the newest checkpoint"));
    connect(&studio_, &Studio::currentRunChanged, this, &RunVerbs::refresh);
    connect(&studio_.feed(), &Feed::runsChanged, this, &RunVerbs::refresh);
    refresh();
}

void RunVerbs::refresh() {
    const storage::RunRecord* run = studio_.feed().run(studio_.currentRun());
    const bool known = run && runStateFromName(run->state);
    const RunState state = known ? *runStateFromName(run->state) : RunState::Queued;
    for (const auto& [verb, action] : byVerb_) {
        // A run that an earlier owner left queued is started like a finished one; one that waits for its turn takes no harm.
        const bool waits = verb == RunVerb::Start && state == RunState::Queued;
        action->setEnabled(known && (waits || isAllowed(state, verb)));
        action->setToolTip(run ? tr("%1: %2").arg(runLabel(*run), action->text().remove(QLatin1Char('&'))) : QString());
    }
}

}  // namespace heddle::ui
