// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/background.h"

namespace heddle::ui {

QThreadPool& backgroundPool() {
    static QThreadPool* const pool = [] {
        auto* made = new QThreadPool;
        qAddPostRoutine([] { backgroundPool().waitForDone(); });  // what they work for ends with the application
        return made;
    }();
    return *pool;
}

}  // namespace heddle::ui
