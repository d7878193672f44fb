// SPDX-License-Identifier: GPL-3.0-or-later
// The painting half of MapView.
#pragma once

#include "ui/plot/map_view.h"

#include <QAbstractScrollArea>

namespace heddle::ui {

class MapArea : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit MapArea(MapView* view);

    MapData data, shown;  ///< as given; after averaging
    MapScale scale = MapScale::attention();
    MapShape shape = MapShape::Square;
    std::optional<QPoint> current;
    QSize block{1, 1};
    QImage image;

    void setData(MapData next);
    /// Everything that depends on data, scale or size; then repaints.
    void rebuild();
    void recolour();  ///< the picture alone
    void paintOn(QPainter& painter, QSize size);
    std::optional<QPoint> cellAt(QPoint place) const;
    /// Where the cells are, for tests.
    QRect cells() const { return layoutFor(viewport()->size(), {shown.columns, shown.rows}).cells; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Layout {
        QRect cells;
        QSize counts;
        int labelWidth = 0, valueWidth = 0;
        QRect cell(int column, int row) const;
    };
    Layout layoutFor(QSize size, QSize counts) const;
    int columnLabelHeight() const;
    void measureLabels();
    bool hasTokenColumns() const {
        return shape == MapShape::Square && data.columns > 0 && data.columnLabels.size() == data.columns;
    }
    void paintRowLabels(QPainter& painter, const Layout& layout) const;
    void paintColumnLabels(QPainter& painter, const Layout& layout) const;
    void paintBroken(QPainter& painter, const Layout& layout) const;
    void paintCurrent(QPainter& painter, const Layout& layout) const;

    MapView* view_;
    struct Widths {
        int rows = 0, columns = 0, values = 0;
    };
    Widths widths_;           ///< of the widest label; measured when labels or fonts change
    bool hasBroken_ = false;  ///< a shown cell is not finite
};

}  // namespace heddle::ui
