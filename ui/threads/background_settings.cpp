// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/threads/background_settings.h"

#include "ui/threads/ask.h"

#include <QEvent>

#include <chrono>

namespace heddle::ui {

constexpr std::chrono::seconds kWriteEvery{2};

BackgroundSettings::BackgroundSettings(const QString& file) : QSettings(file, QSettings::IniFormat) {
    connect(&writing_, &QTimer::timeout, this, [this] {
        // Objects of one file share its unwritten changes. Without any, this asks only for the file's time.
        ask(
            this, SessionFiles(), [file = fileName()] { QSettings(file, QSettings::IniFormat).sync(); },
            [](const Result<Done>&) {});
    });
}

/// A QSettings writes at this event, which it posts for the first change since it wrote.
bool BackgroundSettings::event(QEvent* event) {
    if (event->type() != QEvent::UpdateRequest) return QSettings::event(event);
    if (!writing_.isActive()) writing_.start(kWriteEvery);
    return true;
}

}  // namespace heddle::ui
