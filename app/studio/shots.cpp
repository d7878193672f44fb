// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/shots.h"

#include <QDir>

namespace heddle::studio {
namespace {

constexpr int kCheckMs = 100, kSettledChecks = 6, kTimeoutMs = 30'000;

}  // namespace

Shots::Shots(ui::MainWindow& window, const QString& folder, const QString& suffix, QObject* parent)
    : QObject(parent), window_(window), folder_(folder), suffix_(suffix) {
    connect(&timer_, &QTimer::timeout, this, &Shots::check);
}

void Shots::start(const QString& only) {
    for (ui::Page* page : window_.pages())
        if (only.isEmpty() || page->name() == only) left_.append(page);
    if (!QDir().mkpath(folder_)) return Q_EMIT finished(tr("cannot create the folder %1").arg(folder_));
    if (left_.isEmpty()) return Q_EMIT finished(tr("there is no page \"%1\"").arg(only));
    window_.showPage(left_.first()->id());
    waited_.start();
    timer_.start(kCheckMs);
}

void Shots::check() {
    settledChecks_ = left_.first()->isSettled() ? settledChecks_ + 1 : 0;
    const bool late = waited_.elapsed() > kTimeoutMs;
    if (settledChecks_ < kSettledChecks && !late) return;
    if (late) unsettled_ << left_.first()->name();
    take();
}

void Shots::take() {
    const QString file = QDir(folder_).filePath(QStringLiteral("%1-%2.png").arg(left_.takeFirst()->name(), suffix_));
    const bool written = window_.grab().save(file);
    settledChecks_ = 0;
    if (written && !left_.isEmpty()) {
        window_.showPage(left_.first()->id());
        waited_.restart();
        return;
    }
    timer_.stop();
    if (!written) return Q_EMIT finished(tr("cannot write %1").arg(file));
    Q_EMIT finished(unsettled_.isEmpty()
                        ? QString()
                        : tr("these pages were not complete after 30 s: %1").arg(unsettled_.join(QStringLiteral(", "))));
}

}  // namespace heddle::studio
