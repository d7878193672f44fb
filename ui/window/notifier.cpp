// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/notifier.h"

#include "engine/run/run_state.h"
#include "ui/text/number.h"
#include "ui/widgets/settings_dialog.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCall>
#include <QGuiApplication>
#include <QVariantMap>

namespace heddle::ui {
namespace {

constexpr int kDesktopDecides = -1;  ///< the time for which it is shown

bool isWorthNotifying(RunState state) {
    return state == RunState::Completed || state == RunState::Failed || state == RunState::Interrupted;
}

}  // namespace

// Through D-Bus and not QSystemTrayIcon::showMessage, which needs an icon in a system tray; GNOME has none.
void notifyDesktop(const QString& title, const QString& text) { notifyThrough(QDBusConnection::sessionBus(), title, text); }

void notifyThrough(const QDBusConnection& bus, const QString& title, const QString& text) {
    if (!bus.isConnected()) return;
    QDBusMessage call = QDBusMessage::createMethodCall(
        QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("/org/freedesktop/Notifications"),
        QStringLiteral("org.freedesktop.Notifications"), QStringLiteral("Notify"));
    const QVariantMap hints{{QStringLiteral("desktop-entry"), QGuiApplication::desktopFileName()}};
    constexpr uint kReplacesNone = 0;
    // Bodies may be read as markup.
    call << QGuiApplication::applicationDisplayName() << kReplacesNone << QGuiApplication::desktopFileName() << title
         << text.toHtmlEscaped() << QStringList() << hints << kDesktopDecides;
    bus.asyncCall(call);
}

bool isApplicationActive() { return QGuiApplication::applicationState() == Qt::ApplicationActive; }

Notifier::Notifier(Studio& studio, Notify notify, std::function<bool()> isSeen)
    : studio_(studio), notify_(std::move(notify)), isSeen_(std::move(isSeen)) {
    connect(&studio_.databases(), &Databases::runsChanged, this, &Notifier::poll);
}

void Notifier::poll() {
    std::map<RunRef, std::string> now;
    std::vector<std::pair<QString, QString>> ended;  // text, name of the database
    for (const Run* one : studio_.databases().runs()) {
        const Run& run = *one;
        now[run.ref] = run.state;
        const auto before = states_.find(run.ref);
        const auto state = runStateFromName(run.state);
        // Not for runs that had ended before they were first polled.
        if (before == states_.end() || before->second == run.state || !state || !isWorthNotifying(*state)) continue;
        const QString step = count(run.step), label = runLabel(static_cast<const storage::RunRecord&>(run));
        ended.emplace_back(*state == RunState::Completed ? tr("%1 completed at step %2").arg(label, step)
                           : *state == RunState::Failed  ? tr("%1 failed at step %2").arg(label, step)
                                                         : tr("%1 was interrupted at step %2").arg(label, step),
                           studio_.databases().find(run.ref.database)->name());
    }
    states_ = std::move(now);
    if (isSeen_() || !storedNotifications(studio_.settings())) return;
    for (const auto& [text, database] : ended) notify_(text, database);
}

}  // namespace heddle::ui
