// SPDX-License-Identifier: GPL-3.0-or-later
// The painting half of HeadGrid.
#pragma once

#include "ui/plot/head_grid.h"

#include <QAbstractScrollArea>

namespace heddle::ui {

class HeadGridArea : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit HeadGridArea(HeadGrid* grid);

    /// After other data or another size.
    void rebuild();
    void paintOn(QPainter& painter, QSize size, int scrolled) const;
    std::optional<HeadPlace> placeAt(QPoint point) const;
    QRect rectOf(HeadPlace place) const;  ///< in the viewport
    void reveal(HeadPlace place);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    struct Layout {
        int labelWidth = 0, side = 0, top = 0, gap = 0, barHeight = 0;
        std::vector<int> bandLefts;                      ///< rows stand in bands side by side
        std::vector<int> rowLefts, rowTops, rowHeights;  ///< rowLefts: of the row's band; the others: of the maps alone
        int height = 0;
        QRect cell(HeadPlace place) const;
    };
    QSize room() const;
    Layout layoutFor(QSize size) const;
    void arrange(Layout& layout, int width, int bands, int side) const;
    void paintHeader(QPainter& painter, const Layout& layout, int width) const;
    void paintHead(QPainter& painter, const Layout& layout, HeadPlace place, const QList<QRgb>& colours) const;

    HeadGrid* grid_;
    std::optional<HeadPlace> hovered_;
};

}  // namespace heddle::ui
