// SPDX-License-Identifier: GPL-3.0-or-later
// Small parts that panels and pages are made of.
#pragma once

#include <QLabel>
#include <QScrollArea>

class QAction;
class QToolBar;
class QToolButton;
class QVBoxLayout;

namespace heddle::ui {

/// A column of a widget whose parts touch each other and its edges.
QVBoxLayout* makeColumn(QWidget* owner);

/// Gives a label the look of secondary words, small.
void setCaption(QLabel& label);
/// Secondary words, small.
QLabel* makeCaption(const QString& text, QWidget* parent);

/// Adds a button of the action to a tool bar. It is hidden where the action is.
QToolButton* addButton(QToolBar& bar, QAction* action, Qt::ToolButtonStyle style = Qt::ToolButtonIconOnly);

/// A label that gives way: what does not fit ends in "…".
class ElidedLabel : public QLabel {
public:
    using QLabel::QLabel;
    QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// A scroll area without a horizontal scroll bar. It is never narrower than its contents, whose width depends on the font and
/// the language.
class SideArea : public QScrollArea {
public:
    /// The area is also never narrower than `leastWidth`, in pixels of the screen (px()).
    explicit SideArea(int leastWidth, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int leastWidth_;
};

}  // namespace heddle::ui
