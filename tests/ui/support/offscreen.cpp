// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/offscreen.h"

#include "ui/text/translation.h"
#include "ui/theme/style.h"

#include <QElapsedTimer>
#include <QFontDatabase>
#include <QLocale>
#include <QThread>

namespace heddle::ui::test {

std::unique_ptr<QApplication> makeApplication(int& argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");  // the desktop's wishes are none of a test's business
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    auto application = std::make_unique<QApplication>(argc, argv);
    QFont font(QFontDatabase::hasFamily(QStringLiteral("Noto Sans")) ? QStringLiteral("Noto Sans")
                                                                     : QStringLiteral("DejaVu Sans"));
    font.setPixelSize(12);
    QApplication::setFont(font);
    installTranslation(*application);
    installLook(*application);
    return application;
}

bool waitUntil(const std::function<bool()>& done, std::chrono::milliseconds patience) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < patience.count()) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QThread::msleep(1);
    }
    return done();
}

}  // namespace heddle::ui::test
