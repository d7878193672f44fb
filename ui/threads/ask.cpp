// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/ask.h"

#include <QCoreApplication>

namespace heddle::ui {

QThreadPool& Pool::threads() {
    static QThreadPool* const pool = [] {
        auto* made = new QThreadPool;
        qAddPostRoutine([] { threads().waitForDone(); });  // what they work for ends with the application
        return made;
    }();
    return *pool;
}

void Pool::post(QPointer<QObject> owner, Job<There> job) {
    threads().start([owner = std::move(owner), job = std::move(job)] {
        static There nothing;
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [owner, then = job([]() -> There& { return nothing; })] {
                if (owner) then.call();
            },
            Qt::QueuedConnection);
    });
}

}  // namespace heddle::ui
