// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/library/words.h"

#include <QCoreApplication>
#include <QDir>
#include <QLocale>

namespace heddle::ui {
namespace {
/// Words outside of a QObject, under a context that lupdate finds.
struct Words {
    Q_DECLARE_TR_FUNCTIONS(heddle::ui::Library)
};
}  // namespace

QString whenText(double unixTime, const QDateTime& now) {
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(qint64(unixTime * 1000));
    const qint64 days = when.date().daysTo(now.date());
    if (days == 0) return Words::tr("today %1").arg(when.toString(QStringLiteral("HH:mm")));
    if (days == 1) return Words::tr("yesterday %1").arg(when.toString(QStringLiteral("HH:mm")));
    return QLocale().toString(when.date(), QStringLiteral("d MMM yyyy"));
}

QString withTilde(const QString& path) {
    const QString home = QDir::homePath();
    return path == home || path.startsWith(home + QLatin1Char('/')) ? QLatin1Char('~') + path.mid(home.size()) : path;
}

}  // namespace heddle::ui
