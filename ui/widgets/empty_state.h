// SPDX-License-Identifier: GPL-3.0-or-later
// What a place says while it has nothing to show: why, what will appear and from where, and perhaps buttons for the next step.
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace heddle::ui {

class EmptyState : public QWidget {
    Q_OBJECT

public:
    /// Page: in place of a whole page, with large words.
    enum class Size { Panel, Page };
    explicit EmptyState(QWidget* parent, Size size = Size::Panel);

    /// A title without a text, or a text without a title, stands alone.
    void setWords(const QString& title, const QString& text);
    /// A step that leads to something to show; the next one is right of it.
    QPushButton* addButton(const QString& words);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    Size size_;
    QLabel *title_, *text_;
    QHBoxLayout* buttons_ = nullptr;
};

}  // namespace heddle::ui
