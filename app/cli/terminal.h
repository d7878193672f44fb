// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/number_text.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::app {

/// Capabilities of standard error and standard output.
struct Terminal {
    bool progress = false;  ///< stderr is a terminal that can redraw a line
    bool output = false;    ///< stdout is a terminal
    int columns = 80;

    static Terminal detect();
};

/// Display width of a text; counts code points, which is wrong for wide East Asian letters and combining marks.
std::size_t columnsOf(const std::string& text);

/// Truncates to `columns` columns, ending in "…" if truncated.
std::string cut(const std::string& text, std::size_t columns);

/// "42 s", "3:07", "2:03:05".
std::string durationText(double seconds);

/// "2026-11-21 13:05:00" (UTC).
std::string timeText(double unixTime);

/// Rows of cells, printed in aligned columns, each cell on one line (printable()); the first row is the header.
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
