// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/units.h"

#include "ui/text/number.h"

#include <QCoreApplication>
#include <QDir>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace heddle::ui {
namespace {

struct UnitWords {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Units)
};

}  // namespace

QString duration(double seconds) {
    const auto whole = qint64(std::llround(std::max(0.0, seconds)));
    if (whole < 60) return UnitWords::tr("%1 s").arg(whole);
    if (whole < 3600) return UnitWords::tr("%1 min %2 s").arg(whole / 60).arg(whole % 60);
    return UnitWords::tr("%1 h %2 min").arg(count(whole / 3600)).arg(whole % 3600 / 60);
}

QString byteSize(quint64 bytes) {
    static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    double value = double(bytes);
    std::size_t unit = 0;
    while (value >= 1023.5 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
    //: A number and its unit: "93.2 MiB".
    return UnitWords::tr("%1 %2").arg(number(value, decimals), QLatin1String(kUnits[unit]));
}

QString whenText(double unixTime, const QDateTime& now) {
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(qint64(unixTime * 1000));
    const qint64 days = when.date().daysTo(now.date());
    if (days == 0) return UnitWords::tr("today %1").arg(when.toString(QStringLiteral("HH:mm")));
    if (days == 1) return UnitWords::tr("yesterday %1").arg(when.toString(QStringLiteral("HH:mm")));
    return QLocale().toString(when.date(), QStringLiteral("d MMM yyyy"));
}

QString withTilde(const QString& path) {
    const QString home = QDir::homePath();
    return path == home || path.startsWith(home + QLatin1Char('/')) ? QLatin1Char('~') + path.mid(home.size()) : path;
}

QString stepDuration(double seconds) {
    if (seconds >= 1) return UnitWords::tr("%1 s").arg(number(seconds, 2));
    return UnitWords::tr("%1 ms").arg(number(1e3 * seconds, seconds < 0.1 ? 1 : 0));
}

QString lossWords(const std::optional<Counted>& counted) {
    switch (counted ? counted->quantity : Counted::Quantity::Other) {
    case Counted::Quantity::Nats: return UnitWords::tr("−ln p, nats");
    case Counted::Quantity::SquaredError: return UnitWords::tr("squared error");
    case Counted::Quantity::Hinge: return UnitWords::tr("hinge loss");
    default: return UnitWords::tr("loss");
    }
}

QString lossSum(double sum, const std::optional<Counted>& counted) {
    const bool isNats = counted && counted->quantity == Counted::Quantity::Nats;
    return isNats ? UnitWords::tr("%1 nats").arg(number(sum, 2)) : number(sum, 2);
}

QString unitText(const Counted& counted) {
    const bool isShare = counted.quantity == Counted::Quantity::Right;
    const QString per = isShare                    ? counted.per == "token"     ? UnitWords::tr("share of tokens right")
                                                     : counted.per == "example" ? UnitWords::tr("share of examples right")
                                                     : counted.per == "word"    ? UnitWords::tr("share of words right")
                                                     : counted.per == "border"  ? UnitWords::tr("share of borders right")
                                                                                : UnitWords::tr("share right")
                                           : counted.per == "token" ? UnitWords::tr("per token")
                        : counted.per == "example" ? UnitWords::tr("per example")
                        : counted.per == "word"    ? UnitWords::tr("per word")
                        : counted.per == "border"  ? UnitWords::tr("per border")
                                                   : QString::fromStdString(counted.per);
    if (isShare) return counted.isTeacherForced ? UnitWords::tr("%1, teacher forcing").arg(per) : per;
    const QString quantity = counted.quantity == Counted::Quantity::Nats           ? UnitWords::tr("nats")
                             : counted.quantity == Counted::Quantity::SquaredError ? UnitWords::tr("squared error")
                             : counted.quantity == Counted::Quantity::Hinge        ? UnitWords::tr("hinge loss")
                                                                                   : QString();
    return quantity.isEmpty() || per.isEmpty() ? quantity : quantity + QLatin1Char(' ') + per;
}

}  // namespace heddle::ui
