// SPDX-License-Identifier: GPL-3.0-or-later
// Under ThreadSanitizer these functions take the place of Qt's: they report that data passes to another thread, and call Qt's.
#include "tests/ui/support/thread_sanitizer.h"

#ifdef __SANITIZE_THREAD__
#include <QDeadlineTimer>
#include <QMetaObject>
#include <QObject>
#include <QThread>
#include <QThreadPool>

#include <dlfcn.h>

#include <cstdlib>
#include <functional>
#include <utility>

namespace {

template <class Function>
Function inQt(const char* symbol) {
    if (void* found = dlsym(RTLD_NEXT, symbol)) return reinterpret_cast<Function>(found);
    std::abort();  // another version of Qt: the symbol is written out below
}

}  // namespace

bool QMetaObject::invokeMethodImpl(QObject* object, QtPrivate::QSlotObjectBase* slot, Qt::ConnectionType type, void* result) {
    using Function = bool (*)(QObject*, QtPrivate::QSlotObjectBase*, Qt::ConnectionType, void*);
    static const auto call =
        inQt<Function>("_ZN11QMetaObject16invokeMethodImplEP7QObjectPN9QtPrivate15QSlotObjectBaseEN2Qt14ConnectionTypeEPv");
    __tsan_release(object);
    const bool isCalled = call(object, slot, type, result);
    if (type == Qt::BlockingQueuedConnection) __tsan_acquire(object);
    return isCalled;
}

void QObject::deleteLater() {
    using Function = void (*)(QObject*);
    static const auto call = inQt<Function>("_ZN7QObject11deleteLaterEv");
    __tsan_release(this);
    call(this);
}

void QThread::quit() {
    using Function = void (*)(QThread*);
    static const auto call = inQt<Function>("_ZN7QThread4quitEv");
    __tsan_release(this);
    call(this);
}

bool QThread::wait(QDeadlineTimer deadline) {
    using Function = bool (*)(QThread*, QDeadlineTimer);
    static const auto call = inQt<Function>("_ZN7QThread4waitE14QDeadlineTimer");
    const bool hasEnded = call(this, deadline);
    __tsan_acquire(this);
    return hasEnded;
}

namespace {

struct Started {
    QThreadPool* pool;
    std::function<void()> work;
};

}  // namespace

void QThreadPool::start(std::function<void()> work, int priority) {
    using Function = void (*)(QThreadPool*, std::function<void()>, int);
    static const auto call = inQt<Function>("_ZN11QThreadPool5startESt8functionIFvvEEi");
    auto* started = new Started{this, std::move(work)};  // one pointer is all that is read before the thread has acquired it
    __tsan_release(started);
    call(
        this,
        [started] {
            __tsan_acquire(started);
            QThreadPool* const pool = started->pool;
            started->work();
            delete started;
            __tsan_release(pool);
        },
        priority);
}

bool QThreadPool::waitForDone(int milliseconds) {
    using Function = bool (*)(QThreadPool*, int);
    static const auto call = inQt<Function>("_ZN11QThreadPool11waitForDoneEi");
    const bool isDone = call(this, milliseconds);
    __tsan_acquire(this);
    return isDone;
}
#endif
