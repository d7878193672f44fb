// SPDX-License-Identifier: GPL-3.0-or-later
// Joined buttons of which one is pressed, for a choice between a few.
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
    /// Presses a button without a signal; does nothing if there is no such button.
    void setCurrent(int index);
    /// Allows buttons that are narrower than their text, which is then elided; the tool tip shows all of it.
    void allowShrinking();
    QPushButton& button(int index) const;

Q_SIGNALS:
    /// The user pressed a button, possibly the same again.
    void chosen(int index);

private:
    QButtonGroup* group_;
};

}  // namespace heddle::ui
