// SPDX-License-Identifier: GPL-3.0-or-later
// Tells ThreadSanitizer how Qt, whose library is not compiled for it, synchronises threads: what a thread does before it posts
// an event happens before what the handler of the event does; what is done before a thread is told to end, before its last
// events; and these before the end of a wait for it. Otherwise every answer of a background thread would be reported as a race.
// Timers and queued signals are not covered.
#pragma once

#include "ui/widgets/application.h"

#ifdef __SANITIZE_THREAD__
#include <QThread>

extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace heddle::ui::test {

/// The program's application; under ThreadSanitizer, one that tells it of each event that is handled.
class TestApplication : public Application {
public:
    using Application::Application;

#ifdef __SANITIZE_THREAD__
    bool notify(QObject* receiver, QEvent* event) override {
        QThread* const thread = QThread::currentThread();
        __tsan_acquire(receiver);
        __tsan_acquire(thread);
        const bool isHandled = Application::notify(receiver, event);
        __tsan_release(thread);
        return isHandled;
    }
#endif
};

}  // namespace heddle::ui::test
