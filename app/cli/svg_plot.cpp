// SPDX-License-Identifier: Apache-2.0
#include "app/cli/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace heddle::app {
namespace {

constexpr double kPanelWidth = 480, kPanelHeight = 300, kTitle = 46, kLegendRow = 20, kNote = 28;
constexpr double kLeft = 62, kRight = 16, kAbove = 34, kBelow = 46;
constexpr const char* kInk = "#222222";
constexpr const char* kGrid = "#e4e4e4";
constexpr const char* kFont = "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\"";

/// Okabe & Ito's palette without yellow, colours with the most contrast to white first.
constexpr std::array kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
constexpr std::array kDashes{"", "7 3", "2 3", "9 3 2 3"};

const char* colourOf(std::size_t style) { return kColours[style % kColours.size()]; }

std::string dashOf(std::size_t style) {
    const std::string dash = kDashes[style % kDashes.size()];
    return dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash);
}

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        default: safe += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return safe;
}

std::string label(double x, double y, const std::string& attributes, const std::string& text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {} fill=\"{}\" {}>{}</text>\n", x, y, kFont, kInk, attributes,
                       escaped(text));
}

/// Filled, empty, square, triangle: distinguishable without colour.
std::string marker(std::size_t style, double x, double y) {
    const char* colour = colourOf(style);
    switch (style % 4) {
    case 0: return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>", x, y, colour);
    case 1: return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"6\" height=\"6\" fill=\"{}\"/>", x - 3, y - 3, colour);
    case 2: return fmt::format("<path d=\"M{:.1f} {:.1f}l3.5 6h-7z\" fill=\"{}\"/>", x, y - 3.5, colour);
    default:
        return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"white\" stroke=\"{}\" stroke-width=\"1.5\"/>", x,
                           y, colour);
    }
}

struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
    void include(double value) {
        if (!std::isfinite(value)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool empty() const { return low > high; }
};

/// From 0 to the last x of all panels, so that panels can be compared.
Range commonX(const PlotPage& page) {
    Range x;
    x.include(0);
    for (const auto& panel : page.panels)
        for (const auto& curve : panel.curves)
            for (const auto& p : curve.points) x.include(p.x);
    return x.low < x.high ? x : Range{0, 1};
}

/// Maps data to the page within one panel.
class Axes {
public:
    struct Corner {
        double left, top;
    };
    Axes(const PlotPanel& panel, const Range& x, const Corner& corner)
        : left_(corner.left + kLeft), top_(corner.top + kAbove), x_(x), xTicks_(plotTicks(x.low, x.high, 5)) {
        Range y;
        for (const auto& curve : panel.curves)
            for (const auto& p : curve.points)
                for (const double value : {p.y, p.low, p.high}) y.include(value);
        if (y.empty()) y = {0, 1};
        yTicks_ = plotTicks(y.low, y.high, 5);
        y_ = {yTicks_.front(), yTicks_.back()};
    }
    double x(double value) const { return left_ + (value - x_.low) / (x_.high - x_.low) * width_; }
    double y(double value) const { return top_ + height_ - (value - y_.low) / (y_.high - y_.low) * height_; }

    std::string frame(const PlotPanel& panel) const {
        std::string svg;
        for (const double t : yTicks_) {
            svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", left_, y(t),
                               left_ + width_, y(t), kGrid);
            svg += label(left_ - 6, y(t) + 4, "font-size=\"11\" text-anchor=\"end\"", fmt::format("{:.6g}", t));
        }
        for (const double t : xTicks_) {
            if (x(t) < left_ - 0.5 || x(t) > left_ + width_ + 0.5) continue;
            svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x(t),
                               top_ + height_, x(t), top_ + height_ + 4, kInk);
            svg += label(x(t), top_ + height_ + 17, "font-size=\"11\" text-anchor=\"middle\"", fmt::format("{:.6g}", t));
        }
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}v{:.1f}h{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n", left_, top_, height_,
                           width_, kInk);
        svg +=
            label(left_ + width_ / 2, top_ - 12, "font-size=\"13\" font-weight=\"bold\" text-anchor=\"middle\"", panel.title);
        svg += label(left_ + width_ / 2, top_ + height_ + 35, "font-size=\"12\" text-anchor=\"middle\"", panel.xLabel);
        const double middle = top_ + height_ / 2, beside = left_ - 46;
        svg += label(
            beside, middle,
            fmt::format("font-size=\"12\" text-anchor=\"middle\" transform=\"rotate(-90 {:.1f} {:.1f})\"", beside, middle),
            panel.yLabel);
        return svg;
    }

private:
    double left_, top_;
    double width_ = kPanelWidth - kLeft - kRight, height_ = kPanelHeight - kAbove - kBelow;
    Range x_, y_;
    std::vector<double> xTicks_, yTicks_;
};

std::string band(const PlotCurve& curve, const Axes& axes) {
    const bool wide = std::any_of(curve.points.begin(), curve.points.end(), [](const auto& p) { return p.high > p.low; });
    if (!wide) return "";
    std::string above, below;
    for (const auto& p : curve.points) {
        if (!std::isfinite(p.low) || !std::isfinite(p.high)) continue;
        above += fmt::format("{:.1f},{:.1f} ", axes.x(p.x), axes.y(p.high));
        below = fmt::format("{:.1f},{:.1f} ", axes.x(p.x), axes.y(p.low)) + below;
    }
    return fmt::format("<polygon points=\"{}{}\" fill=\"{}\" fill-opacity=\"0.18\"/>\n", above, below, colourOf(curve.style));
}

std::string line(const PlotCurve& curve, const Axes& axes) {
    std::string path;
    bool pen = false;
    for (const auto& p : curve.points) {
        if (std::isfinite(p.y)) path += fmt::format("{}{:.1f} {:.1f}", pen ? "L" : "M", axes.x(p.x), axes.y(p.y));
        pen = std::isfinite(p.y);
    }
    std::string svg = fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{}/>\n", path,
                                  colourOf(curve.style), dashOf(curve.style));
    if (curve.marks == PlotCurve::Marks::Points)
        for (const auto& p : curve.points)
            if (std::isfinite(p.y)) svg += marker(curve.style, axes.x(p.x), axes.y(p.y)) + "\n";
    return svg;
}

std::string legendRow(std::size_t style, double y, const std::string& text) {
    return fmt::format(
               "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" stroke=\"{3}\" stroke-width=\"2\"{4}/>\n",
               kLeft, y, kLeft + 40, colourOf(style), dashOf(style)) +
           marker(style, kLeft + 20, y) + "\n" + label(kLeft + 50, y + 4, "font-size=\"12\"", text);
}

}  // namespace

std::vector<double> plotTicks(double low, double high, int count) {
    if (!(high > low)) {
        const double half = low == 0 ? 1 : std::abs(low) * 0.1;
        high = low + half;
        low -= half;
    }
    const double rough = (high - low) / std::max(1, count - 1), power = std::pow(10, std::floor(std::log10(rough)));
    const double part = rough / power;
    const double step = power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
    std::vector<double> ticks;
    const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
    for (double i = first; i <= last; ++i) ticks.push_back(i * step);
    return ticks;
}

std::string svgPlot(const PlotPage& page) {
    const std::size_t rows = (page.panels.size() + 1) / 2;
    const double top = kTitle + kLegendRow * static_cast<double>(page.legend.size());
    const double width = 2 * kPanelWidth, bottom = top + kPanelHeight * static_cast<double>(rows);
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        width, bottom + kNote);
    svg += label(width / 2, 30, "font-size=\"17\" font-weight=\"bold\" text-anchor=\"middle\"", page.title);
    for (std::size_t i = 0; i < page.legend.size(); ++i)
        svg += legendRow(i, kTitle + kLegendRow * static_cast<double>(i) + 8, page.legend[i]);
    const Range x = commonX(page);
    for (std::size_t i = 0; i < page.panels.size(); ++i) {
        const PlotPanel& panel = page.panels[i];
        const std::size_t row = i / 2, column = i % 2;
        const Axes axes(panel, x, {kPanelWidth * static_cast<double>(column), top + kPanelHeight * static_cast<double>(row)});
        svg += axes.frame(panel);
        for (const auto& curve : panel.curves) svg += band(curve, axes);
        for (const auto& curve : panel.curves) svg += line(curve, axes);
    }
    svg += label(kLeft, bottom + kNote - 10, "font-size=\"10\"", page.note);
    return svg + "</svg>\n";
}

}  // namespace heddle::app
