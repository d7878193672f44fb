// SPDX-License-Identifier: GPL-3.0-or-later
// The line above a panel that is no dock: its name, what is shown, and small controls at the right.
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
    /// Secondary words after the title; elided, whole in the tooltip.
    void setNote(const QString& note);
    QString note() const { return note_; }
    /// Adds a control at the right end.
    void add(QWidget* control);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void elide();
    void recolour();

    QLabel *title_, *noteLabel_;
    QHBoxLayout* row_;
    QString note_;
};

}  // namespace heddle::ui
