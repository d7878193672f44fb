// SPDX-License-Identifier: GPL-3.0-or-later
// What ThreadSanitizer must be told of Qt, whose library is not compiled with it: an event that one thread posts and another
// handles orders what was done before the posting and what the handler does. Without it every answer of a background thread
// would be reported as a race. Not told: deleteLater(), timers.
#pragma once

#include "ui/widgets/application.h"

#ifdef __SANITIZE_THREAD__
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
        __tsan_acquire(receiver);
        return Application::notify(receiver, event);
    }
#endif
};

}  // namespace heddle::ui::test
