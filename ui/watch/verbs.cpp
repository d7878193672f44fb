// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/watch/verbs.h"

#include <QCoreApplication>

namespace heddle::ui::watch {
namespace {

QString tr(const char* words) { return QCoreApplication::translate("heddle::ui::watch::Verbs", words); }

}  // namespace

std::vector<VerbLook> verbsFor(RunState state) {
    const VerbLook all[] = {
        {RunVerb::Pause, Icon::Pause, tr("Pause"), tr("Wait at the next step border (Space)")},
        {RunVerb::Resume, Icon::Play, tr("Resume"), tr("Go on (Space)")},
        {RunVerb::Start, Icon::Play, tr("Resume"), tr("Go on from the newest verified checkpoint (Space)")},
        {RunVerb::Stop, Icon::Stop, tr("Stop"), tr("End at the next step border; a checkpoint is written")},
        {RunVerb::Checkpoint, Icon::Save, tr("Checkpoint"), tr("Write a checkpoint at the next step border")},
    };
    std::vector<VerbLook> allowed;
    for (const VerbLook& verb : all)
        if (isAllowed(state, verb.verb) && !(verb.verb == RunVerb::Start && state == RunState::Completed))
            allowed.push_back(verb);
    return allowed;
}

}  // namespace heddle::ui::watch
