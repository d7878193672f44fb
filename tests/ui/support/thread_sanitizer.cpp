// SPDX-License-Identifier: GPL-3.0-or-later
// Under ThreadSanitizer these functions take the place of Qt's: they report that data passes to another thread, and call Qt's.
#include "tests/ui/support/thread_sanitizer.h"

#ifdef __SANITIZE_THREAD__
#include <QDeadlineTimer>
#include <QMetaObject>
#include <QObject>
#include <QSemaphore>
#include <QThread>
#include <QThreadPool>

#include <dlfcn.h>

#include <cstdlib>
#include <functional>
#include <utility>

extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);

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

/// One pointer is all that is read before the thread has acquired what stands behind it.
std::function<void()> seen(Started* started) {
    __tsan_release(started);
    return [started] {
        __tsan_acquire(started);
        QThreadPool* const pool = started->pool;
        started->work();
        delete started;
        __tsan_release(pool);
    };
}

}  // namespace

void QThreadPool::start(std::function<void()> work, int priority) {
    using Function = void (*)(QThreadPool*, std::function<void()>, int);
    static const auto call = inQt<Function>("_ZN11QThreadPool5startESt8functionIFvvEEi");
    call(this, seen(new Started{this, std::move(work)}), priority);
}

bool QThreadPool::tryStart(std::function<void()> work) {
    using Function = bool (*)(QThreadPool*, std::function<void()>);
    static const auto call = inQt<Function>("_ZN11QThreadPool8tryStartESt8functionIFvvEE");
    auto* const started = new Started{this, std::move(work)};
    const bool isStarted = call(this, seen(started));
    if (!isStarted) delete started;
    return isStarted;
}

void QSemaphore::release(int count) {
    using Function = void (*)(QSemaphore*, int);
    static const auto call = inQt<Function>("_ZN10QSemaphore7releaseEi");
    __tsan_release(this);
    call(this, count);
}

void QSemaphore::acquire(int count) {
    using Function = void (*)(QSemaphore*, int);
    static const auto call = inQt<Function>("_ZN10QSemaphore7acquireEi");
    call(this, count);
    __tsan_acquire(this);
}

bool QThreadPool::waitForDone(int milliseconds) {
    using Function = bool (*)(QThreadPool*, int);
    static const auto call = inQt<Function>("_ZN11QThreadPool11waitForDoneEi");
    const bool isDone = call(this, milliseconds);
    __tsan_acquire(this);
    return isDone;
}

namespace heddle::ui::test {

bool TestApplication::notify(QObject* receiver, QEvent* event) {
    QThread* const thread = QThread::currentThread();
    __tsan_acquire(receiver);
    __tsan_acquire(thread);
    const bool isHandled = Application::notify(receiver, event);
    __tsan_release(thread);
    return isHandled;
}

}  // namespace heddle::ui::test
#endif
