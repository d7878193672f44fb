// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/offscreen.h"

#include "tests/eventually.h"
#include "tests/ui/support/thread_sanitizer.h"
#include "ui/theme/style.h"

#include <QAction>
#include <QElapsedTimer>
#include <QFontDatabase>
#include <QLocale>
#include <QThread>

#include <gtest/gtest.h>

namespace heddle::ui::test {
namespace {

int expectedFailures = 0;

}  // namespace

ExpectFailures::ExpectFailures() { ++expectedFailures; }
ExpectFailures::~ExpectFailures() { --expectedFailures; }

std::unique_ptr<QApplication> makeApplication(int& argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");  // tests do not depend on the desktop's settings
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    auto application = std::make_unique<TestApplication>(argc, argv);
    QObject::connect(application.get(), &Application::failed, application.get(), [](const Problem& problem) {
        if (!expectedFailures) ADD_FAILURE() << "a handler threw: " << problem.what.toStdString();
    });
    QFont font(QFontDatabase::hasFamily(QStringLiteral("Noto Sans")) ? QStringLiteral("Noto Sans")
                                                                     : QStringLiteral("DejaVu Sans"));
    font.setPixelSize(12);
    QApplication::setFont(font);
    installLook(*application);
    return application;
}

bool waitUntil(const std::function<bool()>& done, std::chrono::milliseconds timeout) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < kSlowness * timeout.count()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(1);
    }
    return done();
}

bool waitUntilSettled(const std::function<bool()>& isSettled, std::chrono::milliseconds timeout) {
    for (int i = 0; i < 4; ++i) {
        QCoreApplication::processEvents();
        if (!waitUntil(isSettled, timeout)) return false;
    }
    return true;
}

QAction& actionNamed(const QList<QAction*>& actions, const char* objectName) {
    for (auto* action : actions)
        if (action->objectName() == text(objectName)) return *action;
    throw std::runtime_error(std::string("no action is named ") + objectName);
}

QAction& actionBelow(const QWidget& root, const char* words) {
    for (auto* found : root.findChildren<QAction*>())
        if (found->text() == text(words) || found->iconText() == text(words)) return *found;
    throw std::runtime_error(words);
}

std::string namelessWidgets(const QWidget& root) {
    std::string nameless;
    for (const auto* widget : root.findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible() || widget->inherits("QScrollBar")) continue;
        const bool isNamed =
            !widget->accessibleName().isEmpty() || !widget->property("text").toString().isEmpty() || widget->focusProxy();
        if (isNamed || widget->objectName().startsWith(text("qt_"))) continue;
        nameless +=
            std::string(widget->metaObject()->className()) + " in " + widget->parent()->metaObject()->className() + '\n';
    }
    return nameless;
}

}  // namespace heddle::ui::test
