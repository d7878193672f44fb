// SPDX-License-Identifier: GPL-3.0-or-later
// What stands where rows would be: what will appear, from where, and the next step as a button.
#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QHBoxLayout;
class QLabel;

namespace heddle::ui {

class EmptyNote : public QWidget {
    Q_OBJECT

public:
    explicit EmptyNote(QWidget* parent = nullptr);

    /// Rich text.
    void setText(const QString& text);
    /// One button each; the first is the one to take.
    void showActions(const QList<QAction*>& actions);

private:
    QLabel* words_;
    QHBoxLayout* row_;
    QList<QAction*> actions_;
};

}  // namespace heddle::ui
