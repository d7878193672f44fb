// SPDX-License-Identifier: GPL-3.0-or-later
// A matrix as colours: attention over tokens, scores, gates by site and step, differences. Each cell is drawn
// with whole pixels, without interpolation.
#pragma once

#include "ui/plot/map_scale.h"
#include "ui/plot/plot_view.h"

#include <QImage>
#include <QPoint>

#include <cmath>
#include <optional>
#include <vector>

namespace heddle::ui {

struct MapData {
    int rows = 0, columns = 0;
    std::vector<float> values;         ///< row by row; values, not codes
    std::vector<std::uint8_t> masked;  ///< 1 = not drawn; empty = nothing masked
    QStringList rowLabels;             ///< empty, or one for each row
    QStringList columnLabels;          ///< empty, one for each column, or two: the first and the last (a step axis)
    QStringList rowValues;             ///< written right of the rows; empty, or one for each row
    QString columnTitle;               ///< below a step axis

    float at(int row, int column) const { return values[std::size_t(row) * std::size_t(columns) + std::size_t(column)]; }
    bool isMasked(int row, int column) const {
        return !masked.empty() && masked[std::size_t(row) * std::size_t(columns) + std::size_t(column)];
    }
    /// Not masked, and not finite.
    bool isBroken(int row, int column) const { return !isMasked(row, column) && !std::isfinite(at(row, column)); }
};

/// Averages `block` × `block` cells into one, without masked and non-finite ones. A cell without any other is masked, or NaN if
/// one was not finite.
MapData averaged(const MapData& data, QSize block);

/// One pixel for each cell: the code of its value, kNotDrawn if it is masked or not finite. Any thread.
QImage codedPicture(const MapData& map, const MapScale& scale);

/// Square: tokens by tokens, with nearly square cells. Stretched: cells of any shape.
enum class MapShape { Square, Stretched };

class MapView : public PlotView {
    Q_OBJECT

public:
    explicit MapView(QWidget* parent = nullptr);

    /// `values` must hold rows × columns entries, `masked` as many or none (std::invalid_argument).
    void setData(MapData data);
    void setData(MapData data, const MapScale& scale);
    const MapData& data() const { return data_; }
    void setScale(const MapScale& scale);
    const MapScale& scale() const { return scale_; }
    void setShape(MapShape shape);
    /// The locked cell: framed row, bold labels. (-1, r) marks a whole row; nothing: no locked cell.
    void setCurrent(std::optional<QPoint> cell);
    std::optional<QPoint> current() const { return current_; }
    /// "mean of 3 × 3 cells" if single cells would be below 2 px; else empty.
    QString caption() const;
    /// The picture with one pixel for each cell; index 255 is "not drawn".
    const QImage& picture() const { return image_; }
    /// The rectangle of the cells, and the cell at a point, in the viewport of the chart.
    QRect cells() const { return layoutFor(room(), counts()).cells; }
    std::optional<QPoint> cellAt(QPoint place) const;

    PlotTable table() const override;
    void paintOn(QPaintDevice& device, QSize size) override;

Q_SIGNALS:
    void hovered(std::optional<QPoint> cell);
    void currentChanged(std::optional<QPoint> cell);
    void captionChanged();

protected:
    void recolour() override;
    bool chartEvent(QEvent& event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Layout {
        QRect cells;
        QSize counts;
        int labelWidth = 0, valueWidth = 0;
        QRect cell(int column, int row) const;
    };
    QSize room() const;
    QSize counts() const { return {shown_.columns, shown_.rows}; }
    Layout layoutFor(QSize size, QSize counts) const;
    /// Computes everything that depends on data, scale or size, and repaints.
    void rebuild();
    void measureLabels();
    int columnLabelHeight() const;
    bool hasTokenColumns() const {
        return shape_ == MapShape::Square && data_.columns > 0 && data_.columnLabels.size() == data_.columns;
    }
    QString accessibleText(QPoint cell) const;
    void paintRowLabels(QPainter& painter, const Layout& layout) const;
    void paintColumnLabels(QPainter& painter, const Layout& layout) const;
    void paintBroken(QPainter& painter, const Layout& layout) const;
    void paintCurrent(QPainter& painter, const Layout& layout) const;

    MapData data_, shown_;  ///< as given; after averaging
    MapScale scale_ = MapScale::attention();
    MapShape shape_ = MapShape::Square;
    std::optional<QPoint> current_;
    QSize block_{1, 1};
    QImage image_;
    struct Widths {
        int rows = 0, columns = 0, values = 0;
    };
    Widths widths_;           ///< of the widest label; measured when labels or fonts change
    bool hasBroken_ = false;  ///< a shown cell is not finite
};

}  // namespace heddle::ui
