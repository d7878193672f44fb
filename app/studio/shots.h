// SPDX-License-Identifier: GPL-3.0-or-later
// --shots: a picture of every page of an opened database.
#pragma once

#include "ui/shell/main_window.h"

#include <QElapsedTimer>
#include <QTimer>

namespace heddle::studio {

class Shots : public QObject {
    Q_OBJECT

public:
    /// Pictures are called PAGE-`suffix`.png. Starts when start() is called; `only`: one page's name, or empty for all.
    Shots(ui::MainWindow& window, const QString& folder, const QString& suffix, QObject* parent = nullptr);
    void start(const QString& only);

Q_SIGNALS:
    /// A picture was painted and written: this turn of the loop was long for that reason.
    void taken();
    /// `problem`: empty, or what could not be done.
    void finished(const QString& problem);

private:
    void look();
    void take();

    ui::MainWindow& window_;
    QString folder_, suffix_;
    QList<ui::Page*> left_;
    QTimer timer_;
    QElapsedTimer waited_;
    int calm_ = 0;  ///< looks in a row at which the page was settled
    QStringList unsettled_;
};

}  // namespace heddle::studio
