// SPDX-License-Identifier: GPL-3.0-or-later
// Long work of the GUI thread in pieces: the window answers and draws between them.
#pragma once

#include <functional>
#include <vector>

class QObject;

namespace heddle::ui {

/// Does each step in a turn of the event loop of its own, after what the step before it changed is painted. Those that are left
/// are dropped with `context`.
void inTurns(QObject* context, std::vector<std::function<void()>> steps);

}  // namespace heddle::ui
