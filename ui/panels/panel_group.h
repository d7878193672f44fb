// SPDX-License-Identifier: GPL-3.0-or-later
// The panels of a page together: which one commands act on, and which one has the page for itself.
#pragma once

#include "ui/panels/panel.h"

namespace heddle::ui {

class PanelGroup : public QObject {
    Q_OBJECT

public:
    explicit PanelGroup(QObject* parent) : QObject(parent) {}

    /// At least one; the first is the one that commands act on while none has the focus.
    void setPanels(const QList<Panel*>& panels);
    const QList<Panel*>& panels() const { return panels_; }
    /// All plots of the panels.
    QList<QWidget*> plots() const;

    /// The panel that has the focus, else the one at full size, else the first.
    Panel* current() const;
    Panel* expanded() const { return expanded_; }
    /// Gives the whole page to `panel`; null: gives all panels their places again.
    void expand(Panel* panel);
    /// The current panel to full size, or back.
    void toggleFullSize();

Q_SIGNALS:
    /// Another panel is at full size now, or none: the page arranges them. `before` was at full size until now, if not null.
    void expandedChanged(heddle::ui::Panel* before);
    void failed(const heddle::ui::Problem& problem);

private:
    QList<Panel*> panels_;
    Panel* expanded_ = nullptr;
};

}  // namespace heddle::ui
