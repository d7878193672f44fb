// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/panel_group.h"

#include <QApplication>

#include <utility>

namespace heddle::ui {

void PanelGroup::setPanels(const QList<Panel*>& panels) {
    panels_ = panels;
    for (Panel* panel : panels_) {
        connect(panel, &Panel::expandRequested, this, [this, panel] { expand(expanded_ == panel ? nullptr : panel); });
        connect(panel, &Panel::failed, this, &PanelGroup::failed);
    }
}

QList<QWidget*> PanelGroup::plots() const {
    QList<QWidget*> plots;
    for (const Panel* panel : panels_)
        for (PlotView* plot : panel->plots()) plots.append(plot);
    return plots;
}

Panel* PanelGroup::current() const {
    for (Panel* panel : panels_)
        if (panel->isAncestorOf(QApplication::focusWidget())) return panel;
    return expanded_ ? expanded_ : panels_.first();
}

void PanelGroup::expand(Panel* panel) {
    if (panel == expanded_) return;
    Panel* const before = std::exchange(expanded_, panel);
    if (before) before->setExpanded(false);
    Q_EMIT expandedChanged(before);
    if (!panel) return;
    panel->setExpanded(true);
    if (PlotView* plot = panel->currentPlot()) plot->setFocus();
}

void PanelGroup::toggleFullSize() {
    Panel* const panel = current();
    expand(expanded_ == panel ? nullptr : panel);
}

}  // namespace heddle::ui
