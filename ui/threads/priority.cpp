// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/priority.h"

#include <sched.h>
#include <sys/resource.h>

namespace heddle::ui {

void lowerPriority() {
    // Not lower: if it waited for long while holding a lock (of malloc, of an event queue), the window would wait, too.
    constexpr int kNice = 5;
    const sched_param none{};
    sched_setscheduler(0, SCHED_BATCH, &none);  // 0: the calling thread, here and below
    setpriority(PRIO_PROCESS, 0, kNice);
}

}  // namespace heddle::ui
