// SPDX-License-Identifier: GPL-3.0-or-later
// Tells ThreadSanitizer how Qt, whose library is not compiled for it, synchronises threads: what a thread does before it posts
// an event happens before what the handler of the event does; what is done before a thread is told to end, before its last
// events; and these before the end of a wait for it; the same of tasks of a pool and of semaphores. Otherwise every answer of a
// background thread would be reported as a race. Timers and queued signals are not covered.
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
