// SPDX-License-Identifier: GPL-3.0-or-later
// What a desktop's notification service receives, on a bus of the test's own.
#include "tests/ui/support/offscreen.h"
#include "ui/window/notifier.h"

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QGuiApplication>
#include <QProcess>
#include <QStandardPaths>

#include <gmock/gmock.h>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

/// org.freedesktop.Notifications, which keeps what it is told.
class FakeDesktop : public QDBusVirtualObject {
public:
    QString introspect(const QString&) const override { return {}; }
    bool handleMessage(const QDBusMessage& message, const QDBusConnection& bus) override {
        if (message.member() != QLatin1String("Notify")) return false;
        told << message;
        return bus.send(message.createReply(uint(told.size())));
    }
    QList<QDBusMessage> told;
};

class DesktopTest : public testing::Test {
protected:
    void SetUp() override {
        if (QStandardPaths::findExecutable(text("dbus-daemon")).isEmpty()) GTEST_SKIP() << "needs dbus-daemon";
        daemon_.start(text("dbus-daemon"), {text("--session"), text("--nofork"), text("--nopidfile"), text("--print-address")});
        ASSERT_TRUE(daemon_.waitForStarted() && daemon_.waitForReadyRead()) << daemon_.readAllStandardError().toStdString();
        address_ = QString::fromUtf8(daemon_.readAllStandardOutput()).trimmed();
    }
    ~DesktopTest() override {
        for (const char* name : {"desktop", "window"}) QDBusConnection::disconnectFromBus(text(name));
        daemon_.kill();
        daemon_.waitForFinished();
    }
    QDBusConnection connection(const char* name) const { return QDBusConnection::connectToBus(address_, text(name)); }

    QProcess daemon_;
    QString address_;
};

TEST_F(DesktopTest, ANotificationIsACallAsTheSpecificationHasIt) {
    FakeDesktop desktop;
    QDBusConnection service = connection("desktop"), window = connection("window");
    ASSERT_TRUE(service.isConnected() && window.isConnected());
    ASSERT_TRUE(service.registerVirtualObject(text("/org/freedesktop/Notifications"), &desktop));
    ASSERT_TRUE(service.registerService(text("org.freedesktop.Notifications")));
    const QString before = QGuiApplication::desktopFileName();
    QGuiApplication::setDesktopFileName(text("heddle-studio"));
    notifyThrough(window, text("base s1 completed at step 1,200"), text("a<b>&c.heddle"));
    QGuiApplication::setDesktopFileName(before);
    ASSERT_TRUE(waitUntil([&] { return desktop.told.size() == 1; }));

    const QDBusMessage& call = desktop.told.first();
    EXPECT_EQ(call.interface(), text("org.freedesktop.Notifications"));
    EXPECT_EQ(call.signature(), text("susssasa{sv}i")) << "Desktop Notifications Specification 1.2, Notify";
    const QVariantList arguments = call.arguments();
    ASSERT_EQ(arguments.size(), 8);
    EXPECT_EQ(arguments[0].toString(), QGuiApplication::applicationDisplayName());
    EXPECT_EQ(arguments[1].toUInt(), 0U) << "it replaces no other notification";
    EXPECT_EQ(arguments[2].toString(), text("heddle-studio")) << "the icon";
    EXPECT_EQ(arguments[3].toString(), text("base s1 completed at step 1,200"));
    EXPECT_EQ(arguments[4].toString(), text("a&lt;b&gt;&amp;c.heddle")) << "the body may be read as markup";
    EXPECT_TRUE(arguments[5].toStringList().isEmpty()) << "no buttons";
    const auto hints = qdbus_cast<QVariantMap>(arguments[6]);
    EXPECT_EQ(hints.value(text("desktop-entry")).toString(), text("heddle-studio"));
    EXPECT_EQ(arguments[7].toInt(), -1) << "the desktop decides how long it is shown";
}

TEST_F(DesktopTest, WithoutAServiceNothingHappens) {
    const QDBusConnection window = connection("window");
    ASSERT_TRUE(window.isConnected());
    notifyThrough(window, text("title"), text("text"));
    notifyThrough(QDBusConnection(text("no such connection")), text("title"), text("text"));
    QCoreApplication::processEvents();
    EXPECT_TRUE(window.isConnected());
}

}  // namespace
