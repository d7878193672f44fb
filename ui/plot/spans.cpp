// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/spans.h"

#include <QImage>
#include <QPaintEngine>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::ui {
namespace {

/// Device rows of every column, [top, bottom).
struct DeviceSpans {
    std::vector<int> tops, bottoms;
    int first = std::numeric_limits<int>::max(), end = std::numeric_limits<int>::min();

    DeviceSpans(const std::vector<Span>& spans, double ratio) : tops(spans.size()), bottoms(spans.size()) {
        for (std::size_t i = 0; i < spans.size(); ++i) {
            if (spans[i].empty()) continue;
            tops[i] = int(std::lround(spans[i].top * ratio));
            bottoms[i] = std::max(tops[i] + 1, int(std::lround(spans[i].bottom * ratio)));
            first = std::min(first, tops[i]);
            end = std::max(end, bottoms[i]);
        }
    }
};

QImage pictureOf(const DeviceSpans& spans, const QColor& color) {
    const auto width = int(spans.tops.size());
    QImage picture(width, spans.end - spans.first, QImage::Format_ARGB32_Premultiplied);
    const QRgb filled = qPremultiply(color.rgba());
    for (int y = spans.first; y < spans.end; ++y) {
        auto* const line = reinterpret_cast<QRgb*>(picture.scanLine(y - spans.first));
        for (int x = 0; x < width; ++x) {
            const auto i = std::size_t(x);
            line[x] = spans.tops[i] <= y && y < spans.bottoms[i] ? filled : 0;
        }
    }
    return picture;
}

}  // namespace

void paintSpans(QPainter& painter, const std::vector<Span>& spans, const SpanColumns& columns, const QColor& color) {
    if (painter.paintEngine()->type() != QPaintEngine::Raster) {  // a file of vectors keeps them as such
        for (std::size_t i = 0; i < spans.size(); ++i)
            if (!spans[i].empty())
                painter.fillRect(QRectF(columns.left + double(i) * columns.width, spans[i].top, columns.width,
                                        spans[i].bottom - spans[i].top),
                                 color);
        return;
    }
    const double ratio = 1 / columns.width;
    const DeviceSpans device(spans, ratio);
    if (device.first >= device.end) return;
    QImage picture = pictureOf(device, color);
    picture.setDevicePixelRatio(ratio);
    painter.drawImage(QPointF(columns.left, device.first / ratio), picture);
}

}  // namespace heddle::ui
