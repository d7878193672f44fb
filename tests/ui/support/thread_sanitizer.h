// SPDX-License-Identifier: GPL-3.0-or-later
// Tells ThreadSanitizer how Qt, whose library is not compiled for it, synchronises threads. Otherwise every answer of a
// background thread would be reported as a race. It learns that
//   an event is posted before it is handled,
//   a thread is told to quit before its last events are handled, and these before a wait for the thread returns,
//   a pool is given a task before the task runs, and the task ends before a wait for the pool returns,
//   a semaphore is released before it is acquired.
// Timers and queued signals are not covered.
#pragma once

#include "ui/widgets/application.h"

namespace heddle::ui::test {

/// The program's application; under ThreadSanitizer, one that tells it of each event that is handled.
class TestApplication : public Application {
public:
    using Application::Application;

#ifdef __SANITIZE_THREAD__
    bool notify(QObject* receiver, QEvent* event) override;
#endif
};

}  // namespace heddle::ui::test
