// SPDX-License-Identifier: GPL-3.0-or-later
// --shots: takes a screenshot of every page of an opened database.
#pragma once

#include "ui/window/main_window.h"

#include <QElapsedTimer>
#include <QTimer>

namespace heddle::studio {

class Shots : public QObject {
    Q_OBJECT

public:
    /// Screenshots are named PAGE-`suffix`.png. start() begins; `only`: a page's name, or empty for all.
    Shots(ui::MainWindow& window, const QString& folder, const QString& suffix, QObject* parent = nullptr);
    void start(const QString& only);

Q_SIGNALS:
    /// `problem`: empty, or the error.
    void finished(const QString& problem);

private:
    void check();
    void take();

    ui::MainWindow& window_;
    QString folder_, suffix_;
    QList<ui::Page*> left_;
    QTimer timer_;
    QElapsedTimer waited_;
    int settledChecks_ = 0;  ///< consecutive checks at which the page was settled
    QStringList unsettled_;
};

}  // namespace heddle::studio
