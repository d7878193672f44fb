// SPDX-License-Identifier: GPL-3.0-or-later
// The position of a value in a colour map, and the bar that shows the scale.
#pragma once

#include "ui/theme/tokens.h"

#include <QWidget>

namespace heddle::ui {

enum class MapCurve { Linear, SquareRoot };

/// The code of a cell that is not drawn; positions 0 to 1 are codes 0 to 254.
inline constexpr int kNotDrawn = 255;

struct MapScale {
    MapId map = MapId::Attention;
    MapCurve curve = MapCurve::Linear;
    double low = 0, high = 1;
    bool operator==(const MapScale&) const = default;

    /// 0 to 1, also for values beyond the ends. NaN stays NaN.
    double position(double value) const;
    /// Colours of the codes of codedPicture(): the map, and transparent for kNotDrawn, so that the background is visible.
    QList<QRgb> colours() const;

    static MapScale attention();
    static MapScale gate();
    /// Symmetric, zero in the middle; `largest` rounded up to 1, 2, 3, 5 × 10ⁿ. Use one scale for all maps that are compared.
    static MapScale symmetric(double largest);
};

/// "0 [colours] 1  square-root scale".
class ScaleBar : public QWidget {
    Q_OBJECT

public:
    explicit ScaleBar(QWidget* parent = nullptr);

    void setScale(const MapScale& scale);
    /// Labels of the ends, e.g. "0 closed", "1 open"; empty: the numbers.
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
