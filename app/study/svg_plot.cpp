// SPDX-License-Identifier: Apache-2.0
#include "app/study/svg_plot.h"

#include "app/study/svg_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::app {
namespace {

constexpr double kPanelWidth = 480, kOnlyWidth = 720, kPanelHeight = 300, kTitle = 46, kLegendRow = 20, kNote = 28,
                 kMargin = 12;
constexpr double kLeft = 62, kRight = 16, kAbove = 34, kBelow = 46;

/// Where a value lies on an axis.
double placeOf(PlotPage::Scale scale, double value) { return scale == PlotPage::Scale::Log ? std::log10(value) : value; }

/// From 0, or the first x, to the last x of all panels, so that panels can be compared.
PlotRange commonX(const PlotPage& page) {
    constexpr double kSpace = 0.05;  // beside points that stand alone
    PlotRange x;
    if (page.x == PlotPage::Scale::Linear && page.beginsAtZero) x.include(0);
    for (const auto& panel : page.panels)
        for (const auto& curve : panel.curves)
            for (const auto& p : curve.points) x.include(placeOf(page.x, p.x));
    if (!page.beginsAtZero && x.low < x.high) x = {x.low - kSpace * (x.high - x.low), x.high + kSpace * (x.high - x.low)};
    return x.low < x.high ? x : PlotRange{x.empty() ? 0 : x.low - 0.5, x.empty() ? 1 : x.low + 0.5};
}

/// The ticks of an x axis from `low` to `high`: of a log scale 1 and 3 of every decade.
std::vector<double> xTicks(PlotPage::Scale scale, const PlotRange& x) {
    if (scale == PlotPage::Scale::Linear) return plotTicks(x.low, x.high, 5);
    std::vector<double> ticks;
    for (double decade = std::floor(x.low); decade <= x.high; ++decade)
        for (const double digit : {1.0, 3.0}) ticks.push_back(digit * std::pow(10, decade));
    return ticks;
}

/// Maps data to the page within one panel.
class Axes {
public:
    struct Place {
        double left, top, width;
        PlotPage::Scale scale;
    };
    Axes(const PlotPanel& panel, const PlotRange& x, const Place& place)
        : left_(place.left + kLeft),
          top_(place.top + kAbove),
          width_(place.width - kLeft - kRight),
          x_(x),
          scale_(place.scale),
          xTicks_(xTicks(place.scale, x)) {
        PlotRange y;
        for (const auto& curve : panel.curves)
            for (const auto& p : curve.points)
                for (const double value : {p.y, p.low, p.high}) y.include(value);
        if (y.empty()) y = {0, 1};
        yTicks_ = plotTicks(y.low, y.high, 5);
        y_ = {yTicks_.front(), yTicks_.back()};
    }
    double x(double value) const { return left_ + (placeOf(scale_, value) - x_.low) / (x_.high - x_.low) * width_; }
    double y(double value) const { return top_ + height_ - (value - y_.low) / (y_.high - y_.low) * height_; }

    std::string frame(const PlotPanel& panel) const {
        std::string svg;
        const double bottom = top_ + height_, right = left_ + width_;
        for (const double t : yTicks_) {
            svg += svgLine({left_, y(t)}, {right, y(t)}, kGrid);
            svg += svgLabel({left_ - 6, y(t) + 4}, "font-size=\"11\" text-anchor=\"end\"", fmt::format("{:.6g}", t));
        }
        for (const double t : xTicks_) {
            if (x(t) < left_ - 0.5 || x(t) > right + 0.5) continue;
            svg += svgLine({x(t), bottom}, {x(t), bottom + 4}, kInk);
            svg += svgLabel({x(t), bottom + 17}, "font-size=\"11\" text-anchor=\"middle\"", fmt::format("{:.6g}", t));
        }
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}v{:.1f}h{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n", left_, top_, height_,
                           width_, kInk);
        const double centre = left_ + width_ / 2, middle = top_ + height_ / 2, beside = left_ - 46;
        svg += svgLabel({centre, top_ - 12}, "font-size=\"13\" font-weight=\"bold\" text-anchor=\"middle\"", panel.title);
        svg += svgLabel({centre, bottom + 35}, "font-size=\"12\" text-anchor=\"middle\"", panel.xLabel);
        svg += svgLabel(
            {beside, middle},
            fmt::format("font-size=\"12\" text-anchor=\"middle\" transform=\"rotate(-90 {:.1f} {:.1f})\"", beside, middle),
            panel.yLabel);
        return svg;
    }

private:
    double left_, top_, width_, height_ = kPanelHeight - kAbove - kBelow;
    PlotRange x_, y_;
    PlotPage::Scale scale_;
    std::vector<double> xTicks_, yTicks_;
};

std::string band(const PlotCurve& curve, const Axes& axes) {
    const bool wide = std::any_of(curve.points.begin(), curve.points.end(), [](const auto& p) { return p.high > p.low; });
    if (!wide) return "";
    if (curve.points.size() == 1) {
        const auto& p = curve.points.front();
        if (!std::isfinite(p.low) || !std::isfinite(p.high)) return "";
        return svgLine({axes.x(p.x), axes.y(p.low)}, {axes.x(p.x), axes.y(p.high)}, colourOf(curve.style),
                       "stroke-opacity=\"0.45\"");
    }
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
    std::string svg = fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" {}/>\n", path,
                                  colourOf(curve.style), dashOf(curve.style));
    if (curve.marks == PlotCurve::Marks::Points)
        for (const auto& p : curve.points)
            if (std::isfinite(p.y)) svg += svgMarker(curve.style, {axes.x(p.x), axes.y(p.y)});
    return svg;
}

std::string legendRow(std::size_t style, double y, const std::string& text) {
    return svgLine({kLeft, y}, {kLeft + 40, y}, colourOf(style), "stroke-width=\"2\" " + dashOf(style)) +
           svgMarker(style, {kLeft + 20, y}) + svgLabel({kLeft + 50, y + 4}, "font-size=\"12\"", text);
}

}  // namespace

std::string svgPlot(const PlotPage& page) {
    const std::size_t columns = page.panels.size() == 1 ? 1 : 2, rows = (page.panels.size() + 1) / 2;
    const double panelWidth = columns == 1 ? kOnlyWidth : kPanelWidth, width = static_cast<double>(columns) * panelWidth;
    const double head = page.title.empty() ? kMargin : kTitle;
    const double top = head + kLegendRow * static_cast<double>(page.legend.size());
    const double bottom = top + kPanelHeight * static_cast<double>(rows);
    const std::string title = page.title.empty() && !page.panels.empty() ? page.panels.front().title : page.title;
    std::string svg = svgBegin({width, bottom + (page.note.empty() ? 0 : kNote)}, title,
                               page.description.empty() ? page.note : page.description);
    svg += svgLabel({width / 2, 30}, "font-size=\"17\" font-weight=\"bold\" text-anchor=\"middle\"", page.title);
    for (std::size_t i = 0; i < page.legend.size(); ++i)
        svg += legendRow(i, head + kLegendRow * static_cast<double>(i) + 8, page.legend[i]);
    const PlotRange x = commonX(page);
    for (std::size_t i = 0; i < page.panels.size(); ++i) {
        const PlotPanel& panel = page.panels[i];
        const auto row = static_cast<double>(i / columns), column = static_cast<double>(i % columns);
        const Axes axes(panel, x, {panelWidth * column, top + kPanelHeight * row, panelWidth, page.x});
        svg += axes.frame(panel);
        for (const auto& curve : panel.curves) svg += band(curve, axes);
        for (const auto& curve : panel.curves) svg += line(curve, axes);
    }
    svg += svgLabel({kLeft, bottom + kNote - 10}, "font-size=\"10\"", page.note);
    return svg + kSvgEnd;
}

}  // namespace heddle::app
