// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of the desktop for light or dark, contrast and motion, live from the settings portal over D-Bus. Without a
// portal: light, normal contrast, full motion.
#pragma once

#include <QObject>
#include <QVariant>

class QDBusVariant;

namespace heddle::ui {

class SystemAppearance : public QObject {
    Q_OBJECT

public:
    /// Sends a request to the portal; answers arrive later as changed(), so that a slow bus does not block the window.
    SystemAppearance();

    bool prefersDark() const { return dark_; }
    bool prefersContrast() const { return contrast_; }
    bool reducedMotion() const { return reducedMotion_; }

    /// One setting of the portal: name space, key, value (possibly wrapped in variants). Unknown ones are ignored.
    void take(const QString& space, const QString& key, const QVariant& value);

Q_SIGNALS:
    void changed();

private Q_SLOTS:
    void settingChanged(const QString& space, const QString& key, const QDBusVariant& value);

private:
    void ask(const QString& space, const QString& key);

    bool dark_ = false, contrast_ = false, reducedMotion_ = false;
};

}  // namespace heddle::ui
