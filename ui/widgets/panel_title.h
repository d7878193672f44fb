// SPDX-License-Identifier: GPL-3.0-or-later
// The line above a panel: its title, a note, and small controls at the right. As a dock's title bar it moves the dock.
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;

namespace heddle::ui {

class PanelTitle : public QWidget {
    Q_OBJECT

public:
    explicit PanelTitle(const QString& title, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    /// The note after the title. It is elided; the tool tip is `tip`, or the whole note.
    void setNote(const QString& note, const QString& tip = {});
    QString note() const;
    QString title() const;
    /// Adds a control at the right end.
    void add(QWidget* control);
    /// Adds a small control between the title and the note.
    void addBeforeNote(QWidget* choice);

    /// Docks use this height, not the fixed one.
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QLabel *title_, *note_;
    QHBoxLayout* row_;
};

}  // namespace heddle::ui
