// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/line_layer.h"

#include "ui/plot/curve_line.h"
#include "ui/plot/line_image.h"
#include "ui/threads/parallel.h"

namespace heddle::ui {

LineLayer::LineLayer(QCustomPlot* plot) : QCPLayerable(plot, QStringLiteral("lines")) {}

QRect LineLayer::clipRect() const { return mParentPlot->axisRect()->rect(); }

bool LineLayer::takes(CurveLine& line, QCPPainter& painter) {
    if (painter.paintEngine()->type() != QPaintEngine::Raster) return false;
    taken_.append(&line);
    return true;
}

void LineLayer::draw(QCPPainter* painter) {
    const QList<CurveLine*> lines = std::exchange(taken_, {});
    if (lines.isEmpty()) return;
    const double ratio = painter->device()->devicePixelRatioF();
    std::vector<std::vector<LineImage::Shape>> shapes(std::size_t(lines.size()));
    inParallel(int(lines.size()), LineImage::areMany(shapes.size()),
               [&](int i) { shapes[std::size_t(i)] = lines[i]->shapes(ratio); });
    LineImage image(clipRect(), ratio);
    for (auto& ofLine : shapes)
        for (LineImage::Shape& shape : ofLine) {
            constexpr double kHalf = 0.5;  // QCPPainter moves smooth lines by so much
            shape.line.translate(kHalf, kHalf);
            image.add(std::move(shape));
        }
    painter->setAntialiasing(false);
    painter->drawImage(clipRect().topLeft(), image.picture());
    for (CurveLine* line : lines) line->drawMarkers(*painter);
}

}  // namespace heddle::ui
