// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::app {

/// One curve of a panel. Values that are not finite break it.
struct PlotCurve {
    struct Point {
        double x = 0, y = 0;
        double low = 0, high = 0;  ///< of the values behind the point; a band, or of a curve of one point an error bar
    };
    std::size_t style = 0;  ///< index of colour, dash and marker; equal for a run or group in all panels
    std::vector<Point> points;
    enum class Marks { None, Points } marks = Marks::None;
};

/// One pair of axes.
struct PlotPanel {
    std::string title, xLabel, yLabel;  ///< labels name the unit
    std::vector<PlotCurve> curves;
};

struct PlotPage {
    std::string title, note;                             ///< note: small print below; without a title there is no room for one
    std::vector<std::string> legend;                     ///< by style
    std::vector<PlotPanel> panels;                       ///< two per row; one alone is wider
    enum class Scale { Linear, Log } x = Scale::Linear;  ///< Log: every x is above 0
    bool beginsAtZero = true;                            ///< the linear x axis; else where its points do
    std::string description = {};                        ///< for those who do not see the page; empty: the note
};

/// The page as an SVG document: light background, Okabe–Ito colours together with dashes and markers, so that curves are
/// distinguishable without colour. Deterministic: equal runs give equal files.
std::string svgPlot(const PlotPage& page);

}  // namespace heddle::app
