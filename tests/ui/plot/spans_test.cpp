// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/spans.h"
#include "tests/ui/support/offscreen.h"

#include <QPainter>
#include <QPicture>

#include <gtest/gtest.h>

using namespace heddle::ui;

namespace {

const std::vector<Span> kSpans{{2, 7}, {}, {3.4, 3.6}, {-5, 4}, {8, 99}};

/// Logical 5 × 10 pixels, painted at `left`.
QImage painted(double ratio, const std::vector<Span>& spans, double left = 0) {
    QImage image(QSize(int(5 * ratio), int(10 * ratio)), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintSpans(painter, spans, {left, 1 / ratio}, QColor(0, 0, 255, 128));
    return image;
}

/// "#" where a device pixel is tinted, a column a string.
std::string column(const QImage& image, int x) {
    std::string words;
    for (int y = 0; y < image.height(); ++y) words += image.pixelColor(x, y) == QColor(Qt::white) ? '.' : '#';
    return words;
}

TEST(Spans, FillTheirColumns) {
    const QImage image = painted(1, kSpans);
    EXPECT_EQ(column(image, 0), "..#####...");
    EXPECT_EQ(column(image, 1), "..........");
    EXPECT_EQ(column(image, 2), "...#......") << "no span is lost";
    EXPECT_EQ(column(image, 3), "####......");
    EXPECT_EQ(column(image, 4), "........##");
    EXPECT_NEAR(image.pixelColor(0, 3).red(), 127, 1) << "blended once";
}

TEST(Spans, AreDevicePixelsAtScaleTwo) {
    const QImage image = painted(2, {{1, 2.5}, {2, 3}}, 1);
    EXPECT_EQ(column(image, 1), "....................");
    EXPECT_EQ(column(image, 2), "..###...............");
    EXPECT_EQ(column(image, 3), "....##..............");
}

TEST(Spans, NoneIsNothing) { EXPECT_EQ(painted(1, {{}, {}}), painted(1, {})); }

/// A file of vectors holds rectangles, not a picture of them.
TEST(Spans, AreShapesInAFileOfVectors) {
    QPicture picture;
    {
        QPainter painter(&picture);
        paintSpans(painter, kSpans, {0, 1}, Qt::blue);
    }
    QImage image(5, 10, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter(&image).drawPicture(0, 0, picture);
    EXPECT_EQ(column(image, 0), column(painted(1, kSpans), 0));
    EXPECT_EQ(column(image, 3), column(painted(1, kSpans), 3));
}

}  // namespace
