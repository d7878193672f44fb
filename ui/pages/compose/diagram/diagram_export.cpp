// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram/diagram_export.h"

#include "ui/pages/compose/diagram/diagram_item.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"
#include "ui/widgets/picture.h"

#include <QPainter>
#include <QStyleOptionGraphicsItem>

namespace heddle::ui {

void writeDiagram(Diagram diagram, const QString& title, const QString& file) {
    std::erase_if(diagram.boxes, [](const DiagramBox& box) { return box.isOffer(); });
    const double margin = px(8);
    const QRectF area = diagram.bounds.adjusted(-margin, -margin, margin, margin);
    DiagramItem item;
    item.setDiagram(std::move(diagram));
    const auto paint = [&](QPaintDevice& device) {
        const Theme::LightLook look;
        QPainter painter(&device);
        painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
        painter.fillRect(QRectF(QPointF(), area.size()), Theme::color(Token::Base));
        painter.translate(-area.topLeft());
        QStyleOptionGraphicsItem option;
        option.exposedRect = area;
        item.paint(&painter, &option, nullptr);
    };
    writePicture({title, area.size().toSize(), paint}, file);
}

}  // namespace heddle::ui
