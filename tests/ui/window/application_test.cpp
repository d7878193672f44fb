// SPDX-License-Identifier: GPL-3.0-or-later
// An exception that reaches the event loop.
#include "ui/widgets/application.h"
#include "tests/ui/support/offscreen.h"

#include <QTimer>

#include <gmock/gmock.h>

using namespace heddle::ui;
using namespace heddle::ui::test;

TEST(Application, AHandlerThatThrowsIsReportedAndEndsNothing) {
    const ExpectFailures expected;
    QStringList said;
    QObject context;
    QObject::connect(qobject_cast<Application*>(QCoreApplication::instance()), &Application::failed, &context,
                     [&](const Problem& problem) {
                         said << problem.what;
                         throw std::runtime_error("the report fails, too");
                     });
    QTimer::singleShot(0, &context, [] { throw std::bad_alloc(); });
    QTimer::singleShot(0, &context, [] { throw std::runtime_error("no such row"); });
    bool isTurning = false;
    QTimer::singleShot(1, &context, [&] { isTurning = true; });
    EXPECT_TRUE(waitUntil([&] { return said.size() == 2 && isTurning; }));
    EXPECT_TRUE(said.contains(text("no such row"))) << said.join(QLatin1Char('\n')).toStdString();
}
