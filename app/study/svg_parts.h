// SPDX-License-Identifier: Apache-2.0
// What every figure is made of: text, lines, markers, ranges and ticks of one look. Colours are Okabe and Ito's, with dashes
// and markers beside them, so that nothing is told by colour alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::app {

inline constexpr const char* kInk = "#222222";
inline constexpr const char* kGrid = "#e4e4e4";
inline constexpr const char* kPaper = "white";
inline constexpr const char* kFaint = "#999999";  ///< lines behind the data

/// A text as the content or an attribute of an element of HTML or SVG, on one line (printable()).
std::string markupText(std::string_view text);

/// Colour and dash attribute of a style: equal for a run or group in all panels.
const char* colourOf(std::size_t style);
std::string dashOf(std::size_t style);

struct SvgPoint {
    double x = 0, y = 0;
};

/// A <text> element; `attributes`: font size, anchor, transform.
std::string svgLabel(const SvgPoint& at, const std::string& attributes, const std::string& text);
/// A <line> element; `attributes`: width, dash.
std::string svgLine(const SvgPoint& from, const SvgPoint& to, const std::string& colour, const std::string& attributes = "");
/// Filled, square, triangle, empty: distinguishable without colour.
std::string svgMarker(std::size_t style, const SvgPoint& at);

/// The beginning and the end of a document with a white background. The title and the description are read to those who do not
/// see the figure.
struct SvgSize {
    double width = 0, height = 0;
};
std::string svgBegin(const SvgSize& size, const std::string& title, const std::string& description);
inline constexpr const char* kSvgEnd = "</svg>\n";

/// The least range with all values that are finite.
struct PlotRange {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    void include(double value) {
        if (!std::isfinite(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool empty() const { return low > high; }
};

/// About `count` round numbers that cover low … high; at least two.
std::vector<double> plotTicks(double low, double high, int count);

}  // namespace heddle::app
