// SPDX-License-Identifier: GPL-3.0-or-later
// Times of day and places as the Library writes them.
#pragma once

#include <QDateTime>
#include <QString>

namespace heddle::ui {

/// "today 10:31", "yesterday 18:40", "3 Nov 2026".
QString whenText(double unixTime, const QDateTime& now = QDateTime::currentDateTime());
/// The path with the home folder written as "~".
QString withTilde(const QString& path);

}  // namespace heddle::ui
