// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace heddle::ui {

/// Lowers the priority of the calling thread so that it does not slow down a training: it does not preempt (SCHED_BATCH) and
/// gets about a quarter of a processor that another thread uses (nice 5). Threads that it starts inherit this; it must not
/// start any of an engine.
void lowerPriority();

}  // namespace heddle::ui
