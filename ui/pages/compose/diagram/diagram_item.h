// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a diagram: one item for all of it, so that a deep unfolded stack costs what is visible.
#pragma once

#include "ui/pages/compose/diagram/diagram.h"

#include <QGraphicsItem>

namespace heddle::ui {

class DiagramItem : public QGraphicsItem {
public:
    DiagramItem() { setFlag(ItemUsesExtendedStyleOption); }  // else exposedRect is always all of it

    void setDiagram(Diagram diagram);
    const Diagram& diagram() const { return diagram_; }
    void setCurrent(int box);
    int current() const { return current_; }
    /// Shows where the dragged sublayer or score carry would go.
    void setDropLine(const std::optional<QLineF>& line);

    QRectF boundingRect() const override { return diagram_.bounds; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    Diagram diagram_;
    int current_ = -1;
    std::optional<QLineF> dropLine_;
};

}  // namespace heddle::ui
