// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes, times and places as the Library writes them.
#pragma once

#include <QDateTime>
#include <QString>

namespace heddle::ui {

/// "93.2 MiB"; three digits.
QString bytesText(quint64 bytes);
/// "7 min 5 s".
QString secondsText(double seconds);
/// "today 10:31", "yesterday 18:40", "3 Nov 2026".
QString whenText(double unixTime, const QDateTime& now = QDateTime::currentDateTime());
/// The path with the home folder written as "~".
QString shortPath(const QString& path);

}  // namespace heddle::ui
