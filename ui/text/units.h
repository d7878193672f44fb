// SPDX-License-Identifier: GPL-3.0-or-later
// Durations, times, sizes, units and paths as text on the screen.
#pragma once

#include "engine/metrics/counted.h"

#include <QDateTime>
#include <QString>

#include <optional>

namespace heddle::ui {

/// "12 s", "4 min 8 s", "1 h 46 min": rounded, never more than two units.
QString duration(double seconds);
/// "93.2 MiB", "214 MiB", "3.00 GiB": three digits.
QString byteSize(quint64 bytes);
/// "15.6 ms", "420 ms", "2.31 s": of one step.
QString stepDuration(double seconds);

/// "today 10:31", "yesterday 18:40", "3 Nov 2026".
QString whenText(double unixTime, const QDateTime& now = QDateTime::currentDateTime());
/// The path with the home folder written as "~".
QString withTilde(const QString& path);

/// The quantity of a loss, for an axis: "−ln p, nats", "squared error", "hinge loss"; "loss" if it is not known.
QString lossWords(const std::optional<Counted>& counted);
/// "4.00 nats" of a sum of losses; the number only for other quantities.
QString lossSum(double sum, const std::optional<Counted>& counted);
/// "nats per token", "squared error per example", "share of tokens right, teacher forcing"; empty if it is not known.
QString unitText(const Counted& counted);

}  // namespace heddle::ui
