// SPDX-License-Identifier: GPL-3.0-or-later
// Hides the text of buttons while their tool bar is too narrow for it.
#pragma once

#include <QObject>

#include <vector>

class QToolBar;
class QToolButton;

namespace heddle::ui {

/// Shows some buttons of a tool bar without their text while the bar is too narrow for all of its contents. Otherwise the bar
/// would hide its last buttons. Screen readers still read the text.
class ToolBarCompactor : public QObject {
public:
    /// The buttons belong to the bar; each has a text beside an icon.
    ToolBarCompactor(QToolBar& bar, std::vector<QToolButton*> buttons);

    bool isCompact() const { return saved_ > 0; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();

    QToolBar& bar_;
    std::vector<QToolButton*> buttons_;
    int saved_ = 0;  ///< width of the hidden texts in logical pixels; 0: they are shown
};

}  // namespace heddle::ui
