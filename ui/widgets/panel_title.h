// SPDX-License-Identifier: GPL-3.0-or-later
// The line above a panel: its name, what is shown, and small controls at the right. As a dock's title bar it moves the dock.
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
    /// Secondary words after the title; elided, whole in the tooltip unless `tip` says more.
    void setNote(const QString& note, const QString& tip = {});
    QString note() const;
    QString title() const;
    /// Adds a control at the right end.
    void add(QWidget* control);
    /// Adds a small choice between the title and the note.
    void addBeforeNote(QWidget* choice);

    /// A dock reads this height, not the fixed one.
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QLabel *title_, *note_;
    QHBoxLayout* row_;
};

}  // namespace heddle::ui
