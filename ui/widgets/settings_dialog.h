// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of the user, which do not belong to a run.
#pragma once

#include "ui/theme/theme.h"

#include <QDialog>

class QSettings;

namespace heddle::ui {

/// Which process trains the runs that the window starts.
enum class EngineHost {
    Thread,  ///< the window's own process
    Child    ///< a process that outlives the window
};

/// Stored choices; applied at the start and by the dialog.
Appearance storedAppearance(const QSettings& settings);
void storeAppearance(QSettings& settings, Appearance appearance);
Motion storedMotion(const QSettings& settings);
EngineHost storedHost(const QSettings& settings);
void storeHost(QSettings& settings, EngineHost host);
/// Whether the desktop shows a notification when a run ends while the window is not active.
bool storedNotifications(const QSettings& settings);

/// The databases that were opened last, newest first.
QStringList recentDatabases(const QSettings& settings);
void addRecentDatabase(QSettings& settings, const QString& file);
void removeRecentDatabase(QSettings& settings, const QString& file);
void clearRecentDatabases(QSettings& settings);

class SettingsDialog : public QDialog {
    Q_OBJECT

public:
    SettingsDialog(QSettings& settings, QWidget* parent);

Q_SIGNALS:
    void hostChanged();

private:
    QSettings& settings_;
};

}  // namespace heddle::ui
