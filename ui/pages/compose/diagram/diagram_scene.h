// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram as a scene. Each layer and each box is an item: Qt finds it under the pointer and shows its tool tip, and it can
// be selected and has a text for screen readers.
#pragma once

#include "ui/pages/compose/diagram/diagram.h"

#include <QGraphicsObject>
#include <QGraphicsScene>
#include <QLineF>

namespace heddle::ui {

class DiagramPart : public QGraphicsObject {
    Q_OBJECT

public:
    enum { Type = UserType + 1 };
    /// A layer or a box of the scene's diagram. `accessibleText`: for screen readers.
    DiagramPart(const DiagramFrame* frame, const DiagramBox* box, QString accessibleText);

    const DiagramFrame* frame() const { return frame_; }  ///< null for a box
    const DiagramBox* box() const { return box_; }        ///< null for a layer
    bool isSlot() const { return box_ && box_->isSlot(); }
    const QString& accessibleText() const { return accessibleText_; }
    const QRectF& rect() const { return frame_ ? frame_->rect : box_->rect; }

    int type() const override { return Type; }
    /// With the marks around it.
    QRectF boundingRect() const override;
    QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    const DiagramFrame* frame_;
    const DiagramBox* box_;
    QString accessibleText_;
};

class DiagramScene : public QGraphicsScene {
    Q_OBJECT

public:
    explicit DiagramScene(QObject* parent = nullptr);

    /// Replaces all items.
    void setDiagram(Diagram diagram);
    const Diagram& diagram() const { return diagram_; }
    /// Lists the layers and the boxes that can be selected. Each layer comes before its boxes.
    const QList<DiagramPart*>& parts() const { return parts_; }
    /// The part of a slot; null: it is not drawn.
    DiagramPart* partOf(const SlotSite& site) const;
    /// Keys of QGraphicsItem::data(). Sublayer: the item is the left edge of a sublayer; the value is its index in
    /// diagram().sublayers. Attention: the item is an attention; the value is its index in diagram().attentions.
    enum Dragged { Sublayer, Attention };
    /// Shows where the dragged sublayer or score carry would go.
    void setDropLine(const std::optional<QLineF>& line);

protected:
    void drawBackground(QPainter* painter, const QRectF& exposed) override;
    void drawForeground(QPainter* painter, const QRectF& exposed) override;

private:
    Diagram diagram_;
    QList<DiagramPart*> parts_;
    std::optional<QLineF> dropLine_;
};

/// Writes the diagram as it would be printed, without what serves editing, in the colours of the light theme. See
/// writePicture().
void writeDiagram(Diagram diagram, const QString& title, const QString& file);

}  // namespace heddle::ui
