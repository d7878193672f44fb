// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/words.h"

#include "ui/text/number.h"

#include <QCoreApplication>
#include <QDir>
#include <QLocale>

#include <array>
#include <cmath>

namespace heddle::ui {
namespace {
/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Library)
};
}  // namespace

QString bytesText(quint64 bytes) {
    static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    double value = double(bytes);
    std::size_t unit = 0;
    while (value >= 1023.5 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
    return Words::tr("%1 %2").arg(number(value, decimals), QLatin1String(kUnits[unit]));
}

QString secondsText(double seconds) {
    const auto whole = qint64(std::llround(seconds));
    if (whole < 60) return Words::tr("%1 s").arg(whole);
    if (whole < 3600) return Words::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return Words::tr("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60);
}

QString whenText(double unixTime, const QDateTime& now) {
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(qint64(unixTime * 1000));
    const qint64 days = when.date().daysTo(now.date());
    if (days == 0) return Words::tr("today %1").arg(when.toString(QStringLiteral("HH:mm")));
    if (days == 1) return Words::tr("yesterday %1").arg(when.toString(QStringLiteral("HH:mm")));
    return QLocale().toString(when.date(), QStringLiteral("d MMM yyyy"));
}

QString shortPath(const QString& path) {
    const QString home = QDir::homePath();
    return path == home || path.startsWith(home + QLatin1Char('/')) ? QLatin1Char('~') + path.mid(home.size()) : path;
}

}  // namespace heddle::ui
