// SPDX-License-Identifier: GPL-3.0-or-later
// Long work of the GUI thread in pieces: the window answers and draws between them.
#pragma once

#include <QList>

#include <functional>
#include <vector>

class QObject;
class QWidget;

namespace heddle::ui {

/// Does each step in a turn of the event loop of its own, after what the step before it changed is painted. Those that are left
/// are dropped with `context`.
void inTurns(QObject* context, std::vector<std::function<void()>> steps);

/// Each of the parts is painted for the first time in a turn of its own: fonts, icons and formatted texts are found and laid
/// out when they are first painted, and all of a window at once would keep it from answering for several frames.
void paintInTurns(QObject* context, const QList<QWidget*>& parts);

}  // namespace heddle::ui
