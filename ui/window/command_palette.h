// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K: finds and carries out the commands of the window and of the shown page.
#pragma once

#include "ui/window/command_list.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QListView;

namespace heddle::ui {

class CommandPalette : public QDialog {
    Q_OBJECT

public:
    explicit CommandPalette(QWidget* parent);

    /// Opens near the top of the window with an empty box. Offers the actions of the window and of the shown page, and `more`.
    void offer(const QList<Command>& more);
    const CommandList& list() const { return *list_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void typed(const QString& text);
    void runCurrent();
    void moveBy(int rows);

    CommandList* list_;
    QLineEdit* box_;
    QLabel* count_;
    QListView* view_;
};

}  // namespace heddle::ui
