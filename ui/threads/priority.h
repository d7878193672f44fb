// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace heddle::ui {

/// What a thread does in a program with a window. The window comes first: of a processor that both want, it gets three quarters
/// beside a training, and a training three quarters beside a thread that reads.
enum class BackgroundWork { Training, Reading };

/// Lowers the priority of the calling thread, and of those that it will start: to nice 5 for a training; to nice 10 for
/// reading, which also does not preempt (SCHED_BATCH).
void lowerPriority(BackgroundWork of);

}  // namespace heddle::ui
