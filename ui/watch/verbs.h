// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done to a run now, from the transition table.
#pragma once

#include "engine/run/run_state.h"
#include "ui/shell/tokens.h"

#include <QString>

#include <vector>

namespace heddle::ui::watch {

struct VerbLook {
    RunVerb verb;
    Icon icon;
    QString text, tip;
};

/// The verbs that the state allows, in the order of the toolbar. Deleting is the Library's. A completed run has nothing left to
/// go on with.
std::vector<VerbLook> verbsFor(RunState state);

}  // namespace heddle::ui::watch
