// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::app {

/// What standard error and standard output can show.
struct Terminal {
    bool progress = false;  ///< stderr is a terminal that can redraw a line
    bool output = false;    ///< stdout is a terminal
    bool colour = false;    ///< likewise, and NO_COLOR is not set
    int columns = 80;

    static Terminal detect();
};

/// Columns that a text takes; counts code points, which is right for everything but wide East Asian letters and marks.
std::size_t columnsOf(const std::string& text);

/// At most `columns` columns, the last of them "…" when something was cut.
std::string cut(const std::string& text, std::size_t columns);

/// "42 s", "3:07", "2:03:05".
std::string durationText(double seconds);

/// "2026-11-21 13:05:00" (UTC).
std::string timeText(double unixTime);

/// "1,234,567".
std::string countText(std::int64_t count);

/// A number for people: about five significant digits, never in exponent form where that can be avoided.
std::string numberText(double value);

/// Rows of cells, printed in aligned columns, each cell on one line (printable()); the first row is the head.
class Table {
public:
    explicit Table(std::vector<std::string> head) { add(std::move(head)); }
    void add(std::vector<std::string> row);
    /// Columns named here are aligned to the right.
    Table& right(std::vector<std::size_t> columns);
    std::string text() const;

private:
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::size_t> right_;
};

}  // namespace heddle::app
