// SPDX-License-Identifier: GPL-3.0-or-later
// From a value to a place in a colour map, and the bar that shows the scale.
#pragma once

#include "ui/theme/tokens.h"

#include <QWidget>

namespace heddle::ui {

enum class MapCurve { Linear, SquareRoot, Log };

/// The code of a cell that is not drawn; positions 0 to 1 are codes 0 to 254.
inline constexpr int kNotDrawn = 255;

struct MapScale {
    MapId map = MapId::Attention;
    MapCurve curve = MapCurve::Linear;
    double low = 0, high = 1;  ///< Log needs 0 < low
    bool operator==(const MapScale&) const = default;

    /// 0 to 1; values beyond the ends stop there. NaN stays NaN.
    double position(double value) const;
    /// The value at a position: the inverse between the ends.
    double value(double position) const;
    /// Colours of the codes of codedPicture(): the map, and transparent for kNotDrawn, so that the ground shows.
    QList<QRgb> colours() const;

    static MapScale attention(MapCurve curve = MapCurve::SquareRoot);
    static MapScale gate();
    /// Symmetric, zero in the middle; `largest` rounded up to 1, 2, 3, 5 × 10ⁿ. Use one for all maps that are compared.
    static MapScale symmetric(double largest);
};

/// "0 [colours] 1  square-root scale". Also what exports carry.
class ScaleBar : public QWidget {
    Q_OBJECT

public:
    explicit ScaleBar(QWidget* parent = nullptr);

    void setScale(const MapScale& scale);
    /// Words for the ends, e.g. "0 closed", "1 open"; empty for the numbers.
    void setEnds(const QString& low, const QString& high);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString lowText() const;
    QString highText() const;
    QString note() const;

    MapScale scale_;
    QString low_, high_;
};

}  // namespace heddle::ui
