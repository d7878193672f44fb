// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/parallel.h"

#include <QSemaphore>
#include <QThreadPool>

#include <algorithm>
#include <atomic>

namespace heddle::ui {

void inParallel(int count, bool isMuch, const std::function<void(int)>& part) {
    std::atomic<int> next = 0;
    const auto work = [&] {
        for (int i = next++; i < count; i = next++) part(i);
    };
    QThreadPool& pool = *QThreadPool::globalInstance();
    QSemaphore ended;
    int helpers = 0;
    const int wanted = isMuch ? std::min(count, pool.maxThreadCount()) - 1 : 0;
    // tryStart: only threads that are idle now.
    while (helpers < wanted && pool.tryStart([&] {
        work();
        ended.release();
    }))
        ++helpers;
    work();
    ended.acquire(helpers);
}

}  // namespace heddle::ui
