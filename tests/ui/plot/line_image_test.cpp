// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/line_image.h"
#include "tests/ui/support/example_data.h"
#include "tests/ui/support/offscreen.h"

#include <QPainter>
#include <QPainterPath>

#include <gtest/gtest.h>

#include <cmath>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

const QRectF kArea(10, 20, 200, 100);

QPolygonF wave(double height, double period) {
    QPolygonF line;
    for (double x = 10; x <= 210; x += 1) line << QPointF(x, 70 + height * std::sin(x / period));
    return line;
}

QPolygonF noisy(double deviation) {
    QPolygonF line;
    for (int i = 0; i <= 200; ++i) line << QPointF(10 + i, 70 + deviation * bell(5, std::uint64_t(i)));
    return line;
}

QImage painted(const LineImage::Shape& shape, double ratio) {
    LineImage image(kArea, ratio);
    image.add(shape);
    return image.picture();
}

/// The stroke as a filled outline, computed by Qt.
QImage exact(const LineImage::Shape& shape, double ratio) {
    QImage image((kArea.size() * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(0);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(-kArea.topLeft());
    QPainterPathStroker stroker;
    stroker.setWidth(shape.stroke.width);
    stroker.setCapStyle(Qt::FlatCap);
    stroker.setJoinStyle(Qt::RoundJoin);
    if (!shape.stroke.dash.isEmpty()) {
        QList<qreal> inWidths;
        for (const qreal length : shape.stroke.dash) inWidths << length / shape.stroke.width;
        stroker.setDashPattern(inWidths);
    }
    QPainterPath path;
    path.addPolygon(shape.line);
    path = stroker.createStroke(path);
    path.setFillRule(Qt::WindingFill);
    painter.fillPath(path, shape.stroke.color);
    return image;
}

struct Difference {
    double mean = 0, worst = 0;  ///< difference of the coverage, 0 to 1, over the pixels that either picture covers
    double ink = 0;              ///< total coverage as a share of that of the exact picture
};

Difference differenceOf(const LineImage::Shape& shape, double ratio) {
    const QImage mine = painted(shape, ratio), other = exact(shape, ratio);
    EXPECT_EQ(mine.size(), other.size());
    Difference result;
    double sumMine = 0, sumOther = 0;
    int covered = 0;
    for (int y = 0; y < mine.height(); ++y)
        for (int x = int(3 * ratio); x < mine.width() - 3 * ratio; ++x) {  // the ends are flat in Qt and round in LineImage
            const double a = qAlpha(mine.pixel(x, y)) / 255.0, b = qAlpha(other.pixel(x, y)) / 255.0;
            sumMine += a, sumOther += b;
            covered += a > 0 || b > 0;
            result.mean += std::abs(a - b);
            result.worst = std::max(result.worst, std::abs(a - b));
        }
    result.mean /= covered;
    result.ink = sumMine / sumOther;
    return result;
}

TEST(LineImage, CoversWhatQtsStrokeCovers) {
    const LineStroke normal{QColor(0, 0, 200), 1.8, {}}, thin{QColor(0, 0, 200), 1, {}};
    for (const double ratio : {1.0, 2.0})
        for (const LineStroke& stroke : {normal, thin}) {
            SCOPED_TRACE(testing::Message() << "ratio " << ratio << ", width " << stroke.width);
            const bool isOnePixel = stroke.width * ratio <= 1;  // where a section is a quarter of the line
            for (const QPolygonF& line : {QPolygonF(QList<QPointF>{{10, 70.3}, {210, 70.3}}), wave(5, 20), wave(40, 30)}) {
                const Difference difference = differenceOf({stroke, line, {}}, ratio);
                EXPECT_LT(difference.mean, 0.05);
                EXPECT_LT(difference.worst, 0.3);
                EXPECT_NEAR(difference.ink, 1, isOnePixel ? 0.07 : 0.04);
            }
            const Difference steep = differenceOf({stroke, noisy(20), {}}, ratio);  // up and down within every pixel
            EXPECT_LT(steep.mean, isOnePixel ? 0.15 : 0.12);
            EXPECT_NEAR(steep.ink, 1, isOnePixel ? 0.15 : 0.06);
        }
}

TEST(LineImage, LongAndVerticalSegmentsAreStrokedAsByQt) {
    const QPolygonF slanted({{10, 30}, {97.3, 111}, {210, 47}});
    const QPolygonF stairs({{10, 40}, {60, 40}, {60, 90}, {120.4, 90}, {120.4, 30.5}, {210, 30.5}});
    const QPolygonF needle({{10, 40}, {60, 40}, {60, 90}, {60, 25}, {60, 50}, {210, 50}});
    for (const double ratio : {1.0, 2.0})
        for (const QPolygonF& line : {slanted, stairs, needle}) {
            const Difference difference = differenceOf({{QColor(0, 0, 200), 1.8, {}}, line, {}}, ratio);
            EXPECT_LT(difference.mean, 0.05);
            EXPECT_LT(difference.worst, 0.4);
            EXPECT_NEAR(difference.ink, 1, 0.04);
        }
}

TEST(LineImage, ASmallerPictureIsACornerOfALargerOne) {
    const auto pictureOf = [](QSize size) {
        LineImage image(QRectF(QPointF(10, 20), size), 1);
        image.add({{QColor(0, 0, 200), 1.8, {}}, wave(40, 30), {}});
        image.add({{QColor(200, 0, 0, 90), 3, {9, 3}}, noisy(20), {}});
        return image.picture();
    };
    const QImage whole = pictureOf({200, 100});
    for (const QSize size : {QSize(1, 1), QSize(17, 33), QSize(50, 99), QSize(163, 98), QSize(191, 67)})
        EXPECT_EQ(pictureOf(size), whole.copy(QRect({}, size))) << size.width();
}

TEST(LineImage, DashesHaveTheLengthsOfThePen) {
    const LineStroke dashed{QColor(0, 0, 200), 1.8, {9, 3}};
    for (const double ratio : {1.0, 2.0})
        for (const QPolygonF& line : {QPolygonF(QList<QPointF>{{10, 70}, {210, 70}}), wave(5, 20), wave(40, 30)}) {
            const Difference difference = differenceOf({dashed, line, {}}, ratio);
            EXPECT_LT(difference.mean, 0.12);
            EXPECT_NEAR(difference.ink, 1, 0.05);
        }
}

TEST(LineImage, ColoursAreBlendedInOrder) {
    LineImage image(kArea, 1);
    const QPolygonF flat{{10, 70}, {210, 70}};
    image.add({{QColor(255, 0, 0), 4, {}}, flat, {}});
    image.add({{QColor(0, 0, 255, 128), 2, {}}, flat, {}});
    const QImage picture = image.picture();
    EXPECT_EQ(picture.pixelColor(100, 48), QColor(255, 0, 0));
    EXPECT_NEAR(picture.pixelColor(100, 49).red(), 127, 2);
    EXPECT_NEAR(picture.pixelColor(100, 49).blue(), 128, 2);
    EXPECT_EQ(qAlpha(picture.pixel(100, 45)), 0);
}

/// A column as a string, "#" for a coloured device pixel.
std::string column(const QImage& image, int x) {
    std::string words;
    for (int y = 0; y < image.height(); ++y) words += qAlpha(image.pixel(x, y)) == 0 ? '.' : '#';
    return words;
}

TEST(LineImage, SpansFillTheirColumns) {
    LineImage image(QRectF(0, 0, 5, 10), 1);
    image.add({{QColor(0, 0, 255, 128), 0, {}}, {}, {{2, 7}, {}, {3.4, 3.6}, {-5, 4}, {8, 99}}});
    const QImage picture = image.picture();
    EXPECT_EQ(column(picture, 0), "..#####...");
    EXPECT_EQ(column(picture, 1), "..........");
    EXPECT_EQ(column(picture, 2), "...#......") << "every span is drawn";
    EXPECT_EQ(column(picture, 3), "####......");
    EXPECT_EQ(column(picture, 4), "........##");
    EXPECT_EQ(qAlpha(picture.pixel(0, 3)), 128) << "blended once";
    LineImage fine(QRectF(0, 0, 2, 10), 2);
    fine.add({{QColor(0, 0, 255), 0, {}}, {}, {{}, {}, {1, 2.5}, {2, 3}}});
    EXPECT_EQ(column(fine.picture(), 2), "..###...............");
    EXPECT_EQ(column(fine.picture(), 3), "....##..............");
}

TEST(LineImage, FarAndEmptyLinesDrawNothing) {
    LineImage image(kArea, 1);
    image.add({{QColor(0, 0, 200), 1.8, {}}, {{10, -1e9}, {210, -1e9}}, {}});
    image.add({{QColor(0, 0, 200), 1.8, {}}, {{-500, 70}, {-400, 70}}, {}});
    image.add({{QColor(0, 0, 200), 1.8, {}}, {}, {}});
    const QImage picture = image.picture();
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x) ASSERT_EQ(picture.pixel(x, y), 0U);
}

}  // namespace
