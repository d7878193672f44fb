// SPDX-License-Identifier: GPL-3.0-or-later
// Joined buttons, one of which is pressed: a choice of a few.
#pragma once

#include <QWidget>

class QButtonGroup;
class QPushButton;

namespace heddle::ui {

class Segments : public QWidget {
    Q_OBJECT

public:
    /// The first is pressed.
    Segments(const QStringList& words, QWidget* parent);

    int current() const;
    /// Presses a button without a signal; no such button: does nothing.
    void setCurrent(int index);
    /// Allows buttons that are narrower than their words. Such a button elides them, and its tip shows them whole.
    void allowShrinking();
    QPushButton& button(int index) const;

Q_SIGNALS:
    /// The user pressed another one, or the same again.
    void chosen(int index);

private:
    QButtonGroup* group_;
};

}  // namespace heddle::ui
