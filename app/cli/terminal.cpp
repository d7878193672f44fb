// SPDX-License-Identifier: Apache-2.0
#include "app/cli/terminal.h"

#include "app/session/process/paths.h"
#include "engine/base/contains.h"
#include "engine/base/printable.h"
#include "engine/base/unicode.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace heddle::app {
namespace {

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

Terminal Terminal::detect() {
    Terminal terminal;
    const bool dumb = environment("TERM").empty() || environment("TERM") == "dumb";
    terminal.progress = isatty(STDERR_FILENO) == 1 && !dumb;
    terminal.output = isatty(STDOUT_FILENO) == 1;
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) terminal.columns = size.ws_col;
    return terminal;
}

std::size_t columnsOf(const std::string& text) { return static_cast<std::size_t>(countCodePoints(text)); }

std::string cut(const std::string& text, std::size_t columns) {
    if (columnsOf(text) <= columns) return text;
    std::size_t seen = 0, end = 0;
    for (; end < text.size(); ++end)
        if (!isContinuation(text[end]) && ++seen == columns) break;
    return text.substr(0, end) + "…";
}

std::string durationText(double seconds) {
    if (!(seconds >= 0) || seconds > 1e9) return "?";
    const auto s = static_cast<std::int64_t>(std::llround(seconds));
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
    return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string timeText(double unixTime) {
    return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(static_cast<std::time_t>(unixTime)));
}

void Table::add(std::vector<std::string> row) {
    for (std::string& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
}

Table& Table::right(std::vector<std::size_t> columns) {
    right_ = std::move(columns);
    return *this;
}

std::string Table::text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i == widths.size()) widths.push_back(0);
            widths[i] = std::max(widths[i], columnsOf(row[i]));
        }
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string padding(widths[i] - columnsOf(row[i]), ' ');
            const bool toRight = contains(right_, i);
            line += (i ? "  " : "") + (toRight ? padding + row[i] : row[i] + padding);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace heddle::app
