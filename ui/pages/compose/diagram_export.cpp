// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/compose/diagram_export.h"

#include "ui/pages/compose/diagram_item.h"
#include "ui/theme/theme.h"
#include "ui/theme/type.h"

#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QStyleOptionGraphicsItem>
#include <QSvgGenerator>

#include <stdexcept>

namespace heddle::ui {
namespace {

constexpr int kDotsPerInch = 96;  // of logical pixels

void paint(const Diagram& diagram, QPaintDevice& device, const QRectF& area) {
    DiagramItem item;
    item.setDiagram(diagram);
    QPainter painter(&device);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.fillRect(QRectF(QPointF(), area.size()), Theme::color(Token::Base));
    painter.translate(-area.topLeft());
    QStyleOptionGraphicsItem option;
    option.exposedRect = area;
    item.paint(&painter, &option, nullptr);
}

}  // namespace

void writeDiagram(Diagram diagram, const QString& title, const QString& file) {
    std::erase_if(diagram.boxes, [](const DiagramBox& box) { return box.offer != DiagramBox::Offer::None; });
    const double margin = px(8);
    const QRectF area = diagram.bounds.adjusted(-margin, -margin, margin, margin);
    const QSize size = area.size().toSize();
    const QString end = file.section(QLatin1Char('.'), -1).toLower();
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly)) throw std::runtime_error(out.errorString().toStdString());
    if (end == QLatin1String("pdf")) {
        QPdfWriter writer(&out);
        writer.setTitle(title);
        writer.setResolution(kDotsPerInch);
        writer.setPageSize(QPageSize(QSizeF(size) * 72 / kDotsPerInch, QPageSize::Point));
        writer.setPageMargins({});
        paint(diagram, writer, area);
    } else if (end == QLatin1String("png")) {
        QImage picture(size * 2, QImage::Format_ARGB32_Premultiplied);
        picture.setDevicePixelRatio(2);
        paint(diagram, picture, area);
        if (picture.isNull() || !picture.save(&out, "PNG")) throw std::runtime_error("the picture is too large for a PNG file");
    } else {
        QSvgGenerator generator;
        generator.setOutputDevice(&out);
        generator.setTitle(title);
        generator.setSize(size);
        generator.setViewBox(QRect({}, size));
        paint(diagram, generator, area);
    }
    if (!out.commit()) throw std::runtime_error(out.errorString().toStdString());
}

}  // namespace heddle::ui
