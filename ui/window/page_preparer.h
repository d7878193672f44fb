// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

namespace heddle::ui {

/// Styles and measures widgets that were never shown, a few in a turn of the event loop: done when a page is shown for the
/// first time, it would keep the window from answering for several frames.
class PagePreparer : public QObject {
    Q_OBJECT

public:
    explicit PagePreparer(QObject* parent = nullptr);
    /// `page` and all in it, after those that were added before.
    void add(QWidget* page);

private:
    void goOn();

    QTimer timer_;
    QList<QPointer<QWidget>> left_;
};

}  // namespace heddle::ui
