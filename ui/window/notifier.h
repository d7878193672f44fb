// SPDX-License-Identifier: GPL-3.0-or-later
// Notifies the user on the desktop that a run has ended.
#pragma once

#include "ui/data/studio.h"

#include <QObject>

#include <functional>
#include <map>
#include <string>

namespace heddle::ui {

/// Shows a title and a line of text outside the window.
using Notify = std::function<void(const QString& title, const QString& text)>;

/// A notification of the desktop (org.freedesktop.Notifications); waits for nothing. Where no such service answers, nothing is
/// shown: the window says the same.
void notifyDesktop(const QString& title, const QString& text);

/// A window of this program has the keyboard.
bool isApplicationActive();

/// Follows the runs of the open databases and notifies of each that was completed, failed or interrupted, unless a window of
/// the program is active or the user has switched that off. Of a run that the user stopped it does not notify.
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
    std::map<RunRef, std::string> states_;  ///< by run, as of the last look
};

}  // namespace heddle::ui
