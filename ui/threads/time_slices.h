// SPDX-License-Identifier: GPL-3.0-or-later
// Long work of the GUI thread in pieces, one after the other for the whole window, which answers and draws between them.
#pragma once

#include <QList>

#include <functional>
#include <vector>

class QObject;
class QWidget;

namespace heddle::ui {

/// Runs `step` at once where the window had no turn within the last frame, or where its last turn was short so far. Else the
/// step waits for the next turn, a frame after the last one. Short steps share a turn; what a longer step changed is painted
/// before the next turn. A step whose `context` is gone is dropped.
void runInSlice(QObject* context, std::function<void()> step);

/// Says that something long was done outside these functions, or is about to be painted: the next step waits a frame.
void endSlice();

/// Runs each step in a turn of its own, after what the step before it changed is painted. The first one, too, waits a frame.
/// Steps whose `context` is gone are dropped.
void runInSlices(QObject* context, std::vector<std::function<void()>> steps);

/// Each of the parts is painted for the first time in a turn of its own: fonts, icons and formatted texts are found and laid
/// out when they are first painted, and all of a window at once would keep it from answering for several frames.
void paintInSlices(QObject* context, const QList<QWidget*>& parts);

}  // namespace heddle::ui
