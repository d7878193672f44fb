// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace heddle::ui {

/// From now on the calling thread waits for its turn where a training has all processors: it never interrupts (SCHED_BATCH) and
/// gets a quarter of a processor that others want (nice 5). Threads that it starts inherit that: none of an engine may be.
void lowerPriority();

}  // namespace heddle::ui
