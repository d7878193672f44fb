// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers to build panels and pages.
#pragma once

#include "ui/theme/tokens.h"

#include <QKeySequence>
#include <QLabel>
#include <QScrollArea>

#include <functional>
#include <optional>

class QAction;
class QPainter;
class QToolBar;
class QToolButton;
class QVBoxLayout;

namespace heddle::ui {

/// A vertical layout for the widget, without margins and spacing.
QVBoxLayout* makeColumn(QWidget* owner);

/// Gives a label the style of a caption: small, in the secondary colour.
void setCaption(QLabel& label);
/// A label in the style of a caption.
QLabel* makeCaption(const QString& text, QWidget* parent);

struct ActionInfo {
    const char* name;  ///< the object name
    QString text;
    std::optional<Icon> icon = {};
    QKeySequence key = {};
    QString tip = {};  ///< empty: the text
    Qt::ShortcutContext context = Qt::WindowShortcut;
};
/// Makes an action that calls `does`, unless it is empty.
QAction* makeAction(QObject* owner, const ActionInfo& info, const std::function<void()>& does = {});

/// Adds a button of the action to a tool bar. It has the object name of the action and is hidden where the action is.
QToolButton* addButton(QToolBar& bar, QAction* action, Qt::ToolButtonStyle style = Qt::ToolButtonIconOnly);

/// Returns a widget with `plot` and a caption above it, for panels with several plots.
QWidget* captioned(const QString& words, QWidget* plot, QWidget* parent);

/// Paints a progress bar with rounded ends; `share`: 0 to 1.
void paintProgress(QPainter& painter, const QRectF& bar, double share);

/// A label that can be narrower than its text, which is then elided.
class ElidedLabel : public QLabel {
public:
    using QLabel::QLabel;
    QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// A scroll area without a horizontal scroll bar; it is never narrower than its contents.
class SideArea : public QScrollArea {
public:
    /// It is also never narrower than `leastWidth`, in pixels of the screen (px()).
    explicit SideArea(int leastWidth, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int leastWidth_;
};

}  // namespace heddle::ui
