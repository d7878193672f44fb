// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/system_appearance.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

namespace heddle::ui {
namespace {

QString appearanceSpace() { return QStringLiteral("org.freedesktop.appearance"); }
QString gnomeSpace() { return QStringLiteral("org.gnome.desktop.interface"); }
QString portal() { return QStringLiteral("org.freedesktop.portal.Desktop"); }
QString portalPath() { return QStringLiteral("/org/freedesktop/portal/desktop"); }
QString settings() { return QStringLiteral("org.freedesktop.portal.Settings"); }

/// Old and new portals wrap the value once or twice.
QVariant unwrapped(QVariant value) {
    while (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
    return value;
}

}  // namespace

SystemAppearance::SystemAppearance() {
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    bus.connect(portal(), portalPath(), settings(), QStringLiteral("SettingChanged"), this,
                SLOT(settingChanged(QString, QString, QDBusVariant)));
    ask(appearanceSpace(), QStringLiteral("color-scheme"));
    ask(appearanceSpace(), QStringLiteral("contrast"));
    ask(appearanceSpace(), QStringLiteral("reduced-motion"));
    ask(gnomeSpace(), QStringLiteral("enable-animations"));
}

void SystemAppearance::ask(const QString& space, const QString& key) {
    QDBusMessage call = QDBusMessage::createMethodCall(portal(), portalPath(), settings(), QStringLiteral("Read"));
    call << space << key;
    auto* watcher = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, space, key] {
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        if (!reply.isError()) take(space, key, reply.value().variant());  // no portal or no such key: the default stays
        watcher->deleteLater();
    });
}

void SystemAppearance::settingChanged(const QString& space, const QString& key, const QDBusVariant& value) {
    take(space, key, value.variant());
}

void SystemAppearance::take(const QString& space, const QString& key, const QVariant& wrapped) {
    const QVariant value = unwrapped(wrapped);
    const auto before = std::tuple(dark_, contrast_, reducedMotion_);
    if (space == appearanceSpace() && key == QLatin1String("color-scheme")) dark_ = value.toUInt() == 1;
    if (space == appearanceSpace() && key == QLatin1String("contrast")) contrast_ = value.toUInt() == 1;
    if (space == appearanceSpace() && key == QLatin1String("reduced-motion")) reducedMotion_ = value.toUInt() == 1;
    if (space == gnomeSpace() && key == QLatin1String("enable-animations")) reducedMotion_ = !value.toBool();
    if (before != std::tuple(dark_, contrast_, reducedMotion_)) Q_EMIT changed();
}

}  // namespace heddle::ui
