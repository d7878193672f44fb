// SPDX-License-Identifier: GPL-3.0-or-later
// Long work of the GUI thread in pieces, for all of the window one after the other: it answers and draws between them.
#pragma once

#include <QList>

#include <functional>
#include <vector>

class QObject;
class QWidget;

namespace heddle::ui {

/// Does `step` at once where no other had its turn within the last frame or where the last turn has room; else in a turn of the
/// event loop a frame after the one before it. Steps that are short share a turn; after a longer one, what it changed is
/// painted before the next. Dropped with `context`.
void runInSlice(QObject* context, std::function<void()> step);

/// Something long was done outside these functions, or is about to be painted: the next step waits a frame.
void endSlice();

/// Does each step in a turn of the event loop of its own, after what the step before it changed is painted; the first, too, a
/// frame from now at the earliest. Those that are left are dropped with `context`.
void runInSlices(QObject* context, std::vector<std::function<void()>> steps);

/// Each of the parts is painted for the first time in a turn of its own: fonts, icons and formatted texts are found and laid
/// out when they are first painted, and all of a window at once would keep it from answering for several frames.
void paintInSlices(QObject* context, const QList<QWidget*>& parts);

}  // namespace heddle::ui
