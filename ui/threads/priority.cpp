// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/priority.h"

#include <sched.h>
#include <sys/resource.h>

namespace heddle::ui {

void lowerPriority(BackgroundWork of) {
    // Not lower: if it waited for long while holding a lock (of malloc, of an event queue), the window would wait, too.
    constexpr int kNiceOfTraining = 5, kNiceOfReading = 10;
    const sched_param none{};
    if (of == BackgroundWork::Reading) sched_setscheduler(0, SCHED_BATCH, &none);  // 0: the calling thread, here and below
    setpriority(PRIO_PROCESS, 0, of == BackgroundWork::Training ? kNiceOfTraining : kNiceOfReading);
}

}  // namespace heddle::ui
