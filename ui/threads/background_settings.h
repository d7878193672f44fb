// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSettings>
#include <QTimer>

namespace heddle::ui {

/// Settings in an INI file that is written off the GUI thread: a QSettings waits for the disk, half a second where it is busy.
/// Changes are written within two seconds; sync() and the destructor write at once.
class BackgroundSettings : public QSettings {
public:
    explicit BackgroundSettings(const QString& file);

protected:
    bool event(QEvent* event) override;

private:
    QTimer writing_;
};

}  // namespace heddle::ui
