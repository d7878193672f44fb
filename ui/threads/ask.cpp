// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/ask.h"

#include <QCoreApplication>

namespace heddle::ui {

namespace {

void postTo(QThreadPool& threads, QPointer<QObject> owner, Job<Pool::Resource> job) {
    threads.start([owner = std::move(owner), job = std::move(job)] {
        static Pool::Resource none;
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [owner, continuation = job([]() -> Pool::Resource& { return none; })] {
                if (owner) continuation();
            },
            Qt::QueuedConnection);
    });
}

QThreadPool& threadOfFiles() {
    static QThreadPool* const pool = [] {
        auto* made = new QThreadPool;
        made->setMaxThreadCount(1);
        qAddPostRoutine(SessionFiles::finish);
        return made;
    }();
    return *pool;
}

}  // namespace

QThreadPool& Pool::threads() {
    static QThreadPool* const pool = [] {
        auto* made = new QThreadPool;
        qAddPostRoutine([] { threads().waitForDone(); });  // their owners are deleted with the application
        return made;
    }();
    return *pool;
}

void Pool::post(QPointer<QObject> owner, Job<Resource> job) { postTo(threads(), std::move(owner), std::move(job)); }

void SessionFiles::post(QPointer<QObject> owner, Job<Resource> job) {
    postTo(threadOfFiles(), std::move(owner), std::move(job));
}

void SessionFiles::finish() { threadOfFiles().waitForDone(); }

}  // namespace heddle::ui
