// SPDX-License-Identifier: GPL-3.0-or-later
// The grid of all heads fills its widget at every size.
#include "ui/plot/head_grid.h"
#include "tests/ui/support/offscreen.h"
#include "ui/theme/type.h"

#include <QAbstractScrollArea>
#include <QScrollBar>

#include <gtest/gtest.h>

using namespace heddle::ui;
using namespace heddle::ui::test;

namespace {

std::shared_ptr<const HeadGridData> heads(int rows, int columns, QSize cells = {6, 6}) {
    auto data = std::make_shared<HeadGridData>();
    data->scale = MapScale::attention();
    HeadCell head;
    head.picture = QImage(cells, QImage::Format_Indexed8);
    head.picture.fill(0);
    for (int row = 0; row < rows; ++row) {
        const QString path = QStringLiteral("decoder.layers.%1.self").arg(row);
        data->rows.push_back(
            {path, path, QStringLiteral("dec.%1").arg(row), text("6 × 6"), std::vector<HeadCell>(std::size_t(columns), head)});
    }
    return data;
}

/// The rectangle around all heads.
QRect coveredBy(const HeadGrid& grid) {
    QRect all;
    for (int row = 0; row < int(grid.data().rows.size()); ++row)
        for (int head = 0; head < grid.data().columns(); ++head) all = all.united(grid.rectOf({row, head}));
    return all;
}

class HeadGridRoom : public testing::Test {
protected:
    void show(QSize size) {
        grid_.resize(size);
        grid_.show();
        ASSERT_TRUE(waitUntil([&] { return bar().isVisible() == (bar().maximum() > 0); }));
    }
    QScrollBar& bar() { return *the<QAbstractScrollArea>(grid_).verticalScrollBar(); }
    HeadGrid grid_;
};

TEST_F(HeadGridRoom, AHeadIsNotSmallerInALargerWindow) {
    grid_.setData(heads(6, 4));
    int before = 0;
    for (const QSize size :
         {QSize(430, 210), QSize(480, 200), QSize(620, 300), QSize(900, 330), QSize(1000, 600), QSize(1800, 1100)}) {
        show(size);
        const QRect head = grid_.rectOf({0, 0}), all = coveredBy(grid_);
        EXPECT_GE(head.width() * head.height(), before) << size.width();
        before = head.width() * head.height();
        EXPECT_LE(head.width(), 2 * head.height());
        EXPECT_GT(all.right(), size.width() * 0.6) << "at most two fifths stay empty";
        EXPECT_EQ(bar().maximum(), 0) << "all rows are visible at " << size.width();
        EXPECT_GT(all.bottom(), size.height() * 0.6) << size.width();
        EXPECT_TRUE(all.right() > size.width() * 0.7 || all.bottom() > size.height() * 0.7)
            << size.width() << ": heads end at " << all.right() << ", " << all.bottom();
        EXPECT_EQ(grid_.placeAt(grid_.rectOf({5, 3}).center()), (HeadPlace{5, 3}));
    }
}

TEST_F(HeadGridRoom, ManyLayersFillTheWidthAndAreScrolled) {
    grid_.setData(heads(36, 8));
    for (const QSize size : {QSize(480, 300), QSize(760, 300), QSize(1300, 280)}) {
        show(size);
        EXPECT_GT(bar().maximum(), 0);
        EXPECT_GT(coveredBy(grid_).right(), size.width() * 0.8) << size.width();
        EXPECT_GE(grid_.rectOf({0, 0}).width(), px(40));
        grid_.setCurrent({35, 7});
        EXPECT_TRUE(grid_.rect().contains(grid_.rectOf({35, 7}))) << "the chosen head is scrolled into view";
        grid_.setCurrent({0, 0});
    }
}

}  // namespace
