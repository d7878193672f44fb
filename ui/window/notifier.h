// SPDX-License-Identifier: GPL-3.0-or-later
// Notifies the user on the desktop that a run has ended.
#pragma once

#include "ui/data/studio.h"

#include <QObject>

#include <functional>
#include <map>
#include <string>

class QDBusConnection;

namespace heddle::ui {

/// Shows a title and a line of text outside the window.
using Notify = std::function<void(const QString& title, const QString& text)>;

/// A notification of the desktop (org.freedesktop.Notifications); does not wait. Without this service nothing is shown; the
/// window has the same information.
void notifyDesktop(const QString& title, const QString& text);
/// The same on the service of this bus.
void notifyThrough(const QDBusConnection& bus, const QString& title, const QString& text);

/// Whether a window of this program is active.
bool isApplicationActive();

/// Notifies the user of each run of the open databases that was completed, failed or was interrupted, unless a window of the
/// program is active or the user has switched notifications off. It does not notify of runs that the user stopped.
class Notifier : public QObject {
    Q_OBJECT

public:
    /// `studio` must outlive this object.
    Notifier(Studio& studio, Notify notify, std::function<bool()> isSeen = isApplicationActive);

private:
    void poll();

    Studio& studio_;
    Notify notify_;
    std::function<bool()> isSeen_;
    std::map<RunRef, std::string> states_;  ///< by run, as of the last poll
};

}  // namespace heddle::ui
