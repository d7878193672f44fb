// SPDX-License-Identifier: GPL-3.0-or-later
// Shown in place of a panel or a page that is empty: why it is empty, what will appear there, and buttons for the next step.
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace heddle::ui {

class EmptyState : public QWidget {
    Q_OBJECT

public:
    /// Page: in place of a whole page, with a large title.
    enum class Size { Panel, Page };
    explicit EmptyState(QWidget* parent, Size size = Size::Panel);

    /// Either may be empty.
    void setWords(const QString& title, const QString& text);
    /// Adds a button at the right; `name` is its object name.
    QPushButton* addButton(const char* name, const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    Size size_;
    QLabel *title_, *text_;
    QHBoxLayout* buttons_ = nullptr;
};

}  // namespace heddle::ui
