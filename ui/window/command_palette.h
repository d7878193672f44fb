// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+K: one box for everything that the window and the shown page can do.
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

    /// Offers the actions of the parent's window, those of the page that it shows, and `more`; empties the box and opens near
    /// the top of the window.
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
