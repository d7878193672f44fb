// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/ask.h"

#include <QCoreApplication>

namespace heddle::ui {

QThreadPool& Pool::threads() {
    static QThreadPool* const pool = [] {
        auto* made = new QThreadPool;
        qAddPostRoutine([] { threads().waitForDone(); });  // their owners are deleted with the application
        return made;
    }();
    return *pool;
}

void Pool::post(QPointer<QObject> owner, Job<Resource> job) {
    threads().start([owner = std::move(owner), job = std::move(job)] {
        static Resource none;
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [owner, continuation = job([]() -> Resource& { return none; })] {
                if (owner) continuation();
            },
            Qt::QueuedConnection);
    });
}

}  // namespace heddle::ui
