// SPDX-License-Identifier: GPL-3.0-or-later
// Hides the words of buttons when their tool bar is too narrow for them.
#pragma once

#include <QObject>

#include <vector>

class QToolBar;
class QToolButton;

namespace heddle::ui {

/// Shows some buttons of a tool bar without their words while the bar is too narrow for all of its contents. Otherwise the bar
/// would hide its last buttons. Screen readers still read the words.
class ButtonFolder : public QObject {
public:
    /// The buttons, each with an icon and words beside it, belong to the bar.
    ButtonFolder(QToolBar& bar, std::vector<QToolButton*> buttons);

    bool isFolded() const { return saved_ > 0; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();

    QToolBar& bar_;
    std::vector<QToolButton*> buttons_;
    int saved_ = 0;  ///< logical pixels that the words would take; 0: they are shown
};

}  // namespace heddle::ui
