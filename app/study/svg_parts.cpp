// SPDX-License-Identifier: Apache-2.0
#include "app/study/svg_parts.h"

#include "engine/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace heddle::app {
namespace {

constexpr const char* kFont = "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\"";

/// Okabe & Ito's palette without yellow, colours with the most contrast to white first.
constexpr std::array kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
constexpr std::array kDashes{"", "7 3", "2 3", "9 3 2 3"};

}  // namespace

std::string markupText(std::string_view text) {
    std::string safe;
    for (const char c : printable(text)) {
        switch (c) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        case '\'': safe += "&#39;"; break;
        default: safe += c;
        }
    }
    return safe;
}

const char* colourOf(std::size_t style) { return kColours[style % kColours.size()]; }

std::string dashOf(std::size_t style) {
    const std::string dash = kDashes[style % kDashes.size()];
    return dash.empty() ? "" : fmt::format("stroke-dasharray=\"{}\"", dash);
}

std::string svgLabel(const SvgPoint& at, const std::string& attributes, const std::string& text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {} fill=\"{}\" {}>{}</text>\n", at.x, at.y, kFont, kInk, attributes,
                       markupText(text));
}

std::string svgLine(const SvgPoint& from, const SvgPoint& to, const std::string& colour, const std::string& attributes) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" {}/>\n", from.x, from.y,
                       to.x, to.y, colour, attributes);
}

std::string svgMarker(std::size_t style, const SvgPoint& at) {
    const char* colour = colourOf(style);
    const auto [x, y] = at;
    switch (style % 4) {
    case 0: return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x, y, colour);
    case 1:
        return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"6\" height=\"6\" fill=\"{}\"/>\n", x - 3, y - 3, colour);
    case 2: return fmt::format("<path d=\"M{:.1f} {:.1f}l3.5 6h-7z\" fill=\"{}\"/>\n", x, y - 3.5, colour);
    default:
        return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", x,
                           y, kPaper, colour);
    }
}

std::string svgBegin(const SvgSize& size, const std::string& title, const std::string& description) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "role=\"img\">\n<title>{2}</title>\n<desc>{3}</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"{4}\"/>\n",
        size.width, size.height, markupText(title), markupText(description), kPaper);
}

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

}  // namespace heddle::app
